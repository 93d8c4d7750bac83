package ring

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"musubi/internal/check"
	"musubi/nic/reliable"
	"testing"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

var (
	long    = flag.Bool("long", false, "run the long tests")
	nightly = flag.Bool("nightly", false, "run the tests that are too long for each change")
)

// TestRandomSchedules sends the messages of several senders to one receiver under
// random configurations, in random order, with and without loss. Each byte must
// come out once, in order within its sender, and stay until it is released; the
// receiver must agree with its naive twin all the time; all must be done in the end.
func TestRandomSchedules(t *testing.T) {
	cases := 8_000
	switch {
	case *nightly:
		cases = 100_000
	case *long:
		cases = 30_000
	}
	const seed = 1
	total := statistics{}
	for i := range cases {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		s := randomScenario(rng)
		w, err := newWorld(s)
		if err != nil {
			t.Fatalf("case %d of seed %d: %v", i, seed, err)
		}
		if err := w.run(rng, randomOdds(rng), &total); err != nil {
			t.Fatalf("case %d of seed %d: %v\n%+v", i, seed, err, *s)
		}
	}
	t.Logf("%d cases: %+v", cases, total)
	if least := uint64(cases); total.packets < least || total.messages < least || total.full < least || total.lost < least || total.stray < least {
		t.Errorf("%d cases have only %+v; expected at least one of each per case", cases, total)
	}
}

// statistics show that the cases are not trivial.
type statistics struct {
	packets, messages, full, lost, stray uint64
}

// odds are how likely an action is taken that has been drawn, for each kind.
type odds [len(kindNames)]float64

// randomOdds are of fast and slow senders, consumers and networks. Losses do not
// prevail.
func randomOdds(rng *rand.Rand) odds {
	var o odds
	for i := range o {
		o[i] = []float64{1, 0.3, 0.05}[rng.IntN(3)]
	}
	o[lose] = 0.5 * min(o[lose], o[deliver])
	o[loseBack] = 0.5 * min(o[loseBack], o[deliverBack])
	o[timeout] = 0.2 * min(o[timeout], o[send])
	return o
}

// run lets one action after the other happen until all is done.
func (w *world) run(rng *rand.Rand, odds odds, total *statistics) error {
	const limit = 1_000_000
	var can []action
	for range limit {
		if w.Done() {
			total.add(w.receiver.Counters())
			return w.CheckDone()
		}
		if rng.IntN(16) == 0 {
			if err := w.disturb(rng); err != nil {
				return err
			}
		}
		can = w.Actions(can[:0])
		if len(can) == 0 {
			return fmt.Errorf("nothing can happen, and not all is done")
		}
		a := can[rng.IntN(len(can))]
		for rng.Float64() > odds[a.kind] {
			a = can[rng.IntN(len(can))]
		}
		if err := w.Apply(a); err != nil {
			return fmt.Errorf("%v: %w", a, err)
		}
		if a.kind == lose || a.kind == loseBack {
			total.lost++
		}
	}
	return fmt.Errorf("not done after %d actions", limit)
}

func (s *statistics) add(c Counters) {
	s.packets += c.Packets
	s.messages += c.Messages
	s.full += c.Full
	s.stray += c.NoRing + c.BadStatus
}

// disturb sends the receiver a packet that it has to refuse and a sender an
// acknowledgement that it has to ignore, so that neither must have an effect.
func (w *world) disturb(rng *rand.Rand) error {
	h := Packet{
		ByEntry: rng.IntN(2) == 0, Flags: Flags(rng.IntN(4)), Data: rng.IntN(2 * w.config.Packet),
		From: uint16(rng.IntN(len(w.lanes) + 2)), Entry: uint64(rng.IntN(len(w.config.Rings) + 2)),
	}
	if _, result := w.receiver.naive.check(&h); result == NoRing || result == BadStatus {
		if _, _, err := w.receiver.place(&h); err != nil {
			return err
		}
	}
	sequence := uint16(rng.Uint32())
	out := &w.lanes[rng.IntN(len(w.lanes))].out
	first, n := out.Outstanding()
	if (int(sequence)-int(first)+reliable.MaxSequence+1)%(reliable.MaxSequence+1) <= n && sequence <= reliable.MaxSequence {
		return nil // as if from the receiver
	}
	if released := out.Acked(sequence); released != 0 {
		return fmt.Errorf("acknowledgement %d released %d packets of %d from %d on", sequence, released, n, first)
	}
	return nil
}

