package routing

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/routing/internal/tree"
	"musubi/topology"
	"musubi/topology/generate"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

// Long also serves the tests in package routing_test.
var (
	Long    = flag.Bool("long", false, "run the long tests")
	nightly = flag.Bool("nightly", false, "run the tests that are too long for each change")
)

// anyNetwork is a connected network of 1 to 14 switches, from trees to dense
// graphs, with parallel links and up to three end points of any kind per switch.
func anyNetwork(t testing.TB, rng *rand.Rand) *topology.Network {
	n := 1 + rng.IntN(14)
	return nettest.New(t, n, nettest.RandomLinks(rng, n, rng.IntN(3*n)), func(int) []topology.Kind {
		kinds := make([]topology.Kind, rng.IntN(4))
		for i := range kinds {
			if rng.IntN(6) == 0 {
				kinds[i] = topology.Aggregation
			}
		}
		return kinds
	})
}

// anyRoutes routes a network with a random choice of options. If the algorithm refuses a
// number of virtual channels, it has to need more of them.
func anyRoutes(a *Algorithm, rng *rand.Rand, net *topology.Network) (*Routes, Options, error) {
	opt := Options{
		VCs:             rng.IntN(6),
		Root:            rng.IntN(len(net.Switches)),
		Selection:       Selections()[rng.IntN(3)],
		DestinationOnly: rng.IntN(2) == 0,
	}
	r, err := a.Build(net, opt)
	if err == nil || opt.VCs == 0 {
		return r, opt, err
	}
	refused := opt.VCs
	opt.VCs = 0
	r, without := a.Build(net, opt)
	if without == nil && r.VCs <= refused {
		return r, opt, fmt.Errorf("%d virtual channels are enough, but %d are refused: %w", r.VCs, refused, err)
	}
	return r, opt, without
}

// anySuitable is a random network that an algorithm is for.
func anySuitable(t testing.TB, a *Algorithm, rng *rand.Rand) *topology.Network {
	switch {
	case a.Kind == "tofu":
		return anyTofu(t, rng)
	case a.Kind != "":
		return nettest.Generate(t, generate.ExampleOf(a.Kind), 1)
	case a.Coordinates:
		return anyGrid(t, rng)
	}
	return anyNetwork(t, rng)
}

// anyGrid is a random mesh or torus of one to three dimensions.
func anyGrid(t testing.TB, rng *rand.Rand) *topology.Network {
	dims := make([]string, 1+rng.IntN(3))
	longest := []int{8, 5, 3}[len(dims)-1]
	for i := range dims {
		dims[i] = fmt.Sprint(2 + rng.IntN(longest-1))
	}
	return nettest.Generate(t, []string{"mesh:", "torus:"}[rng.IntN(2)]+strings.Join(dims, "x"), 1)
}

// anyTofu is a random Tofu network.
func anyTofu(t testing.TB, rng *rand.Rand) *topology.Network {
	side := func(most int) int { return 1 + rng.IntN(most) }
	return nettest.Generate(t, fmt.Sprintf("tofu:%dx%dx%dx%dx%dx%d", side(6), side(4), side(2), side(2), side(3), side(2)), 1)
}

func build(t testing.TB, name string, net *topology.Network, opt Options) *Routes {
	t.Helper()
	a, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Build(net, opt)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// Every algorithm connects all pairs of end points by sound paths, as short as
// it promises, without a cycle of dependencies.
func TestAlgorithmsOnRandomNetworks(t *testing.T) {
	graphs := 150
	switch {
	case *nightly:
		graphs = 20000
	case *Long:
		graphs = 2500
	}
	for _, a := range Algorithms() {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			pairs := 1000 * graphs // the largest networks have many
			for seed := uint64(0); seed < uint64(graphs) && pairs > 0; seed++ {
				rng := rand.New(rand.NewPCG(seed, 1))
				r, opt, err := anyRoutes(&a, rng, anySuitable(t, &a, rng))
				if err == nil {
					err = checkRoutes(&a, r, opt)
				}
				if err != nil {
					t.Fatalf("seed %d, options %+v: %v", seed, opt, err)
				}
				pairs -= len(r.Net.EndPoints) * len(r.Net.EndPoints)
			}
		})
	}
}

