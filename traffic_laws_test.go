package musubi

import (
	"fmt"
	"math"
	"testing"
)

// TestLinksCarryWhatHostsOffer counts what passes thrice: by the packets that hosts receive, by
// the switches that packets pass, and by the time that links are busy. Below saturation a mean
// link is busy for the flits that a host receives, times the links on the way of a mean packet,
// divided by the links for each host; and that way is what the routes say of all pairs. Every other case
// runs with -long.
func TestLinksCarryWhatHostsOffer(t *testing.T) {
	for i, c := range []struct {
		machine, topology, routing string
		load                       float64
	}{
		{"ndr", "torus:4x4", "updown", 0.1},
		{"ndr", "fattree:k=4", "updown", 0.5},
		{"ndr", "dragonfly:a=4,h=2,p=2", "updown", 0.1},
		{"ndr", "random:switches=20,degree=4,seed=3", "dl", 0.3},
		{"rhinet2", "rhinet2-a", "dl", 0.05},
		{"iqrouter", "mesh:4x4", "ecube", 0.4},
		{"iqrouter", "torus:4x4", "ecube", 0.5},
		{"iqrouter", "random:switches=12,degree=3,seed=5", "dl", 0.3},
	} {
		if (i%2 == 1) != *long {
			continue
		}
		s := Scenario{Workload: "pattern", Machine: c.machine, Topology: c.topology, Routing: c.routing,
			Set: set("loop=open", "pattern=uniform", "packets=40000", fmt.Sprintf("load=%g", c.load))}
		system, err := Build(s)
		if err != nil {
			t.Fatal(err)
		}
		r := mustRun(t, s)
		throughput := metric(r, "throughput")[0]
		if throughput.Label("saturated") != false {
			t.Fatalf("%v: saturated", c)
		}
		// Of n destinations one is the source itself. All are a switch away, and further
		// switches if they are on other ones.
		hosts := len(system.Net.EndPoints)
		statistics := system.Routes.Statistics()
		passed := float64(r.Simulation.PacketHops) / float64(r.Simulation.Packets)
		if want := 1 + statistics.Hops.Mean*float64(statistics.Pairs)/float64(hosts*hosts); math.Abs(passed/want-1) > 0.01 {
			t.Errorf("%v: packets pass %.4f switches; want %.4f", c, passed, want)
		}
		got := metric(r, "utilisation")[0]
		want := throughput.Value * float64(hosts) * (1 + passed) / float64(system.Net.Channels()+2*hosts)
		if got.Label("statistic") != "mean" || math.Abs(got.Value/want-1) > 0.005 {
			t.Errorf("%v: use of links %v; want a mean of %.5f", c, got, want)
		}
	}
}
