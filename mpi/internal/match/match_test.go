package match

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/mpi/internal/envelope"
)

// naive is MPI's rule of matching in its plainest form: one list of messages in
// order of arrival, and one of receives in order of their calls; the first that
// matches is it.
type naive struct {
	messages []naiveMessage
	receives []naiveReceive
}

type naiveMessage struct{ id, from, tag int32 }

type naiveReceive struct{ id, source, tag int32 }

const none = -1

// receive returns the message for a receive, or keeps it.
func (n *naive) receive(r naiveReceive, keep bool) int32 {
	for i, m := range n.messages {
		if (r.source == AnySource || r.source == m.from) && (r.tag == AnyTag || r.tag == m.tag) {
			if keep {
				n.messages = slices.Delete(n.messages, i, i+1)
			}
			return m.id
		}
	}
	if keep {
		n.receives = append(n.receives, r)
	}
	return none
}

// arrive returns the receive for a message, or keeps it.
func (n *naive) arrive(m naiveMessage) int32 {
	for i, r := range n.receives {
		if (r.source == AnySource || r.source == m.from) && (r.tag == AnyTag || r.tag == m.tag) {
			n.receives = slices.Delete(n.receives, i, i+1)
			return r.id
		}
	}
	n.messages = append(n.messages, m)
	return none
}

// compare returns how the queues differ from what is left of messages, in their order, and of
// receives, of which only those of one source have an order.
func (n *naive) compare(q *Queues, posted map[int32]*Receive) string {
	var messages, wantMessages, receives, wantReceives []int32
	for _, m := range q.Messages() {
		messages = append(messages, int32(m.ID))
	}
	for _, m := range n.messages {
		wantMessages = append(wantMessages, m.id)
	}
	for _, r := range q.Receives() {
		receives = append(receives, numberOf(posted, r))
	}
	for _, r := range n.receives {
		wantReceives = append(wantReceives, r.id)
	}
	slices.Sort(receives)
	slices.Sort(wantReceives)
	switch empty := len(n.messages)+len(n.receives) == 0; {
	case !slices.Equal(messages, wantMessages):
		return fmt.Sprintf("messages %v are left; expected %v", messages, wantMessages)
	case !slices.Equal(receives, wantReceives):
		return fmt.Sprintf("receives %v are left; expected %v", receives, wantReceives)
	case q.IsEmpty() != empty, q.HasUnexpected() != (len(messages) > 0), q.counts.Posted != len(receives):
		return fmt.Sprintf("empty %v, unexpected %v, %d posted; there are %d messages and %d receives",
			q.IsEmpty(), q.HasUnexpected(), q.counts.Posted, len(messages), len(receives))
	}
	return ""
}

// The queues give for random receives, messages, probes and cancellations what the naive rule
// does, with a list for each sender and with one for all.
func TestMatcherIsTheNaiveRule(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ranks := 1 + rng.IntN(5)
		var counts Counts
		m, twin := New(ranks, seed%2 == 0, &counts), &naive{}
		posted := map[int32]*Receive{}
		wild := func(n int) int32 { return int32(rng.IntN(n+1) - 1) }
		for id := range int32(300) {
			var got, want int32 = none, none
			switch rng.IntN(8) {
			case 0: // cancel
				if len(twin.receives) == 0 {
					continue
				}
				i := rng.IntN(len(twin.receives))
				m.Unpost(posted[twin.receives[i].id])
				twin.receives = slices.Delete(twin.receives, i, i+1)
			case 1: // probe
				source, tag := wild(ranks), wild(3)
				if msg := m.Find(source, tag); msg != nil {
					got = int32(msg.ID)
				}
				want = twin.receive(naiveReceive{id, source, tag}, false)
			case 2, 3, 4:
				r := &Receive{Peer: wild(ranks), Tag: wild(3)}
				posted[id] = r
				if msg := m.Find(r.Peer, r.Tag); msg != nil {
					m.Remove(msg)
					got = int32(msg.ID)
				} else {
					m.Post(r)
				}
				want = twin.receive(naiveReceive{id, r.Peer, r.Tag}, true)
			default:
				from, tag := int32(rng.IntN(ranks)), int32(rng.IntN(3))
				if r := m.Take(from, tag); r != nil {
					got = numberOf(posted, r)
				} else {
					m.Add(&Message{Fields: envelope.Fields{ID: uint32(id), Tag: tag}, From: from})
				}
				want = twin.arrive(naiveMessage{id, from, tag})
			}
			if got != want {
				t.Fatalf("seed %d, step %d: the matcher finds %d, the rule %d", seed, id, got, want)
			}
			if problem := twin.compare(m, posted); problem != "" {
				t.Fatalf("seed %d, step %d: %s", seed, id, problem)
			}
		}
	}
}

// numberOf returns the number of a receive in the test.
func numberOf(posted map[int32]*Receive, r *Receive) int32 {
	for id, other := range posted {
		if other == r {
			return id
		}
	}
	return none
}

// A receive that names its source searches the messages of that source alone, unless
// senders share a ring.
func TestReceivesSearchOneSender(t *testing.T) {
	const ranks, each = 8, 100
	for _, test := range []struct {
		shared bool
		want   uint64
	}{{false, 1}, {true, (ranks-1)*each + 1}} {
		var counts Counts
		m := New(ranks, test.shared, &counts)
		for from := range int32(ranks) {
			for range each {
				m.Add(&Message{From: from})
			}
		}
		if m.Find(ranks-1, AnyTag) == nil || counts.Searched != test.want {
			t.Errorf("shared %v: looked at %d messages; expected %d", test.shared, counts.Searched, test.want)
		}
	}
}