// checkRoutes says what is wrong with routes. It shares no code with Verify.
func checkRoutes(a *Algorithm, r *Routes, opt Options) error {
	leaves := make(map[[2]int]int) // switch and destination: the channel taken
	cdg := make(map[Hop]map[Hop]bool)
	for dst := range r.Net.EndPoints {
		dist := r.Net.Distances(r.Net.EndPoints[dst].At.Switch)
		for src := range r.Net.EndPoints {
			p, ok := r.Path(src, dst)
			if !ok {
				return fmt.Errorf("no path from %d to %d", src, dst)
			}
			if err := checkPath(r, p, src, dst); err != nil {
				return fmt.Errorf("path %v from %d to %d: %w", p, src, dst, err)
			}
			shortest := dist[r.Net.EndPoints[src].At.Switch]
			if len(p) < shortest || a.Minimal && len(p) > shortest {
				return fmt.Errorf("path from %d to %d has %d hops, the shortest has %d", src, dst, len(p), shortest)
			}
			for i, h := range p {
				at := [2]int{r.Net.From(h.Channel()).Switch, dst}
				if c, taken := leaves[at]; opt.DestinationOnly && taken && c != h.Channel() {
					return fmt.Errorf("packets to %d leave switch %d by channels %d and %d", dst, at[0], c, h.Channel())
				}
				leaves[at] = h.Channel()
				if i > 0 {
					if cdg[p[i-1]] == nil {
						cdg[p[i-1]] = make(map[Hop]bool)
					}
					cdg[p[i-1]][h] = true
				}
			}
		}
	}
	if cyclic(cdg) && !a.Unsafe && !(a.UnsafeOnRings && isRing(r.Net)) {
		return fmt.Errorf("the channel dependencies are cyclic")
	}
	return nil
}

// checkPath says what is wrong with the shape of a path.
func checkPath(r *Routes, p Path, src, dst int) error {
	at := r.Net.EndPoints[src].At.Switch
	used := make(map[int]bool)
	for _, h := range p {
		c := h.Channel()
		if r.Net.From(c).Switch != at {
			return fmt.Errorf("channel %d does not leave switch %d", c, at)
		}
		if used[c] {
			return fmt.Errorf("channel %d is used twice", c)
		}
		if h.VC() >= r.VCs {
			return fmt.Errorf("virtual channel %d of %d", h.VC(), r.VCs)
		}
		used[c] = true
		at = r.Net.To(c).Switch
	}
	if end := r.Net.EndPoints[dst].At.Switch; at != end {
		return fmt.Errorf("ends at switch %d, not %d", at, end)
	}
	return nil
}

// cyclic reports whether a graph has a cycle, by taking away vertices without
// successors until none is left.
func cyclic(g map[Hop]map[Hop]bool) bool {
	for changed := true; changed; {
		changed = false
		for v, next := range g {
			for w := range next {
				if _, ok := g[w]; !ok {
					delete(next, w)
				}
			}
			if len(next) == 0 {
				delete(g, v)
				changed = true
			}
		}
	}
	return len(g) > 0
}

// isRing reports whether every switch has two links.
func isRing(net *topology.Network) bool {
	for sw := range net.Switches {
		if len(net.Out(sw)) != 2 {
			return false
		}
	}
	return true
}

// naiveDescend returns the number of hops from src to every switch, found by trying
// every channel in every state: switch, layer, and whether the packet has gone
// down in that layer.
func naiveDescend(t *tree.Tree, src, layers int) []int {
	type state struct {
		sw, layer int
		down      bool
	}
	dist := map[state]int{{src, 0, false}: 0}
	best := make([]int, len(t.Net.Switches))
	for i := range best {
		best[i] = -1
	}
	for queue := []state{{src, 0, false}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if best[at.sw] < 0 {
			best[at.sw] = dist[at]
		}
		for _, c := range t.Net.Out(at.sw) {
			to := t.Net.To(int(c)).Switch
			up := t.Level[to] < t.Level[at.sw] || t.Level[to] == t.Level[at.sw] && to < at.sw
			next := state{to, at.layer, !up}
			if up && at.down {
				next.layer++
			}
			if _, seen := dist[next]; !seen && next.layer < layers {
				dist[next] = dist[at] + 1
				queue = append(queue, next)
			}
		}
	}
	return best
}

