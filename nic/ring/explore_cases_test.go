package ring

import (
	"musubi/internal/explore"
	"musubi/nic/reliable"
	"strings"
	"testing"
)

// smallNetwork is the way between senders and receiver in a small case.
type smallNetwork struct {
	name string
	scenario
}

// Networks of small cases. A direct one loses nothing and needs no numbers, as the
// receiver stalls.
var (
	direct    = smallNetwork{"direct, stall", scenario{}}
	nacks     = smallNetwork{"no loss, nack", scenario{reliable: true, config: Config{Policy: SendNack}}}
	lossStall = smallNetwork{"loss, stall", scenario{reliable: true, lossy: true, timeouts: true}}
	lossNacks = smallNetwork{"loss, nack", scenario{reliable: true, lossy: true, timeouts: true, config: Config{Policy: SendNack}}}
)

// smallRings is how the senders of a small case share rings.
type smallRings struct {
	shared bool
	status Flags
	table  bool // there is an AMT address table
}

var (
	privateMessages = smallRings{table: true}
	privatePackets  = smallRings{status: PacketStatus}
	sharedPackets   = smallRings{shared: true, status: PacketStatus, table: true}
)

// smallGroup is small cases that differ in their rings.
type smallGroup struct {
	smallNetwork
	senders, packets int // packets of each sender
	wire             int // packets of each sender on the way, and answers
	run              bool
}

// TestExploreSmallCases lets all that can happen happen in every order: packets
// and answers of each sender move, get lost and are sent again, data is written, the
// consumer takes records and releases them in any order. In no state may a byte be
// wrong, missing or overwritten, and from each all can be done.
func TestExploreSmallCases(t *testing.T) {
	total := 0
	for _, g := range []smallGroup{
		{direct, 1, 3, 2, true},
		{direct, 2, 3, 2, true},
		{direct, 3, 2, 2, *long},
		{direct, 3, 3, 2, *nightly},
		{nacks, 1, 3, 2, true},
		{nacks, 2, 2, 2, true},
		{nacks, 2, 3, 2, *long},
		{nacks, 3, 1, 2, true},
		{nacks, 3, 2, 2, *nightly},
		{lossStall, 1, 3, 2, true},
		{lossStall, 2, 1, 1, true},
		{lossStall, 2, 1, 2, *long},
		{lossStall, 2, 2, 1, *nightly},
		{lossStall, 3, 1, 1, *nightly},
		{lossNacks, 1, 3, 2, true},
		{lossNacks, 2, 1, 1, true},
		{lossNacks, 2, 1, 2, *long},
		{lossNacks, 2, 2, 1, *nightly},
		{lossNacks, 3, 1, 1, *nightly},
	} {
		if !g.run {
			continue
		}
		states := g.explore(t)
		t.Logf("%-13s  %d x %d packets, %d on the wire: %7d states", g.name, g.senders, g.packets, g.wire, states)
		total += states
	}
	t.Logf("%d states", total)
}

// exploreScenario visits all states of a scenario.
func exploreScenario(s *scenario) (states int, err error) {
	w, err := newWorld(s)
	if err != nil {
		return 0, err
	}
	w.receiver.naive = nil // a world also checks by itself
	return explore.From(w)
}

// explore explores rings for one to three packets and status rings for one to three
// records, and returns how many states they have.
func (g smallGroup) explore(t *testing.T) int {
	states := 0
	for bytes := 2; bytes <= 6; bytes++ {
		for _, rings := range []smallRings{privateMessages, privatePackets, sharedPackets} {
			for _, records := range []int{1, 3} {
				s := g.small(g.senders, g.packets, bytes, records, rings)
				s.wire = g.wire
				n, err := exploreScenario(s)
				if err != nil {
					t.Fatalf("%s, %d senders of %d packets, rings of %d bytes %+v, %d records: %v",
						g.name, g.senders, g.packets, bytes, rings, records, err)
				}
				states += n
			}
		}
	}
	return states
}

// small is a scenario with packets of up to two bytes.
func (n smallNetwork) small(senders, packets, bytes, records int, rings smallRings) *scenario {
	s := n.scenario
	s.window, s.first = 2, reliable.MaxSequence
	s.config.Packet, s.config.Records = 2, records
	ringOf := make([]int, senders)
	for i := range ringOf {
		if !rings.shared {
			ringOf[i] = i
		}
		if ringOf[i] == len(s.config.Rings) {
			s.config.Rings = append(s.config.Rings, RingConfig{Size: bytes, Shared: rings.shared, PerPacket: rings.status != 0})
		}
	}
	if rings.table {
		s.config.Table = ringOf
	}
	for i, ring := range ringOf {
		most := 6
		if rings.status == 0 {
			most = bytes
		}
		s.senders = append(s.senders, newSendPlan(&s.config, i, ring, rings.status, smallMessages(i, packets, most)...))
	}
	return &s
}

// smallMessages are as few as have a number of packets, of up to most bytes. Those
// of different senders differ: the second sends odd sizes, the third nothing where
// one packet is enough.
func smallMessages(sender, packets, most int) []int {
	var messages []int
	for packets > 0 {
		n := min(packets, (most+1)/2)
		bytes := min(2*n, most)
		switch {
		case sender == 1 && bytes%2 == 0:
			bytes--
		case sender == 2 && n == 1:
			bytes = 0
		}
		messages = append(messages, bytes)
		packets -= n
	}
	return messages
}

// TestExploreFindsFaults plants faults, some by the back door as NewReceiver refuses
// them, and expects the explorer to find them.
func TestExploreFindsFaults(t *testing.T) {
	for _, c := range []struct {
		fault string
		s     *scenario
		plant func(*world)
		want  string
	}{
		{"status per message in a shared ring", direct.small(2, 3, 12, 3, privateMessages), func(w *world) {
			g := w.receiver.ring(0)
			g.shared = true
			w.receiver.layout.table = []int{0, 0}
		}, "expected"},
		{"a ring larger than its memory", direct.small(2, 3, 3, 3, privateMessages), func(w *world) {
			w.receiver.ring(0).size++
		}, "overwrites"},
		{"a network that loses packets, and nobody who notices", lossNacks.small(1, 1, 2, 1, privateMessages), func(w *world) {
			w.scenario.timeouts = false
		}, "no way leads to the end"},
		{"a status ring that forgets a place", nacks.small(1, 2, 3, 2, privatePackets), func(w *world) {
			w.receiver.status.room--
		}, "places of the status ring"},
	} {
		c.s.wire = 2
		w, err := newWorld(c.s)
		if err != nil {
			t.Fatal(err)
		}
		c.plant(w)
		w.receiver.naive = nil
		_, err = explore.From(w)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the explorer says: %v; expected an error with %q", c.fault, err, c.want)
		}
	}
}
