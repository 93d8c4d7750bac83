package reproduce

import (
	"fmt"
	"slices"

	"musubi"
)

const rhinet2Worst = "barrier of 64 hosts on rhinet2-a, the order of ten in which routings differ most (table 3)"

// barrierCase is a routing of table 3. VCs of 0 are as many as it needs.
type barrierCase struct {
	routing string
	vcs     int
	// Published us: on the networks, 0 where not known, and for the worst order on A.
	a, b, mesh, worst float64
	// first is what the model gave on the mesh, as the mean of ten orders, when table 3 was not known
	// here but for the cell that it is calibrated on; 0 where it gave nothing.
	first float64
}

var rhinet2BarrierCases = []barrierCase{
	{"prefix", 0, 52.39, 49.70, 51.49, 60.54, 51.41},
	{"updown", 1, 50.49, 48.65, 45.78, 59.77, 45.09},
	{"updown", 2, 50.53, 48.68, 45.77, 59.87, 0},
	{"updown", 4, 50.55, 48.53, 45.78, 59.58, 0},
	{"sbp", 0, 47.83, 46.61, 45.61, 44.58, 45.11},
	{"dl", 2, 47.86, 46.65, 45.62, 44.60, 0},
	{"ecube", 0, 0, 0, 0, 0, 0},
}

func (c *barrierCase) name() string {
	if c.vcs == 0 {
		return c.routing
	}
	return fmt.Sprintf("%s, VCs: %d", c.routing, c.vcs)
}

// published returns the time on a network, 0 if it is not known, and what kind ours is. Networks A
// and B were reconstructed from this table, and the processor's time for PIO from one cell.
func (c *barrierCase) published(network string) (us float64, kind Kind) {
	switch {
	case network == "rhinet2-a":
		return c.a, Fitted
	case network == "rhinet2-b":
		return c.b, Fitted
	case network == "mesh:4x4" && c.routing == "dl":
		return c.mesh, Calibrated
	case network == "mesh:4x4":
		return c.mesh, Predicted
	}
	return 0, Predicted
}

// rhinet2Barriers are the times by network and routing. The paper takes the mean of ten random
// orders; ours is that of more, and the deviation is that of a mean of ten.
func rhinet2Barriers(b *bench) error {
	var onA []orders
	for _, network := range rhinet2Networks {
		for i := range rhinet2BarrierCases {
			c := &rhinet2BarrierCases[i]
			if c.routing == "ecube" && network != "mesh:4x4" {
				continue
			}
			got, err := b.barrier(musubi.Scenario{Topology: network, Routing: c.routing, VCs: c.vcs})
			if err != nil {
				return fmt.Errorf("%s on %s: %w", c.name(), network, err)
			}
			if network == "rhinet2-a" {
				onA = append(onA, got)
			}
			cell := network + ", " + c.name()
			if us, kind := c.published(network); us > 0 {
				added := b.add(kind, rhinet2Barrier, cell, "us", us, got.mean)
				if added.Deviation = &got.ten; kind == Predicted && c.first > 0 {
					added.firstly(c.first)
				}
			} else {
				b.predict(rhinet2Barrier, cell, "us", got.mean)
			}
		}
	}
	b.worstOrders(onA)
	return nil
}

// worstOrders adds the times of the order in which routings differ most out of ten, as the mean over
// draws of ten. It takes the times of all routings in the same orders.
func (b *bench) worstOrders(of []orders) {
	const draw = 10
	sums := make([]float64, len(of))
	draws := len(of[0].each) / draw
	for d := range draws {
		worst, most := 0, -1.0
		for i := d * draw; i < (d+1)*draw; i++ {
			times := make([]float64, len(of))
			for j := range of {
				times[j] = of[j].each[i]
			}
			if differ := slices.Max(times) - slices.Min(times); differ > most {
				worst, most = i, differ
			}
		}
		for j := range of {
			sums[j] += of[j].each[worst]
		}
	}
	for j := range of {
		c := &rhinet2BarrierCases[j]
		b.add(Fitted, rhinet2Worst, c.name(), "us", c.worst, sums[j]/float64(draws))
	}
}

// orders are the times of a barrier in random orders, in microseconds.
type orders struct {
	mean, ten float64 // over all orders, and the deviation of a mean of ten
	each      []float64
}

// barrier measures barriers.
func (b *bench) barrier(s musubi.Scenario) (orders, error) {
	s.Workload = "barrier"
	rows, err := b.rows(s, "each=yes", "orders=400", "iterations=1", "warmup=1")
	if err != nil {
		return orders{}, err
	}
	var o orders
	for _, r := range rows {
		switch {
		case r.Metric == "barrier_deviation" && r.Label("orders") == 10:
			o.ten = r.Value
		case r.Metric == "barrier" && r.Label("order") != nil:
			o.each = append(o.each, r.Value)
		case r.Metric == "barrier":
			o.mean = r.Value
		}
	}
	return o, nil
}