// DL takes the shortest path that its layers allow, and Up*/Down* is DL with one
// layer.
func TestDescendingLayersAreShortest(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		net := anyNetwork(t, rng)
		layers := 1 + rng.IntN(4)
		opt := Options{Root: rng.IntN(len(net.Switches)), VCs: layers}
		r := build(t, "dl", net, opt)
		if layers == 1 {
			r = build(t, "updown", net, opt)
		}
		for src, e := range net.EndPoints {
			want := naiveDescend(tree.New(net, opt.Root), e.At.Switch, layers)
			for dst, f := range net.EndPoints {
				if p, _ := r.Path(src, dst); len(p) != want[f.At.Switch] {
					t.Fatalf("seed %d: %d layers, %d to %d: %d hops, expected %d", seed, layers, src, dst, len(p), want[f.At.Switch])
				}
			}
		}
	}
}

// With enough layers every path of DL is a shortest one, also where packets are
// forwarded by destination alone.
func TestEnoughLayersAreMinimal(t *testing.T) {
	for seed := range uint64(200) {
		net := anyNetwork(t, rand.New(rand.NewPCG(seed, 3)))
		for _, destinationOnly := range []bool{false, true} {
			r := build(t, "dl", net, Options{VCs: 14, DestinationOnly: destinationOnly})
			if s := r.Statistics(); s.MinimalFraction != 1 {
				t.Fatalf("seed %d, destination only %v: minimal fraction %v", seed, destinationOnly, s.MinimalFraction)
			}
		}
	}
}

// Koibuchi et al. find that few layers suffice: two cost at most 0.02 hops, three
// nothing.
func TestFewLayersSuffice(t *testing.T) {
	for _, size := range []string{"switches=16,degree=4", "switches=64,degree=4", "switches=64,degree=6", "switches=128,degree=6"} {
		for seed := range 3 {
			net := nettest.Generate(t, fmt.Sprintf("random:%s,seed=%d", size, seed+1), 1)
			minimal := build(t, "minimal", net, Options{Selection: LowPort}).Statistics().Hops.Mean
			for layers, extra := range map[int]float64{2: 0.02, 3: 0} {
				for _, destinationOnly := range []bool{false, true} {
					r := build(t, "dl", net, Options{VCs: layers, Selection: LowPort, DestinationOnly: destinationOnly})
					if mean := r.Statistics().Hops.Mean; mean > minimal+extra+1e-9 {
						t.Errorf("%s: %d layers, destination only %v: mean %v hops, minimal %v", net.Name, layers, destinationOnly, mean, minimal)
					}
				}
			}
		}
	}
}

// Up*/Down* by destination alone must stay close to the free choice of paths.
func TestDestinationOnlyCostsLittle(t *testing.T) {
	for _, name := range []string{"updown", "l-turn", "r-turn", "lr-turn"} {
		for seed := range 3 {
			net := nettest.Generate(t, fmt.Sprintf("random:switches=64,degree=6,seed=%d", seed+1), 1)
			free := build(t, name, net, Options{Selection: LowPort}).Statistics().Hops.Mean
			bound := build(t, name, net, Options{Selection: LowPort, DestinationOnly: true}).Statistics().Hops.Mean
			if bound < free || bound > 1.03*free {
				t.Errorf("%s on %s: mean %v hops by destination, %v otherwise", name, net.Name, bound, free)
			}
		}
	}
}

// prefixLabels gives each switch a string label: that of its parent and one
// letter.
func prefixLabels(t *tree.Tree) []string {
	labels := make([]string, len(t.Level))
	children := make(map[int32]int)
	for _, s := range t.Order[1:] {
		p := t.Parent[s]
		labels[s] = labels[p] + string(rune('a'+children[p]))
		children[p]++
	}
	return labels
}

