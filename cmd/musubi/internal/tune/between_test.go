package tune

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/sim/machine"
	"musubi/tuning"
)

var nightly = flag.Bool("nightly", false, "check auto at many ranks and bytes of all operations")

// What auto has to hold, on every machine.
const (
	leastGood = 0.95 // of all cases, within nearly of the best algorithm
	mostOff   = 1.5  // times as long as the best algorithm, in any case
)

// between is where auto is checked: at ranks and bytes that no table has.
type between struct {
	ranks, bytes []int
	operations   []string
}

// betweenOf returns what is checked of the i-th machine: all with -nightly, else one number of ranks, of bytes
// few on every other machine, and some of the operations, so that the machines together have them all.
func betweenOf(name string, i int) between {
	if !*nightly {
		some := between{ranks: []int{9}, bytes: []int{[]int{200, 3000}[i/4%2]}}
		for k, operation := range mpi.Operations() {
			if (k+i)%4 == 0 {
				some.operations = append(some.operations, operation)
			}
		}
		return some
	}
	all := between{[]int{9, 11, 13, 20, 40}, []int{24, 200, 1500, 3000, 12_000, 50_000, 100_000, 700_000}, mpi.Operations()}
	if name == "iqrouter" { // each flit of each packet is an event
		all.ranks, all.bytes = all.ranks[:4], all.bytes[:4]
	}
	return all
}

// Measurements that come along choose well where nothing was measured, too.
func TestAutoIsGoodBetweenWhatWasMeasured(t *testing.T) {
	for i, name := range machine.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := betweenOf(name, i)
			b.refuseMeasured(t, name)
			r := b.measure(t, name).judge(name)
			if share := float64(r.Good) / float64(len(r.Cases)); share < leastGood && *nightly || r.Worst >= mostOff {
				t.Errorf("auto is within 10 %% of the best algorithm in %d of %d cases, and at worst takes %.2f times as long; expected %.0f of 100, and less than %.1f times", r.Good, len(r.Cases), r.Worst, 100*leastGood, mostOff)
				for _, c := range r.Cases {
					if c.Off > nearly {
						t.Logf("%s of %d ranks, %d bytes: %.4g us, %.2f times as long as by %s", c.Operation, c.Ranks, c.Bytes, c.Auto, c.Off, c.Algorithm)
					}
				}
			}
		})
	}
}

// measure measures what is to be checked of a machine, as far as it has that many hosts.
func (b between) measure(t *testing.T, name string) *measurements {
	t.Helper()
	f, m := flags{On: name, Iterations: 2, Warmup: 2}, &measurements{}
	for _, ranks := range b.ranks {
		if _, err := musubi.Build(musubi.Scenario{Machine: name, Ranks: ranks}); err != nil {
			if strings.Contains(err.Error(), "hosts") {
				continue
			}
			t.Fatal(err)
		}
		for _, operation := range b.operations {
			if err := f.measure(t.Context(), m, operation, ranks, b.bytes); err != nil {
				t.Fatalf("%s of %d ranks: %v", operation, ranks, err)
			}
		}
	}
	return m
}

// refuseMeasured fails if the table of a machine has been measured at one of the points.
func (b between) refuseMeasured(t *testing.T, name string) {
	t.Helper()
	shipped := tuning.Shipped(name)
	if shipped == nil {
		return
	}
	for _, p := range shipped.Points() {
		if slices.Contains(b.ranks, p.Ranks) && slices.Contains(b.bytes, p.Bytes) {
			t.Fatalf("%s of %d ranks, %d bytes was measured; expected others to check", p.Operation, p.Ranks, p.Bytes)
		}
	}
}
