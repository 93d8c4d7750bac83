package nccl

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	_ "musubi/sim/nic/models"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ranks"
)

// content is what a rank has at a place of its buffer at first.
func content(rank, at int) byte { return byte(131*rank + 7*at + at>>8) }

// expected returns what a rank has at the end, and where; nil if that is of no account.
func expected(a *algorithm, operation string, rank int) (at int, want []byte) {
	n := a.ranks()
	block := a.bytes / n
	sum := func(at, m int) []byte {
		all := make([]byte, m)
		for i := range all {
			for r := range n {
				all[i] += content(r, at+i)
			}
		}
		return all
	}
	of := func(rank, at, m int) []byte {
		all := make([]byte, m)
		for i := range all {
			all[i] = content(rank, at+i)
		}
		return all
	}
	switch operation {
	case "allreduce":
		return 0, sum(0, a.bytes)
	case "reduce":
		if rank == a.root {
			return 0, sum(0, a.bytes)
		}
	case "reducescatter":
		return rank * block, sum(rank*block, block)
	case "broadcast":
		return 0, of(a.root, 0, a.bytes)
	case "allgather":
		for r := range n {
			want = append(want, of(r, r*block, block)...)
		}
		return 0, want
	case "sendrecv":
		return a.bytes, of((rank+n-1)%n, 0, a.bytes)
	case "alltoall":
		for r := range n {
			want = append(want, of(r, a.blockAt(r, rank), a.block(r, rank))...)
		}
		return a.bytes, want
	}
	return 0, nil
}

// Every operation, by every algorithm and protocol, on nodes of all shapes, moves and combines the data as it should,
// with chunks so small that slots are used again.
func TestOperationsMoveTheRightData(t *testing.T) {
	for _, shape := range []struct{ nodes, each int }{{1, 3}, {2, 2}, {3, 2}, {4, 1}, {5, 1}} {
		check(t, shape.nodes, shape.each, 1, true)
		check(t, shape.nodes, shape.each, 2000, true)
		check(t, shape.nodes, shape.each, 2000, false)
	}
}

func check(t *testing.T, nodes, each, size int, pxn bool) {
	t.Helper()
	name := fmt.Sprint(each)
	c := hosttest.NewCluster(t, "ndr8", fmt.Sprintf("rail:nodes=%d,rails=%d", nodes, each), 0, "switch.engine", "flow",
		"node.accelerators", name, "node.interfaces", name, "domain.size", name)
	env := workload.Env{SwitchesCombine: true, Domain: &workload.Domain{Rate: 1, Combined: 1}}
	w := &measurement{root: nodes*each - 1, skew: 0.7, seed: 3, most: 3, chunk: 48, pxn: pxn}
	var err error
	if w.layout, err = newLayout(nodes*each, func(r int) int { return r % nodes }); err != nil {
		t.Fatal(err)
	}
	for _, operation := range operations {
		for _, algorithm := range w.known(operation, env) {
			for i, protocol := range protocols {
				if costsOf[algorithm].link[i] > 0 || algorithm == pairsName {
					w.trials = append(w.trials, trial{operation, algorithm, protocol, size, 1 + len(w.trials)%3})
				}
			}
		}
	}
	var end units.Time
	hosttest.Run(t, c, func(p rma.Process) error {
		err := w.checkRank(t, p)
		end = max(end, p.Now())
		return err
	})
	if c.Report().Time > end+units.Millisecond {
		t.Errorf("the run takes %v, and its last rank ends after %v", c.Report().Time, end)
	}
}

// checkRank carries out all trials and looks at what comes of them.
func (w *measurement) checkRank(t *testing.T, p rma.Process) error {
	team := ranks.NewTeam(p)
	area, padding := make([]byte, 1<<20), make([]byte, 1<<10)
	segment := p.Expose(area)
	p.Expose(padding)
	for _, trial := range w.trials {
		plan := w.planFor(p.Rank(), trial, func(int, int) units.Time { return units.Microsecond })
		buffer := make([]byte, plan.buffer)
		for i := range buffer {
			buffer[i] = content(p.Rank(), i)
		}
		r, err := newRunner(p, buffer, area, padding, segment)
		if err != nil {
			return err
		}
		if _, err := team.Agree(0); err != nil {
			return err
		}
		if err := r.run(plan); err != nil {
			return err
		}
		a := &algorithm{layout: w.layout, rank: p.Rank(), bytes: trial.bytes, root: w.root, skew: w.skew, seed: w.seed}
		if at, want := expected(a, trial.operation, p.Rank()); !bytes.Equal(buffer[at:][:len(want)], want) {
			t.Errorf("%d nodes, %+v: rank %d has the wrong data", len(w.nodes), trial, p.Rank())
		}
	}
	return nil
}

// Double trees are trees of all, and an inner node of one is a leaf of the other, but for roots.
func TestDoubleTrees(t *testing.T) {
	for n := 1; n <= 70; n++ {
		inner := make([]int, n)
		for _, second := range []bool{false, true} {
			for i := range n {
				p := doubleTree(second, i, n)
				steps := 0
				for at := i; doubleTree(second, at, n).parent >= 0; at = doubleTree(second, at, n).parent {
					if steps++; steps > n {
						t.Fatalf("%d of %d: no way to the root", i, n)
					}
				}
				if depth := int(math.Ceil(math.Log2(float64(n)))) + 1; steps > depth {
					t.Errorf("%d of %d is %d below the root; expected at most %d", i, n, steps, depth)
				}
				children := 0
				for place, child := range p.children {
					if child < 0 {
						continue
					}
					children++
					if q := doubleTree(second, child, n); q.parent != i || q.place != place {
						t.Errorf("%d of %d: child %d has parent %d and place %d; want %d", i, n, child, q.parent, q.place, place)
					}
				}
				if children == 2 {
					inner[i]++
				}
			}
		}
		for i, times := range inner {
			if times > 1 {
				t.Errorf("%d of %d has two children in both trees", i, n)
			}
		}
	}
}

