package hosttest_test

import (
	"slices"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
)

// What ranks tell each other of a topic is told once, and nothing else of other topics or to others.
func TestTold(t *testing.T) {
	topic, other := rma.Topic{Context: 1, Number: 7}, rma.Topic{Context: 1, Number: 8}
	hosttest.Run(t, hosttest.NewRanks(t, "loggp", 2), func(p rma.Process) error {
		if err := p.Rings(rma.SharedRing(1 << 16)); err != nil {
			return err
		}
		w := p.(rma.Witness)
		if p.Rank() == 1 {
			w.Tell(topic, 0, 5)
			w.Tell(other, 0, 6)
			w.Tell(topic, 1, 7)
			w.Tell(topic, 0, -8)
			return hosttest.Send(p, 0, []byte("told"))
		}
		if _, err := hosttest.Receive(p); err != nil {
			return err
		}
		for _, want := range [][]rma.Telling{{{From: 1, Number: 5}, {From: 1, Number: -8}}, nil} {
			if got := w.Told(topic); !slices.Equal(got, want) {
				t.Errorf("told %v; want %v", got, want)
			}
		}
		return nil
	})
}
