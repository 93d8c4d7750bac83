package reproduce

import (
	"fmt"
	"math"

	"musubi"
)

// Items about bandwidth.
const (
	rhinet2Bandwidth = "bandwidth of 16 senders, 1,792 B"
	rhinet2LowPort   = "bandwidth of 16 senders, 1,792 B, low port first (fig. 9)"
	rhinet2Selection = "effect of path selection on bandwidth (fig. 9)"
	rhinet2Contrast  = "gain in the closed loop of transfers and in the open loop of packets (table 9)"
)

var rhinet2Permutations = []string{"bit-reversal", "transpose", "butterfly", "complement"}

// rhinet2Patterns are the bandwidths by network, routing and pattern.
func rhinet2Patterns(b *bench) error {
	return b.eachRouting(func(s musubi.Scenario, cell string) error {
		for _, pattern := range rhinet2Permutations {
			rate, err := b.closed(s, pattern)
			if err != nil {
				return err
			}
			b.predict(rhinet2Bandwidth, cell+", "+pattern, "MB/s", rate)
		}
		return nil
	})
}

// closed returns the mean bandwidth of senders that repeat transfers of a packet, in MB/s. It
// measures each case once.
func (b *bench) closed(s musubi.Scenario, pattern string) (float64, error) {
	s.Workload = "pattern"
	key := fmt.Sprint(s, pattern)
	if rate, known := b.rates[key]; known {
		return rate, nil
	}
	rows, err := b.rows(s, "pattern="+pattern, "loop=closed", "bytes=1792")
	if err != nil {
		return 0, err
	}
	if b.rates == nil {
		b.rates = map[string]float64{}
	}
	b.rates[key] = rows[0].Value
	return rows[0].Value, nil
}

// open returns the largest throughput of end points that offer packets at random times, as a
// fraction of their links.
func (b *bench) open(s musubi.Scenario, pattern string) (float64, error) {
	s.Workload = "pattern"
	rows, err := b.measure("throughput", s, "pattern="+pattern, "loop=open", "load=0.05,0.1,0.2,0.4", "packets=10000")
	most := 0.0
	for _, r := range rows {
		most = max(most, r.Value)
	}
	return most, err
}

// gain returns by how many percent a scenario is better than another in a loop.
func gain(loop func(musubi.Scenario, string) (float64, error), better, than musubi.Scenario, pattern string) (float64, error) {
	x, err := loop(better, pattern)
	if err != nil {
		return 0, err
	}
	y, err := loop(than, pattern)
	return 100 * (x/y - 1), err
}

// rhinet2Selections compare spread paths with those by the lowest port, where both are shortest.
func rhinet2Selections(b *bench) error {
	var effects []Cell
	most := 0.0
	for _, network := range []string{"mesh:4x4", "rhinet2-b", "rhinet2-a"} {
		for _, routing := range []string{"dl", "sbp"} {
			spread := musubi.Scenario{Topology: network, Routing: routing}
			low := spread
			low.Selection = "low-port"
			for _, pattern := range rhinet2Permutations {
				rate, err := b.closed(low, pattern)
				if err != nil {
					return err
				}
				cell := network + ", " + routing + ", " + pattern
				b.predict(rhinet2LowPort, cell, "MB/s", rate)
				g, err := gain(b.closed, spread, low, pattern)
				if err != nil {
					return err
				}
				effects = append(effects, Cell{Cell: cell, Got: g})
				most = max(most, math.Abs(g))
			}
		}
	}
	for _, c := range effects {
		b.predict(rhinet2Selection, c.Cell, "%", c.Got)
	}
	b.add(Predicted, rhinet2Selection, "the largest, either way", "%", 15, most)
	return nil
}

// rhinet2Loops set transfers one after the other beside packets at random times, on the same networks
// with the same routings. The pattern is the one with the longest ways.
func rhinet2Loops(b *bench) error {
	const pattern = "complement"
	spread := func(network, routing string) musubi.Scenario {
		return musubi.Scenario{Topology: network, Routing: routing}
	}
	low := func(network, routing string) musubi.Scenario {
		return musubi.Scenario{Topology: network, Routing: routing, Selection: "low-port"}
	}
	var hops, paths [][2]musubi.Scenario
	for _, network := range rhinet2Networks {
		hops = append(hops, [2]musubi.Scenario{spread(network, "dl"), spread(network, "updown")})
		paths = append(paths, [2]musubi.Scenario{spread(network, "dl"), low(network, "dl")}, [2]musubi.Scenario{spread(network, "sbp"), low(network, "sbp")})
	}
	for _, l := range []struct {
		name        string
		loop        func(musubi.Scenario, string) (float64, error)
		hops, paths float64 // published percents
	}{{"closed", b.closed, 51, 15}, {"open", b.open, 67, 71}} {
		for _, kind := range []struct {
			name      string
			pairs     [][2]musubi.Scenario
			published float64
		}{{"shorter paths: DL over Up*/Down*", hops, l.hops}, {"spread paths over low port first", paths, l.paths}} {
			most := 0.0
			for _, pair := range kind.pairs {
				g, err := gain(l.loop, pair[0], pair[1], pattern)
				if err != nil {
					return err
				}
				most = max(most, g)
			}
			b.add(Predicted, rhinet2Contrast, l.name+" loop, "+kind.name, "%", kind.published, most)
		}
	}
	return nil
}
