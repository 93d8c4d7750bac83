package reproduce

import (
	"fmt"

	"musubi"
	"musubi/sim/machine"
)

// Items of Koibuchi, Watanabe, Otsuka, Jouraku and Amano: Performance Evaluation
// of Deadlock-free Deterministic Routings on RHiNET-2 Cluster (IPSJ, 2004).
const (
	rhinet2Link     = "switches and links"
	rhinet2Distance = "bandwidth of PUSH, 1,792 B (text to fig. 8)"
	rhinet2TwoHosts = "barrier of 2 hosts (text to fig. 10)"
	rhinet2Barrier  = "barrier of 64 hosts (table 3)"
)

// The networks and routings of the paper. The irregular networks are
// reconstructions; e-cube is for the mesh.
var (
	rhinet2Networks = []string{"mesh:4x4", "torus:4x4", "rhinet2-a", "rhinet2-b"}
	rhinet2Routings = []string{"updown", "prefix", "dl", "sbp", "ecube"}
)

// rhinet2Constants are the figures from which parameters of the machine were derived.
func rhinet2Constants(b *bench) error {
	m, err := machine.Load(b.source)
	if err != nil {
		return err
	}
	b.derive(rhinet2Link, "flit time", "ns", 10.67, m.Link.Rate.Transfer(m.Link.Flit).Nanoseconds())
	b.derive(rhinet2Link, "latency of a switch and a cable", "us", 0.175, (m.Switch.Latency + m.Link.Cable).Microseconds())
	return nil
}

// rhinet2Slopes are the dependences on the number of switches on the path.
func rhinet2Slopes(b *bench) error {
	rows, err := b.rows(musubi.Scenario{Workload: "stream"}, "bytes=1792", "to=each-distance")
	if err != nil {
		return err
	}
	b.derive(rhinet2Distance, "one switch", "MB/s", 196, rows[0].Value)
	b.add(Calibrated, rhinet2Distance, "change from one to two switches", "MB/s", -7.5, rows[1].Value-rows[0].Value)

	near, err := b.barrier(musubi.Scenario{Place: "0,1"})
	if err != nil {
		return err
	}
	far, err := b.barrier(musubi.Scenario{Place: "0,4"})
	if err != nil {
		return err
	}
	b.add(Calibrated, rhinet2TwoHosts, "change from one to two switches", "us", 0.7, far.mean-near.mean)
	return nil
}

// eachRouting calls f for each network with each of its routings.
func (b *bench) eachRouting(f func(s musubi.Scenario, cell string) error) error {
	for _, network := range rhinet2Networks {
		for _, routing := range rhinet2Routings {
			if routing == "ecube" && network != "mesh:4x4" {
				continue
			}
			s := musubi.Scenario{Topology: network, Routing: routing}
			if err := f(s, network+", "+routing); err != nil {
				return fmt.Errorf("%s on %s: %w", routing, network, err)
			}
		}
	}
	return nil
}