// The latencies that NCCL's model gives, worked out for 8, 16 and 64 accelerators in nodes of 8.
func TestPredictedLatencies(t *testing.T) {
	r := rates{domain: 370, combined: 315, network: 50}
	for _, c := range []struct {
		nodes     int
		algorithm string
		want      [3]float64
	}{
		{1, ringName, [3]float64{15.0, 40.6, 56.0}},
		{2, ringName, [3]float64{40.0, 75.2, 131.6}},
		{2, treeName, [3]float64{25.2, 48.5, 92.4}},
		{8, treeName, [3]float64{45.2, 82.5, 148.4}},
	} {
		l, err := newLayout(8*c.nodes, func(r int) int { return r / 8 })
		if err != nil {
			t.Fatal(err)
		}
		for i, protocol := range protocols {
			if got := l.predicted("allreduce", c.algorithm, protocol, 0, r, 16); math.Abs(got-c.want[i]) > 1e-9 {
				t.Errorf("%d nodes, %s, %s: %.3f us; want %.3f", c.nodes, c.algorithm, protocol, got, c.want[i])
			}
		}
	}
}

// NCCL's model of all-gathers and reduce-scatters by NVLS (src/graph/tuning.cc): of 16 channels one is taken off, and
// of the data the part of the rank itself; between nodes a step of the network is added, and its interfaces limit. By
// NVLink alone rings have more bandwidth, and by LL less latency, so that NCCL never takes NVLS by itself there.
func TestPredictionOfBlocksByNVLS(t *testing.T) {
	r := rates{domain: 370, combined: 315, network: 50}
	for nodes, want := range map[int][2]float64{1: {25, 315 * 15.0 / 16 * 7 / 8}, 2: {43, 315 * 15.0 / 16 * 7 / 8}, 4: {43, 315 * 15.0 / 16 * 7 / 8}} {
		l, err := newLayout(8*nodes, func(r int) int { return r / 8 })
		if err != nil {
			t.Fatal(err)
		}
		for _, operation := range []string{"allgather", "reducescatter"} {
			at := func(bytes int) float64 { return l.predicted(operation, nvlsName, simple, bytes, r, 16) }
			if latency := at(0); latency != want[0] {
				t.Errorf("%d nodes, %s: latency %g us; want %g", nodes, operation, latency, want[0])
			}
			if bandwidth := 1e6 / (at(1e9) - at(0)); math.Abs(bandwidth-want[1]) > 1e-6 {
				t.Errorf("%d nodes, %s: %g GB/s; want %g", nodes, operation, bandwidth, want[1])
			}
		}
	}
}

// By PXN nothing leaves a node for another rail; without, all-to-alls and the ends of nodes do.
func TestPXNStaysOnRails(t *testing.T) {
	for _, operation := range []string{"alltoall", "sendrecv"} {
		for _, pxn := range []bool{true, false} {
			w := &measurement{most: 2, pxn: pxn}
			w.layout, _ = newLayout(12, func(r int) int { return r / 4 })
			crossing, passed := 0, 0
			for rank := range 12 {
				p := w.planFor(rank, trial{operation, pairsName, simple, 4800, 2}, func(int, int) units.Time { return 0 })
				for _, program := range p.programs {
					for _, s := range program {
						for _, to := range s.send {
							if !w.together(rank, to.rank) && w.local[rank] != w.local[to.rank] {
								crossing += s.bytes
							}
							if len(s.receive) > 0 {
								passed += s.bytes
							}
						}
					}
				}
			}
			// Each rank has 400 bytes for each of the 6 that are in other nodes and have other numbers; the last of a
			// node has all of its bytes for the first of the next.
			want := map[string]int{"alltoall": 12 * 6 * 400, "sendrecv": 3 * 4800}[operation]
			if !pxn && (crossing != want || passed != 0) || pxn && (crossing != 0 || passed != want) {
				t.Errorf("%s, pxn %v: %d bytes cross rails, and %d are passed on; expected %d of the one, and none of the other", operation, pxn, crossing, passed, want)
			}
		}
	}
}

// TestChunksOfNVLS follows calcCollChunking of NCCL for 16 channels of 8 heads, whose conditions each count by the chunk that
// those before have left.
func TestChunksOfNVLS(t *testing.T) {
	for _, c := range []struct {
		algorithm          string
		bytes, nodes, want int
	}{
		{nvlsName, 8<<20 - 1, 1, 16 << 10}, {nvlsName, 8 << 20, 1, 32 << 10}, {nvlsName, 64<<20 - 1, 1, 32 << 10},
		{nvlsName, 64 << 20, 1, 64 << 10}, {nvlsName, 1<<30 - 1, 1, 64 << 10}, {nvlsName, 1 << 30, 1, 128 << 10},
		{nvlsTreeName, 8<<20 - 1, 2, 32 << 10}, {nvlsTreeName, 8 << 20, 2, 64 << 10}, {nvlsTreeName, 64 << 20, 2, 128 << 10},
		{nvlsTreeName, 8<<20 - 1, 4, 32 << 10}, {nvlsTreeName, 1 << 30, 4, 64 << 10},
	} {
		if got := chunkOf(c.algorithm, simple, c.bytes, 16*8, c.nodes); got != c.want {
			t.Errorf("%s of %d B over %d nodes: chunks of %d B, want %d", c.algorithm, c.bytes, c.nodes, got, c.want)
		}
	}
}
