package groups

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ideal"
	"musubi/workload/internal/ranks"

	"gonum.org/v1/gonum/stat"
)

// checkBarrier runs barriers whose ranks arrive at different times and fails if
// one leaves before the last has arrived.
func checkBarrier(t *testing.T, name string, algorithm func(*node) func() error, n int) {
	t.Helper()
	const barriers = 5
	var arrived [barriers]units.Time
	var left [barriers][]units.Time
	world := ideal.World{Latency: units.Microsecond}
	err := world.Run(n, func(p rma.Process) error {
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
	world := ideal.World{Latency: units.Microsecond, PerByte: units.Nanosecond}
	uneven := func(rank int) units.Time { return units.Time(rank%3) * units.Microsecond }
	var rows workload.Rows
	plan, err := Barrier.Prepare(ideal.Set("each=yes", "orders=50", "iterations=1"), workload.Env{Ranks: 5})
	if err != nil {
		t.Fatal(err)
	}
	err = world.Run(5, func(p rma.Process) error { return plan.Program(&slow{p, uneven(p.Rank())}, &rows) })
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
	ideal.Near(t, "deviation of one", spread[1], one)
	ideal.Near(t, "deviation of ten", spread[10], one/math.Sqrt(10))
	ideal.Near(t, "interval", spread["high"]-spread["low"], 5*one/math.Sqrt(10))
	ideal.Near(t, "middle", spread["high"]+spread["low"], 2*stat.Mean(orders, nil))
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
		rows := ideal.Rows(t, Barrier, ideal.Set("orders="+test.orders, "each="+test.each), workload.Env{Ranks: 3})
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

func TestBarrierCrossesThePathTwicePerStep(t *testing.T) {
	const crossing = 1 + 0.001*ranks.WordSize
	for _, n := range []int{2, 3, 4, 5, 8, 64} {
		rows := slices.DeleteFunc(ideal.Rows(t, Barrier, ideal.Set("orders=3"), workload.Env{Ranks: n}), func(r workload.Row) bool { return r.Metric != "barrier" })
		if len(rows) != 4 {
			t.Fatalf("%d rows, want a mean and three orders", len(rows))
		}
		steps := float64(bits.Len(uint(n - 1)))
		// Gathering: message and answer. Releasing: message and completion, which
		// on the ideal machine takes 1 us.
		want := steps * (2*crossing + crossing + 1)
		for _, r := range rows {
			if n&(n-1) == 0 {
				ideal.Near(t, fmt.Sprintf("%d ranks", n), r.Value, want)
			} else if r.Value > want {
				t.Errorf("%d ranks: %v us, want at most %v", n, r.Value, want)
			}
		}
	}
}

func TestDisseminationTakesOneCrossingPerStep(t *testing.T) {
	for _, n := range []int{2, 3, 7, 8, 33} {
		rows := ideal.Rows(t, Barrier, ideal.Set("algorithm=dissemination", "orders=2"), workload.Env{Ranks: n})
		steps := float64(bits.Len(uint(n - 1)))
		// With one step, a rank waits for the completion of the last one instead.
		want := max(steps*(1+0.001*ranks.WordSize), 2+0.001*ranks.WordSize)
		ideal.Near(t, fmt.Sprintf("%d ranks", n), rows[0].Value, want)
	}
}

func TestBarrierHoldsBackEveryone(t *testing.T) {
	for name, algorithm := range map[string]func(*node) func() error{"multicast": newTreeBarrier, "dissemination": newDissemination} {
		for n := 2; n <= 20; n++ {
			checkBarrier(t, name, algorithm, n)
		}
	}
}
