package routing

import (
	"math/rand/v2"
	"testing"

	"musubi/internal/nettest"
)

// smallHyperX are HyperX networks, some with several links between two switches.
var smallHyperX = []string{
	"hyperx:1", "hyperx:2", "hyperx:5", "hyperx:4,k=3", "hyperx:1x4", "hyperx:3x3", "hyperx:4x3,k=1x2", "hyperx:2x3x4", "hyperx:3x1x3,k=2",
	"hyperx:2x2x2x2", "hyperx:2x4x3,k=2x1x3",
}

// Computed paths are those of the tables that selections without balance fill, and the statistics
// counted from the structure are those counted from paths.
func TestLineOrderIsThatOfTables(t *testing.T) {
	a, _ := Lookup("ecube")
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range smallHyperX {
		net := nettest.Generate(t, name, 1+rng.IntN(3))
		for _, selection := range []Selection{LowPort, Spread, Balanced} {
			for _, byDestination := range []bool{false, true} {
				opt := Options{Selection: selection, DestinationOnly: byDestination, VCs: rng.IntN(3), algorithm: a.Name}
				if selection == Spread && !byDestination {
					opt.shift = rng.IntN(4)
				}
				got, err := a.compute(net, opt)
				if err != nil {
					t.Fatal(name, err)
				}
				want, err := a.build(net, opt)
				if err != nil {
					t.Fatal(name, err)
				}
				if got == nil {
					if r := newLineOrder(net, opt, axesOf(net)); selection != Balanced || !r.wide() {
						t.Fatalf("%s %+v: not computed", name, opt)
					}
					continue
				}
				if err := sameRoutes(got, want); err != nil {
					t.Fatalf("%s %+v: %v", name, opt, err)
				}
			}
		}
	}
}

// Every selection is sound by its structure, and the general proof confirms that.
func TestLineOrderIsProved(t *testing.T) {
	for i, name := range smallHyperX {
		net := nettest.Generate(t, name, 1+i%3)
		for k, selection := range []Selection{LowPort, Spread, Regular} {
			opt := Options{Selection: selection, DestinationOnly: (i+k)%2 == 0}
			r := build(t, "ecube", net, opt)
			if !r.Computed() {
				t.Fatalf("%s: %s is not computed", name, selection)
			}
			if _, err := r.computed.rule.prove(1); err != nil {
				t.Errorf("%s %s: %v", name, selection, err)
			}
			a, _ := Lookup("ecube")
			if err := checkRoutes(a, r, opt); err != nil {
				t.Fatalf("%s %+v: %v", name, opt, err)
			}
			if p := verifyPaths(r); !p.OK() {
				t.Fatalf("%s %+v: the general proof finds %+v", name, opt, p)
			}
		}
	}
}

// A rule with a wrong channel, or axes that are none, is not proved.
func TestLineOrderRejectsMutants(t *testing.T) {
	net := nettest.Generate(t, "hyperx:3x4,k=1x2", 2)
	for name, change := range map[string]func(d *lineOrder){
		"a channel to another switch": func(d *lineOrder) {
			d.channel[d.axes[1].place(1, 1)] = d.channel[d.axes[1].place(2, 1)]
		},
		"no channel":     func(d *lineOrder) { d.channel[d.axes[0].place(2, 0)] = -1 },
		"an axis twice":  func(d *lineOrder) { d.axes[1] = d.axes[0] },
		"an axis less":   func(d *lineOrder) { d.axes = d.axes[:1] },
		"a wrong stride": func(d *lineOrder) { d.axes[1].stride = 2 },
		"no links":       func(d *lineOrder) { d.axes[0].width = 0 },
	} {
		d := newLineOrder(net, Options{Selection: Regular}, []int{0, 1})
		if _, err := d.prove(1); err != nil {
			t.Fatal(err)
		}
		change(d)
		if argument, err := d.prove(1); err == nil {
			t.Errorf("%s: proved by %s", name, argument)
		}
	}
}

// Large networks are routed without tables, and by selection Regular even links that lie beside each other
// share their load.
func TestLineOrderOfLargeNetworks(t *testing.T) {
	net := nettest.Generate(t, "hyperx:12x12x12", 2)
	r := build(t, "ecube", net, Options{})
	s := r.Statistics()
	if p := Verify(r); !r.Computed() || !p.OK() || p.Structure == "" || s.Hops.Max != 3 || s.ChannelLoad.Max != 4*144 {
		t.Errorf("%+v, %+v", s, p)
	}
	net = nettest.Generate(t, "hyperx:8x8,k=2", 4)
	if s := build(t, "ecube", net, Options{Selection: Regular}).Statistics(); s.ChannelLoad.Max != 4*4*8/2 {
		t.Errorf("a channel carries %d pairs of hosts; want half of those of two switches in a line", s.ChannelLoad.Max)
	}
}
