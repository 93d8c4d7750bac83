package routing

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/topology"
)

// pathsFrom returns the paths of the end points of switch a to the first end
// point of switch b.
func pathsFrom(r *Routes, a, b int) []Path {
	var paths []Path
	for _, e := range r.Net.EndPointsAt(a) {
		p, _ := r.Path(int(e), int(r.Net.EndPointsAt(b)[0]))
		paths = append(paths, p)
	}
	return paths
}

// pathsTo returns the paths of the first end point of switch a to the end points
// of switch b.
func pathsTo(r *Routes, a, b int) []Path {
	var paths []Path
	for _, e := range r.Net.EndPointsAt(b) {
		p, _ := r.Path(int(r.Net.EndPointsAt(a)[0]), int(e))
		paths = append(paths, p)
	}
	return paths
}

// twoByTwo is a square of switches with four hosts each; two shortest paths lead
// from corner to corner.
func twoByTwo(t *testing.T) *topology.Network {
	return nettest.New(t, 4, [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}}, nettest.Hosts(4))
}

func TestLowPortTakesTheLowestPort(t *testing.T) {
	r := build(t, "minimal", twoByTwo(t), Options{Selection: LowPort})
	for _, p := range pathsFrom(r, 0, 3) {
		if r.Net.To(p[0].Channel()).Switch != 1 {
			t.Errorf("path %v does not begin at the lowest port", p)
		}
	}
}

func TestSpreadTakesTurnsAmongSources(t *testing.T) {
	r := build(t, "minimal", twoByTwo(t), Options{Selection: Spread})
	var via []int
	for _, p := range pathsFrom(r, 0, 3) {
		via = append(via, r.Net.To(p[0].Channel()).Switch)
	}
	if want := []int{1, 2, 1, 2}; !slices.Equal(via, want) {
		t.Errorf("hosts go by switches %v, expected %v", via, want)
	}
}

func TestSpreadByDestinationTakesTurnsAmongDestinations(t *testing.T) {
	r := build(t, "minimal", twoByTwo(t), Options{Selection: Spread, DestinationOnly: true})
	var via []int
	for _, p := range pathsTo(r, 0, 3) {
		via = append(via, r.Net.To(p[0].Channel()).Switch)
	}
	if want := []int{1, 2, 1, 2}; !slices.Equal(via, want) {
		t.Errorf("packets go by switches %v, expected %v", via, want)
	}
}

// Spread exhausts the choice in the first hop, then that in later ones.
func TestSpreadVariesLaterHops(t *testing.T) {
	links := [][2]int{{0, 1}, {0, 1}, {1, 2}, {1, 2}}
	r := build(t, "minimal", nettest.New(t, 3, links, nettest.Hosts(4)), Options{Selection: Spread})
	seen := make(map[[2]Hop]bool)
	for _, p := range pathsFrom(r, 0, 2) {
		seen[[2]Hop{p[0], p[1]}] = true
	}
	if len(seen) != 4 {
		t.Errorf("four hosts use %d of four paths", len(seen))
	}
}

func TestParallelLinksAreAllUsed(t *testing.T) {
	links := [][2]int{{0, 1}, {0, 1}, {0, 1}, {0, 1}}
	net := nettest.New(t, 2, links, nettest.Hosts(4))
	for _, a := range Algorithms() {
		if a.Suits(net) != nil {
			continue
		}
		for _, selection := range []Selection{Spread, Balanced} {
			for _, destinationOnly := range []bool{false, true} {
				r := build(t, a.Name, net, Options{Selection: selection, DestinationOnly: destinationOnly})
				if most := r.Statistics().ChannelLoad.Max; most != 4 {
					t.Errorf("%s, %s, destination only %v: %d of 16 paths share a link, expected 4", a.Name, selection, destinationOnly, most)
				}
			}
		}
	}
}

// Balancing starts from the low-port paths and never makes them worse.
func TestBalancedIsNeverWorseThanLowPort(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 6))
		net := anyNetwork(t, rng)
		for _, a := range Algorithms() {
			if a.Suits(net) != nil {
				continue
			}
			_, opt, err := anyRoutes(&a, rng, net)
			check.Must(t, err)
			opt.Selection = LowPort
			low := build(t, a.Name, net, opt).Statistics()
			opt.Selection = Balanced
			balanced := build(t, a.Name, net, opt).Statistics()
			if balanced.ChannelLoad.Max > low.ChannelLoad.Max || balanced.Hops != low.Hops {
				t.Fatalf("seed %d: %s %+v: balanced %+v, low-port %+v", seed, a.Name, opt, balanced, low)
			}
		}
	}
}

