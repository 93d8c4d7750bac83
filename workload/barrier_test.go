package workload

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

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

// Where each order has a row, the other rows follow from those.
func TestSpreadOfBarriers(t *testing.T) {
	world := ideal{latency: units.Microsecond, perByte: units.Nanosecond}
	uneven := func(rank int) units.Time { return units.Time(rank%3) * units.Microsecond }
	var rows Rows
	plan, err := barrierWorkload.Prepare(set("each=yes", "orders=50", "iterations=1"), Env{Ranks: 5})
	if err != nil {
		t.Fatal(err)
	}
	err = world.run(5, func(p rma.Process) error { return plan.Program(&slow{p, uneven(p.Rank())}, &rows) })
	if err != nil {
		t.Fatal(err)
	}
	var orders []float64
	spread := map[any]float64{}
	for _, r := range rows.All() {
		switch {
		case r.Label("order") != nil:
			orders = append(orders, r.Value)
		case r.Metric == "barrier_deviation":
			spread[r.Label("orders")] = r.Value
		case r.Metric == "barrier_interval":
			spread[r.Label("bound")] = r.Value
		}
	}
	if len(orders) != 50 {
		t.Fatalf("%d rows of orders; expected 50", len(orders))
	}
	one := stat.StdDev(orders, nil)
	if one == 0 {
		t.Fatal("all orders take the same time")
	}
	near(t, "deviation of one", spread[1], one)
	near(t, "deviation of ten", spread[10], one/math.Sqrt(10))
	near(t, "interval", spread["high"]-spread["low"], 5*one/math.Sqrt(10))
	near(t, "middle", spread["high"]+spread["low"], 2*stat.Mean(orders, nil))
}

// slow is a process whose processor takes some time to start a push.
type slow struct {
	rma.Process
	time units.Time
}

func (s *slow) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	s.Compute(s.time)
	return s.Process.Push(to, data, by)
}

func TestRowsOfFewOrders(t *testing.T) {
	for _, test := range []struct {
		orders, each string
		rows         int
	}{{"20", "auto", 20}, {"21", "auto", 0}, {"21", "yes", 21}, {"2", "no", 0}, {"1", "auto", 1}} {
		rows := must(t, "barrier", set("orders="+test.orders, "each="+test.each), Env{Ranks: 3})
		n := 0
		for _, r := range rows {
			if r.Label("order") != nil {
				n++
			}
		}
		if n != test.rows {
			t.Errorf("orders=%s, each=%s: %d rows of orders; expected %d", test.orders, test.each, n, test.rows)
		}
	}
}
