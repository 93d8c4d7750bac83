package workload

import (
	"testing"

	"musubi/rma"
	"musubi/units"
)

// checkBarrier runs barriers whose ranks arrive at different times and fails if
// one leaves before the last has arrived.
func checkBarrier(t *testing.T, name string, algorithm func(*node) func() error, n int) {
	t.Helper()
	const barriers = 5
	var arrived [barriers]units.Time
	var left [barriers][]units.Time
	world := ideal{latency: units.Microsecond}
	err := world.run(n, func(p rma.Process) error {
		node := newNode(p, rma.DMA)
		order := make([]int, n)
		for i := range order {
			order[i] = (i*7 + 3) % n
		}
		if n%7 == 0 {
			for i := range order {
				order[i] = n - 1 - i
			}
		}
		node.enter(newOrder(order))
		once := algorithm(node)
		for b := range barriers {
			p.Compute(units.Time((p.Rank()*5+b*3)%n) * 10 * units.Microsecond)
			arrived[b] = max(arrived[b], p.Now())
			if err := node.barrier(once); err != nil {
				return err
			}
			left[b] = append(left[b], p.Now())
		}
		return node.settle()
	})
	if err != nil {
		t.Fatalf("%s of %d: %v", name, n, err)
	}
	for b := range barriers {
		if len(left[b]) != n {
			t.Errorf("%s of %d: %d ranks have left barrier %d", name, n, len(left[b]), b)
		}
		for _, at := range left[b] {
			if at < arrived[b] {
				t.Errorf("%s of %d: somebody left barrier %d at %v; the last arrived at %v", name, n, b, at, arrived[b])
			}
		}
	}
}
