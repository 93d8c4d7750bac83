package flit

import (
	"encoding/csv"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
)

var (
	long    = flag.Bool("long", false, "run the long tests")
	nightly = flag.Bool("nightly", false, "run the tests that are too long for each change")
)

// reference is one row of testdata/booksim2.csv: what BookSim2 measured.
type reference struct {
	quick                 bool
	topology              string
	k, vcs, buffer, flits int
	pattern               string
	load                  float64
	option                string
	packet, network       float64 // mean latencies in cycles
}

func readReferences(t *testing.T) []reference {
	t.Helper()
	file, err := os.Open("testdata/booksim2.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var refs []reference
	for _, row := range rows[1:] {
		number := func(i int) float64 {
			v, err := strconv.ParseFloat(row[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		refs = append(refs, reference{
			quick: row[0] == "quick", topology: row[1],
			k: int(number(2)), vcs: int(number(3)), buffer: int(number(4)), flits: int(number(5)),
			pattern: row[6], load: number(7), option: row[8], packet: number(9), network: number(10),
		})
	}
	return refs
}

// config describes the router that BookSim2 simulated.
func (r reference) config(t *testing.T) fabric.Config {
	cfg := bookSim(t, r.topology, r.k, r.vcs, r.buffer)
	switch r.option {
	case "":
	case "credit_delay=2":
		cfg.Router.CreditDelay = 2
	case "routing_delay=0":
		cfg.Router.RoutingDelay = 0
		cfg.Switch -= cfg.Rate.Transfer(cfg.Flit)
	case "hold_switch_for_packet=1":
		cfg.Router.HoldSwitch = true
	default:
		t.Fatalf("unknown option %s", r.option)
	}
	return cfg
}

func (r reference) destinations() func(int, *rand.Rand) int {
	if r.pattern == "uniform" {
		return fabrictest.AnyNode(r.k * r.k)
	}
	return permutation(r.pattern, r.k)
}

// TestBookSim2 compares mean latencies with those of BookSim2, see
// testdata/DEVIATIONS.md. Rows that are not marked quick need -long.
func TestBookSim2(t *testing.T) {
	warm, window := int64(2_000), int64(8_000)
	switch {
	case *nightly:
		warm, window = 10_000, 100_000
	case *long:
		warm, window = 10_000, 40_000
	}
	for _, r := range readReferences(t) {
		if !r.quick && !*long {
			continue
		}
		cfg := r.config(t)
		f, q := newFlit(t, cfg)
		got := fabrictest.Measure(t, f, q, cfg, r.flits, r.load, warm, window, 1, r.destinations())
		packet, network := got.Packet/r.packet-1, got.Network/r.network-1
		report := t.Logf
		if math.Abs(packet) > 0.05 || math.Abs(network) > 0.05 {
			report = t.Errorf
		}
		report("%s %dx%d, %d VCs of %d, %d flits, %s at %.2f %s: packet latency %.2f, want %.2f (%+.1f %%); network latency %.2f, want %.2f (%+.1f %%)",
			r.topology, r.k, r.k, r.vcs, r.buffer, r.flits, r.pattern, r.load, r.option, got.Packet, r.packet, 100*packet, got.Network, r.network, 100*network)
	}
}

// TestBookSim2Saturation compares what overloaded networks accept, in flits per
// node and cycle.
func TestBookSim2Saturation(t *testing.T) {
	for _, c := range []struct {
		topology string
		k        int
		accepted float64
	}{{"mesh", 4, 0.657}, {"torus", 4, 0.700}, {"mesh", 8, 0.378}} {
		if c.k > 4 && !*long {
			continue
		}
		cfg := bookSim(t, c.topology, c.k, 4, 8)
		f, q := newFlit(t, cfg)
		got := fabrictest.Measure(t, f, q, cfg, 16, 1, 4_000, 6_000, 1, fabrictest.AnyNode(c.k*c.k))
		if off := got.Accepted/c.accepted - 1; math.Abs(off) > 0.03 {
			t.Errorf("%s %dx%d accepts %.3f, want %.3f (%+.1f %%)", c.topology, c.k, c.k, got.Accepted, c.accepted, 100*off)
		}
	}
}