// The paths of Prefix routing are those that the definition with labels gives.
func TestPrefixFollowsLabels(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		net := anyNetwork(t, rng)
		tr := tree.New(net, rng.IntN(len(net.Switches)))
		labels := prefixLabels(tr)
		for _, name := range []string{"prefix", "prefix-shortcut"} {
			r := build(t, name, net, Options{Root: tr.Root})
			for src := range net.EndPoints {
				for dst, e := range net.EndPoints {
					p, _ := r.Path(src, dst)
					for _, h := range p {
						at := net.From(h.Channel()).Switch
						want := nextByLabel(tr, labels, at, e.At.Switch, name == "prefix-shortcut")
						if got := net.To(h.Channel()).Switch; got != want {
							t.Fatalf("seed %d: %s goes from switch %d to %d on the way to %d, expected %d", seed, name, at, got, e.At.Switch, want)
						}
					}
				}
			}
		}
	}
}

func nextByLabel(t *tree.Tree, labels []string, at, dst int, shortcuts bool) int {
	next, longest := int(t.Parent[at]), -1
	for _, c := range t.Net.Out(at) {
		to := t.Net.To(int(c)).Switch
		inTree := t.Parent[at] == int32(to) || t.Parent[to] == int32(at)
		if strings.HasPrefix(labels[dst], labels[to]) && len(labels[to]) > longest && (shortcuts || inTree) {
			next, longest = to, len(labels[to])
		}
	}
	return next
}

// Networks whose routes no memory holds are refused before anything is computed.
func TestNetworksTooLarge(t *testing.T) {
	net := nettest.Generate(t, "mesh:100x100", 1) // of each pair 2 * (100 - 1/100) / 3 hops
	for _, a := range Algorithms() {
		if a.compute != nil {
			continue // keeps none
		}
		_, err := a.Build(net, Options{})
		var about, most float64
		if err == nil {
			t.Fatalf("%s: a network of 10,000 switches is not refused", a.Name)
		}
		if n, _ := fmt.Sscanf(err.Error(), "the paths of the network have about %g hops or more together; at most %g can be kept", &about, &most); n != 2 ||
			math.Abs(about/6.666e9-1) > 0.05 || most != 1<<32-1 {
			t.Errorf("%s: got error %v", a.Name, err)
		}
	}
	b, err := NewBuilder("test", nettest.Ring(t, 4, 1), 1)
	check.Must(t, err)
	b.Variants(0, 1, 1, 2)
	b.Add(Path{0, 0}, 0)
	check.Must(t, b.check(2))
	b.Add(Path{0}, 0)
	if err := b.check(2); err == nil || !strings.Contains(err.Error(), "more than 2 hops") {
		t.Errorf("paths of 3 hops: got error %v", err)
	}
}

// A network is refused if its shortest paths take more memory than is free, and else not.
func TestMemoryOfPaths(t *testing.T) {
	net := nettest.Generate(t, "torus:48x48", 1) // 24 hops between two switches on average
	pairs := int64(48*48) * 48 * 48
	need := pairs * (24*hopBytes + pathBytes + pairBytes)
	check.Must(t, checkMemory(net, func() int64 { return need }))
	err := checkMemory(net, func() int64 { return need - 1 })
	if err == nil || err.Error() != "the paths of the network take about 594 MB of memory or more, and 594 MB are free; expected fewer switches with end points" {
		t.Errorf("got error %v", err)
	}
}

// TestRoomIsForeseen builds paths that grow longer or shorter with the destination than those
// to the first ones.
func TestRoomIsForeseen(t *testing.T) {
	const all = 100
	for _, length := range []func(dst int) int{
		func(int) int { return 3 }, func(dst int) int { return dst }, func(dst int) int { return all - dst }, func(int) int { return 0 },
	} {
		b, err := NewBuilder("test", nettest.Ring(t, 4, 1), 1)
		check.Must(t, err)
		for dst := range all {
			b.Add(make(Path, length(dst)), dst)
			check.Must(t, b.foresee(dst+1, all))
		}
		r := b.Routes()
		if r.NumPaths() != all {
			t.Fatalf("%d paths; want %d", r.NumPaths(), all)
		}
		for dst := range all {
			if in, _ := r.HostVCs(dst); len(r.PathByID(dst)) != length(dst) || length(dst) == 0 && in != dst {
				t.Errorf("path %d has %d hops; want %d", dst, len(r.PathByID(dst)), length(dst))
			}
		}
	}
}