// The mean load on an 8x8 torus is 64 at least. Other tools reach 80 to 180.
func TestBalancedLoadOnATorus(t *testing.T) {
	net := nettest.Generate(t, "torus:8x8", 1)
	for _, name := range []string{"minimal", "dl", "lash", "sbp", "ecube"} {
		if most := build(t, name, net, Options{}).Statistics().ChannelLoad.Max; most > 72 {
			t.Errorf("%s: %d paths over one link, expected at most 72", name, most)
		}
	}
}

// Virtual channels beyond the need are shared out among the source hosts, and a
// packet stays on its own.
func TestSpareVirtualChannelsAreFixedPerSource(t *testing.T) {
	net := nettest.Generate(t, "mesh:3x3", 4)
	for _, name := range []string{"updown", "prefix", "prefix-shortcut", "l-turn", "r-turn", "lr-turn", "ecube", "minimal"} {
		for _, selection := range Selections() {
			if a, _ := Lookup(name); selection == Regular && a.compute == nil {
				continue
			}
			r := build(t, name, net, Options{VCs: 3, Selection: selection})
			for src := range net.EndPoints {
				for dst := range net.EndPoints {
					id := r.PathID(src, dst)
					vcs := []int{src % 3}
					for _, h := range r.PathByID(id) {
						vcs = append(vcs, h.VC())
					}
					in, out := r.HostVCs(id)
					vcs = slices.Compact(append(vcs, in, out))
					if len(vcs) != 1 {
						t.Fatalf("%s %s: %d to %d: virtual channels %v, expected %d alone", name, selection, src, dst, vcs, src%3)
					}
				}
			}
		}
	}
}

// A torus needs two virtual channels; with five there are two such pairs.
func TestLanesKeepTheDateline(t *testing.T) {
	r := build(t, "ecube", nettest.Generate(t, "torus:5x5", 2), Options{VCs: 5})
	if r.VCs != 4 {
		t.Errorf("%d virtual channels in use, expected 4", r.VCs)
	}
	if !Verify(r).OK() {
		t.Error("the routes are not proved")
	}
	for src := range r.Net.EndPoints {
		for dst := range r.Net.EndPoints {
			p, _ := r.Path(src, dst)
			for _, h := range p {
				if h.VC()/2 != src%2 {
					t.Fatalf("source %d uses virtual channel %d", src, h.VC())
				}
			}
		}
	}
}

func TestNamedTopologies(t *testing.T) {
	for _, c := range []struct {
		routing, network string
		vcs              int
		mean             float64
		max              int
	}{
		// Mean distance of a k x k mesh: 2k/3 over all ordered pairs of different
		// switches; of a k-ary n-cube with k even: nk/4 * N/(N-1).
		{"ecube", "mesh:4x4", 1, 8. / 3, 6},
		{"ecube", "torus:4x4", 2, 2. * 16 / 15, 4},
		{"ecube", "hypercube:6", 1, 3. * 64 / 63, 6},
		{"ecube", "torus:3x3", 1, 1.5, 2},
		{"ecube", "torus:4x4x4", 2, 3. * 64 / 63, 6},
		{"tofu", "tofu:2x2x2x2x3x2", 1, 2.5*96/95 + 2./3*96/95, 6},
		{"tofu", "tofu:4x1x1x2x3x2", 2, (1 + 1./2 + 1./2 + 2./3) * 48 / 47, 5},
		{"sbp", "mesh:4x4", 6, 8. / 3, 6},
		{"sbp", "torus:4x4", 4, 2. * 16 / 15, 4},
		{"lash", "mesh:4x4", 1, 8. / 3, 6},
		{"dl", "mesh:4x4", 2, 8. / 3, 6},
		{"dl", "torus:4x4", 2, 2. * 16 / 15, 4},
		{"dl", "torus:8x8", 2, 4. * 64 / 63, 8},
		{"updown", "mesh:4x4", 1, 8. / 3, 6},
		{"updown", "torus:4x4", 1, 2. * 16 / 15, 4},
		{"minimal", "torus:8x8", 1, 4. * 64 / 63, 8},
		{"updown", "fullmesh:8", 1, 1, 1},
	} {
		r := build(t, c.routing, nettest.Generate(t, c.network, 1), Options{Selection: LowPort})
		s := r.Statistics()
		if d := s.Hops.Mean - c.mean; r.VCs != c.vcs || d > 1e-9 || d < -1e-9 || s.Hops.Max != c.max {
			t.Errorf("%s on %s: %d virtual channels, mean %v and at most %d hops; expected %d, %v, %d",
				c.routing, c.network, r.VCs, s.Hops.Mean, s.Hops.Max, c.vcs, c.mean, c.max)
		}
	}
}

