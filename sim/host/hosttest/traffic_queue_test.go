package hosttest_test

import (
	"math"
	"testing"

	"musubi/sim/host"
	"musubi/sim/host/hosttest"
)

// TestSourcesQueueAsTheorySays has every host of a switch send to the next one, so that
// packets meet nowhere but in the queues of their own sources. There they wait as in the queue
// Geo/D/1: packets of L flits, begun with probability p in each flit time, wait for
// rho (L-1) / (2 (1-rho)) flit times on average, where rho is p L. From there on all
// take the same time.
func TestSourcesQueueAsTheorySays(t *testing.T) {
	const flits, hosts, measure = 16, 8, 200_000
	for _, engine := range []string{"packet", "flit"} {
		for _, load := range []float64{0.2, 0.5, 0.8} {
			c := hosttest.NewCluster(t, "rhinet2", "mesh:1", hosts, "switch.engine", engine)
			flit := c.Machine.Link.Rate.Transfer(c.Machine.Link.Flit)
			got, err := c.RunTraffic(host.Traffic{Destination: neighbour, Flits: flits, Load: load, Warmup: measure / 10 * flit, Measure: measure * flit})
			if err != nil {
				t.Fatal(err)
			}
			rho := got.Offered
			want := rho * (flits - 1) / (2 * (1 - rho))
			network := got.Network.Mean()
			if wait := (got.Packet.Mean() - network) / flit.Microseconds(); math.Abs(wait/want-1) > 0.05 {
				t.Errorf("%s engine: at a load of %.3f packets wait for %.2f flit times; want %.2f", engine, rho, wait, want)
			}
			if most := got.Network.Max().Microseconds(); math.Abs(most/network-1) > 1e-5 {
				t.Errorf("%s engine: packets take %v us in the network on average, and %v us at most; want the same of all", engine, network, most)
			}
		}
	}
}