// randomScenario is of up to four senders with up to four messages each.
func randomScenario(rng *rand.Rand) *scenario {
	s := &scenario{reliable: rng.IntN(3) > 0, window: 1 + rng.IntN(6), wire: 1 + rng.IntN(6)}
	if s.reliable {
		s.lossy = rng.IntN(3) > 0
		s.timeouts = s.lossy || rng.IntN(2) == 0
		s.config.Policy = Policy(rng.IntN(2))
		s.first = uint16(reliable.MaxSequence - rng.IntN(12))
	}
	s.config.Packet = 1 + rng.IntN(16)
	s.config.Records = 1 + rng.IntN(6)
	ringOf := randomRings(rng, &s.config, 1+rng.IntN(4))
	if rng.IntN(2) == 0 {
		s.config.Table = ringOf
	}
	for sender, ring := range ringOf {
		s.senders = append(s.senders, randomPlan(rng, &s.config, sender, ring))
	}
	return s
}

// randomRings makes rings from one packet up and returns the ring of each sender.
func randomRings(rng *rand.Rand, c *Config, senders int) []int {
	ringOf := make([]int, senders)
	count := make([]int, 1+rng.IntN(senders))
	for sender := range ringOf {
		ringOf[sender] = rng.IntN(len(count))
		count[ringOf[sender]]++
	}
	for _, n := range count {
		ring := RingConfig{Size: c.Packet + rng.IntN(3*c.Packet), Shared: n > 1 || rng.IntN(4) == 0}
		ring.PerPacket = ring.Shared || rng.IntN(3) == 0
		c.Rings = append(c.Rings, ring)
	}
	return ringOf
}

// randomPlan has messages that a ring can take: with status per message none longer
// than the ring, else of any length.
func randomPlan(rng *rand.Rand, c *Config, sender, ring int) sendPlan {
	most, status := 4*c.Packet, PacketStatus
	if !c.Rings[ring].PerPacket && rng.IntN(2) == 0 {
		most, status = c.Rings[ring].Size, 0
	}
	messages := make([]int, rng.IntN(5))
	for i := range messages {
		messages[i] = rng.IntN(most + 1)
	}
	return newSendPlan(c, sender, ring, status, messages...)
}

// TestNumbersGoRound sends so many packets that their numbers go round two
// times, over a network that is slower than the sender and loses some both ways.
func TestNumbersGoRound(t *testing.T) {
	const packets = 2*reliable.MaxSequence + 100
	for _, window := range []int{1, reliable.MaxSequence / 2} {
		for _, loss := range []float64{0, 0.001} {
			s := &scenario{reliable: true, lossy: true, timeouts: true, window: window, wire: window}
			s.config = Config{Packet: 1, Records: 8, Policy: SendNack, Table: []int{0}, Rings: []RingConfig{{Size: 8}}}
			s.senders = []sendPlan{newSendPlan(&s.config, 0, 0, PacketStatus, packets)}
			w, err := newWorld(s)
			if err != nil {
				t.Fatal(err)
			}
			odds := odds{send: 1, deliver: 0.5, write: 1, take: 1, release: 1, deliverBack: 0.5, lose: loss, loseBack: loss, timeout: 1e-5}
			if err := w.run(rand.New(rand.NewPCG(3, uint64(window))), odds, &statistics{}); err != nil {
				t.Errorf("window of %d, loss of %v: %v", window, loss, err)
			}
		}
	}
}