// On a ring no switch has three links, so reduced SBP leaves the ring's cycle
// unbroken; the proof must say so.
func TestReducedSBPIsNotSafeOnARing(t *testing.T) {
	r := build(t, "reduced-sbp", nettest.Ring(t, 8, 1), Options{})
	if r.VCs != 1 {
		t.Errorf("%d virtual channels, expected 1", r.VCs)
	}
	if Verify(r).DeadlockFree() {
		t.Error("the proof finds no cycle")
	}
}

func TestMinimalRoutingOnATorusCanDeadlock(t *testing.T) {
	if Verify(build(t, "minimal", nettest.Generate(t, "torus:8x8", 1), Options{})).DeadlockFree() {
		t.Error("the proof finds no cycle")
	}
}

func TestRefusals(t *testing.T) {
	islands := nettest.New(t, 4, [][2]int{{0, 1}, {2, 3}}, nettest.Hosts(1))
	lonelyRoot := nettest.New(t, 3, [][2]int{{1, 2}}, func(s int) []topology.Kind { return make([]topology.Kind, min(s, 1)) })
	mesh := nettest.Generate(t, "mesh:4x4", 1)
	longRing := nettest.New(t, 520, nettest.RingLinks(520), func(s int) []topology.Kind {
		if s%260 == 0 {
			return make([]topology.Kind, 1)
		}
		return nil
	})
	for _, c := range []struct {
		routing string
		net     *topology.Network
		opt     Options
		want    string
	}{
		{"sbp", mesh, Options{VCs: 5}, "sbp needs 6 virtual channels on this network, whose longest path has 6 hops; 5 can be used"},
		{"reduced-sbp", mesh, Options{VCs: 2}, "reduced-sbp needs"},
		{"sbp", longRing, Options{}, "longest path has 260 hops; 256 can be used"},
		{"lash", nettest.Generate(t, "torus:8x8", 1), Options{VCs: 2}, "paths between switches do not fit; expected more virtual channels than 2"},
		{"ecube", nettest.Ring(t, 5, 1), Options{}, "ecube needs a mesh, torus, hypercube or HyperX"},
		{"ecube", nettest.Generate(t, "torus:4x4", 1), Options{VCs: 1}, "ecube needs 2 virtual channels on this network, 1 given"},
		{"tofu", nettest.Generate(t, "torus:4x4", 1), Options{}, `tofu needs a network such as tofu:2x2x2x2x3x2; "torus:4x4" is not one`},
		{"tofu", nettest.Generate(t, "tofu:4x2x2x2x3x2", 1), Options{VCs: 1}, "tofu needs 2 virtual channels on this network, 1 given"},
		{"updown", islands, Options{}, "switches s0 and s2 cannot reach each other"},
		{"minimal", islands, Options{}, "switches s0 and s2 cannot reach each other"},
		{"updown", lonelyRoot, Options{}, "no spanning tree from root switch 0"},
		{"dl", lonelyRoot, Options{}, "no spanning tree from root switch 0"},
		{"updown", mesh, Options{Root: 16}, "root switch 16 does not exist; the network has switches 0 to 15"},
		{"dl", mesh, Options{Root: 16}, "root switch 16 does not exist"},
		{"dl", mesh, Options{VCs: 257}, "257 virtual channels; expected 1 to 256"},
		{"dl", mesh, Options{Selection: "best"}, `unknown path selection "best"; known: low-port, spread, balanced, regular`},
	} {
		a, err := Lookup(c.routing)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Build(c.net, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: error %v, expected %q", c.routing, c.opt, err, c.want)
		}
	}
	if _, err := Lookup("xy"); err == nil || !strings.Contains(err.Error(), "known: updown, prefix,") {
		t.Errorf("unknown algorithm: error %v", err)
	}
}

