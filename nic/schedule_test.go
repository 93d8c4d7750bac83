package nic

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var long = flag.Bool("long", false, "run the long tests")

// TestRandomSchedules sends the messages of several senders to one receiver under
// random configurations, in random order, with and without loss. Each byte must
// come out once, in order within its sender, and stay until it is released; the
// receiver must agree with its naive twin all the time; all must be done in the end.
func TestRandomSchedules(t *testing.T) {
	cases := 20_000
	if *long {
		cases = 300_000
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
		if err := w.run(rng, &total); err != nil {
			t.Fatalf("case %d of seed %d: %v\n%+v", i, seed, err, *s)
		}
	}
	t.Logf("%d cases: %+v", cases, total)
}

// statistics show that the cases are not trivial.
type statistics struct {
	actions  [len(kindNames)]int
	refused  int
	counters Counters
}

// run lets one action after the other happen until all is done. How likely each
// kind is differs from case to case, so that there are fast and slow senders,
// consumers and networks, but losses never prevail.
func (w *world) run(rng *rand.Rand, total *statistics) error {
	const limit = 1_000_000
	var odds [len(kindNames)]float64
	for i := range odds {
		odds[i] = []float64{1, 0.3, 0.05}[rng.IntN(3)]
	}
	odds[lose] = 0.5 * min(odds[lose], odds[deliver])
	odds[loseBack] = 0.5 * min(odds[loseBack], odds[deliverBack])
	odds[timeout] = 0.2 * min(odds[timeout], odds[send])
	var can []action
	for range limit {
		if w.done() {
			total.add(w.receiver.Counters())
			return w.checkDone()
		}
		can = w.actions(can[:0])
		if len(can) == 0 {
			return fmt.Errorf("nothing can happen, and not all is done")
		}
		a := can[rng.IntN(len(can))]
		for rng.Float64() > odds[a.kind] {
			a = can[rng.IntN(len(can))]
		}
		if err := w.apply(a); err != nil {
			return fmt.Errorf("%v: %w", a, err)
		}
		total.actions[a.kind]++
	}
	return fmt.Errorf("not done after %d actions", limit)
}

func (s *statistics) add(c Counters) {
	s.counters.Packets += c.Packets
	s.counters.Bytes += c.Bytes
	s.counters.Messages += c.Messages
	s.counters.Full += c.Full
}

// randomScenario is of up to four senders with up to four messages each.
func randomScenario(rng *rand.Rand) *scenario {
	s := &scenario{reliable: rng.IntN(3) > 0, window: 1 + rng.IntN(6), wire: 1 + rng.IntN(6)}
	if s.reliable {
		s.lossy = rng.IntN(3) > 0
		s.timeouts = s.lossy || rng.IntN(2) == 0
		s.config.Policy = Policy(rng.IntN(2))
		s.first = uint16(MaxSequence - rng.IntN(12))
	}
	s.config.Packet = 1 + rng.IntN(16)
	s.config.Records = 1 + rng.IntN(6)
	ringOf := randomRings(rng, &s.config)
	for sender, ring := range ringOf {
		s.senders = append(s.senders, randomPlan(rng, &s.config, sender, ring))
	}
	if rng.IntN(2) == 0 {
		s.config.Table = nil
	}
	return s
}
