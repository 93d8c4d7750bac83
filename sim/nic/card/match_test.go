package card

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/sim/machine"
	"musubi/units"
)

// matchable returns a message with a word and data.
func matchable(context uint32, tag int32, data string) []byte {
	word := uint64(context)<<8 | uint64(tag)<<32
	return append(binary.LittleEndian.AppendUint64(nil, word), data...)
}

// runMatching runs a program on two cards that match: rank 0 sends, and rank 1 receives, after
// both have set up.
func runMatching(t *testing.T, send func(p rma.Matcher) error, receive func(p rma.Matcher) error, set ...string) {
	t.Helper()
	c := hosttest.NewCluster(t, "dimmnet2-match", "fullmesh:1", 2, set...)
	err := c.Run(func(p rma.Process) error {
		m := p.(rma.Matcher)
		if p.Rank() == 1 {
			return receive(m)
		}
		p.Compute(100 * units.Microsecond)
		return send(m)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// next returns the next arrival, what the card has done with it, and its data if it is in a ring.
func next(p rma.Matcher) (rma.Arrival, rma.Match, string, error) {
	a, err := p.Next()
	if err != nil {
		return a, rma.Match{}, "", err
	}
	m := p.MatchOf(a)
	data := make([]byte, a.Bytes)
	err = p.Take(a, data, rma.Cached)
	return a, m, string(data), err
}

func TestCardsMatch(t *testing.T) {
	long := strings.Repeat("what a packet has no room for ", 40)
	for _, test := range []struct {
		name     string
		posted   []rma.PostedReceive
		context  uint32
		tag      int32
		data     string
		receive  uint32 // that matches
		received string
	}{
		{"source and tag", []rma.PostedReceive{{From: 0, Tag: 5}}, 0, 5, "abc", 1, "abc"},
		{"no such tag", []rma.PostedReceive{{From: 0, Tag: 5}}, 0, 6, "abc", 0, ""},
		{"no such source", []rma.PostedReceive{{From: 1, Tag: 5}}, 0, 5, "abc", 0, ""},
		{"no such context", []rma.PostedReceive{{From: 0, Tag: 5}}, 1, 5, "abc", 0, ""},
		{"any source", []rma.PostedReceive{{From: 1, Tag: 5}, {From: rma.AnySource, Tag: 5}}, 0, 5, "abc", 2, "abc"},
		{"any tag", []rma.PostedReceive{{From: 0, Tag: rma.AnyTag, Context: 3}, {From: 0, Tag: 5, Context: 3}}, 3, 5, "abc", 1, "abc"},
		{"several packets", []rma.PostedReceive{{From: 0, Tag: 5}}, 0, 5, long, 1, long},
		{"nothing but a word", []rma.PostedReceive{{From: 0, Tag: 5}}, 0, 5, "", 1, ""},
	} {
		message := matchable(test.context, test.tag, test.data)
		send := func(p rma.Matcher) error {
			_, err := p.IPushMatch(1, message, rma.Matching{By: rma.Straight}, rma.DMA)
			return err
		}
		runMatching(t, send, func(p rma.Matcher) error {
			for i := range test.posted {
				r := &test.posted[i]
				r.Into = make([]byte, len(test.received))
				if number, ok := p.PostReceive(*r); !ok || number != uint32(i+1) {
					return fmt.Errorf("%s: receive %d is %d, %v", test.name, i, number, ok)
				}
			}
			_, m, data, err := next(p)
			switch {
			case err != nil:
				return err
			case !m.Compared || m.Receive != test.receive:
				t.Errorf("%s: %+v; expected receive %d", test.name, m, test.receive)
			case test.receive == 0 && data != string(message):
				t.Errorf("%s: %q is in the ring; expected the message", test.name, data)
			case test.receive > 0 && (data != "" || string(test.posted[test.receive-1].Into) != test.received || m.Bytes != len(test.data)):
				t.Errorf("%s: %+v, and %q in the ring; expected what was sent in the buffer", test.name, m, data)
			}
			return nil
		})
	}
}

// What does not fit is cut off, and what is offered is pulled.
func TestCardsCutOffAndPull(t *testing.T) {
	const size = 3000
	runMatching(t, func(p rma.Matcher) error {
		data := []byte(strings.Repeat("x", size))
		segment := p.Expose(data)
		if _, err := p.IPushMatch(1, matchable(0, 1, "too long"), rma.Matching{By: rma.Straight}, rma.BOTF); err != nil {
			return err
		}
		_, err := p.IPushMatch(1, matchable(0, 2, "it"), rma.Matching{By: rma.Offered, Segment: segment, Bytes: size}, rma.BOTF)
		return err
	}, func(p rma.Matcher) error {
		short, long := make([]byte, 3), make([]byte, size+9)
		p.PostReceive(rma.PostedReceive{Tag: 1, Into: short})
		p.PostReceive(rma.PostedReceive{Tag: 2, Into: long})
		_, m, _, err := next(p)
		if err != nil || m.Receive != 1 || m.Bytes != len("too long") || string(short) != "too" {
			return fmt.Errorf("%+v with %q, %v; expected the beginning of the message", m, short, err)
		}
		_, m, data, err := next(p)
		if err != nil || m.Receive != 2 || data[8:] != "it" || m.Pull == 0 {
			return fmt.Errorf("%+v with %q, %v; expected the message in the ring, and a pull", m, data, err)
		}
		if err := p.Wait(m.Pull); err != nil {
			return err
		}
		if got := strings.TrimRight(string(long), "\x00"); got != strings.Repeat("x", size) {
			return fmt.Errorf("%d bytes have been pulled; expected %d", len(got), size)
		}
		return nil
	})
}

// A receive that is posted while a message passes is refused with that message, and can be posted
// again; a full table takes none.
func TestCardsRefusePosts(t *testing.T) {
	send := func(p rma.Matcher) error {
		_, err := p.IPushMatch(1, matchable(0, 1, ""), rma.Matching{By: rma.Straight}, rma.BOTF)
		return err
	}
	runMatching(t, send, func(p rma.Matcher) error {
		p.Compute(200 * units.Microsecond) // the message is in the ring
		late, _ := p.PostReceive(rma.PostedReceive{Tag: 1})
		_, m, _, err := next(p)
		if err != nil || m.Receive != 0 || len(m.Refused) != 1 || m.Refused[0] != late {
			return fmt.Errorf("%+v, %v; expected that receive %d is refused", m, err, late)
		}
		first, ok := p.PostReceive(rma.PostedReceive{Tag: 1})
		if _, beyond := p.PostReceive(rma.PostedReceive{Tag: 1}); !ok || beyond {
			return fmt.Errorf("posted: %v, and one more: %v; expected room for one", ok, beyond)
		}
		if !p.WithdrawReceive(first) {
			return fmt.Errorf("receive %d has been matched; expected that it can be withdrawn", first)
		}
		if _, ok := p.PostReceive(rma.PostedReceive{Tag: 1}); !ok {
			return fmt.Errorf("no room after a receive has been withdrawn")
		}
		return nil
	}, "match.entries", "1")
}

// Each entry that is compared takes its clocks.
func TestComparingTakesClocks(t *testing.T) {
	const clock, perEntry = 10 * units.Nanosecond, 7
	arrives := func(before int) (at units.Time) {
		send := func(p rma.Matcher) error {
			_, err := p.IPushMatch(1, matchable(0, 1, ""), rma.Matching{By: rma.Straight}, rma.BOTF)
			return err
		}
		runMatching(t, send, func(p rma.Matcher) error {
			for range before {
				p.PostReceive(rma.PostedReceive{Tag: 9})
			}
			p.PostReceive(rma.PostedReceive{Tag: 1})
			err := p.Await()
			at = p.Now()
			return err
		}, "match.entry", fmt.Sprint(perEntry), "processor.poll", "2ps", "card.refresh", "0ns")
		return at
	}
	if got, want := arrives(10)-arrives(0), units.Time(10*perEntry)*clock; got != want {
		t.Errorf("ten entries before the one that matches take %v; expected %v", got, want)
	}
}

func TestMatchingIsChecked(t *testing.T) {
	for _, test := range []struct{ key, value, want string }{
		{"match.entries", "100000", "expected at most 4096"},
		{"match.windows", "4", "needs one to read"},
		{"ring.entry_in_packet", "true", "collides with ring.entry_in_packet"},
	} {
		m, err := machine.Load("dimmnet2-match")
		if err != nil {
			t.Fatal(err)
		}
		err = m.Set(test.key, test.value)
		if err == nil {
			err = m.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s=%s: %v; expected %q", test.key, test.value, err, test.want)
		}
	}
}