// Algorithms without a spanning tree do not care about a root without links.
func TestUnconnectedSwitchWithoutEndPoints(t *testing.T) {
	net := nettest.New(t, 4, [][2]int{{1, 2}, {2, 3}}, func(s int) []topology.Kind { return make([]topology.Kind, min(s, 1)) })
	for _, c := range []struct {
		routing string
		opt     Options
	}{{"minimal", Options{}}, {"lash", Options{}}, {"updown", Options{Root: 1}}, {"l-turn", Options{Root: 2, DestinationOnly: true}}} {
		if p := Verify(build(t, c.routing, net, c.opt)); !p.OK() {
			t.Errorf("%s: not proved: %+v", c.routing, p)
		}
	}
}

// The number of cores changes neither routes nor proofs nor statistics.
func TestCoresDoNotMatter(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	type outcome struct {
		routes     *Routes
		proof      Proof
		statistics Statistics
	}
	for _, name := range []string{"random:switches=70,degree=5,seed=1", "torus:9x8", "fattree:k=6,levels=4"} {
		net := nettest.Generate(t, name, 1)
		for i, a := range Algorithms() {
			if a.Suits(net) != nil {
				continue
			}
			var first outcome
			for k, cores := range []int{1, 2, 5} {
				runtime.GOMAXPROCS(cores)
				r := build(t, a.Name, net, Options{DestinationOnly: i%2 == 0, Selection: Balanced})
				o := outcome{r, *Verify(r), r.Statistics()}
				o.proof.cycleAmong = nil
				if k == 0 {
					first = o
					continue
				}
				q := first.routes
				if !slices.Equal(r.hops, q.hops) || !slices.Equal(r.paths, q.paths) || !slices.Equal(r.pairs, q.pairs) {
					t.Errorf("%s on %s: %d cores make other routes than one", a.Name, name, cores)
				}
				if !reflect.DeepEqual(o.proof, first.proof) || o.statistics != first.statistics {
					t.Errorf("%s on %s: %d cores find %+v, %+v; one finds %+v, %+v", a.Name, name, cores, o.proof, o.statistics, first.proof, first.statistics)
				}
			}
		}
	}
}

func TestRoutesAreDeterministic(t *testing.T) {
	net := nettest.Generate(t, "random:switches=32,degree=5,seed=1", 2)
	for _, a := range Algorithms() {
		if a.Suits(net) != nil {
			continue
		}
		for _, destinationOnly := range []bool{false, true} {
			opt := Options{DestinationOnly: destinationOnly}
			r, again := build(t, a.Name, net, opt), build(t, a.Name, net, opt)
			if !slices.Equal(r.hops, again.hops) || !slices.Equal(r.paths, again.paths) || !slices.Equal(r.pairs, again.pairs) {
				t.Errorf("%s, destination only %v: two runs differ", a.Name, destinationOnly)
			}
		}
	}
}

// TestAlternatesCoverTheWaysRound checks on a torus that four sets of routes hold
// every shortest path of e-cube, the two ways round alike, and are free of
// deadlock together.
func TestAlternatesCoverTheWaysRound(t *testing.T) {
	net := nettest.Generate(t, "torus:4x4", 1)
	ecube, err := Lookup("ecube")
	if err != nil {
		t.Fatal(err)
	}
	sets, err := ecube.Alternates(net, Options{}, 4)
	if err != nil {
		t.Fatal(err)
	}
	if p := Verify(sets[0], sets[1:]...); !p.OK() {
		t.Errorf("the sets together are not free of deadlock: %v", p.Cycle)
	}
	const corner = 2 + 2*4 // half way round in both dimensions: two ways in each
	ways := map[string]bool{}
	for _, r := range sets {
		path, _ := r.Path(0, corner)
		ways[fmt.Sprint(path)] = true
	}
	if len(ways) != 4 {
		t.Errorf("%d different paths from 0 to the opposite corner, want 4: %v", len(ways), ways)
	}
	for _, r := range sets {
		if path, _ := r.Path(0, 1); len(path) != 1 {
			t.Errorf("path to the neighbour is %v", path)
		}
	}
}
