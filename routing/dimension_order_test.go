package routing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"musubi/internal/nettest"
	"musubi/topology"
)

// smallGrids are all meshes and tori of up to three dimensions with few switches, hypercubes, and
// Tofu networks.
func smallGrids(most int) []string {
	var names []string
	var grow func(dims []string, switches int)
	grow = func(dims []string, switches int) {
		if len(dims) > 0 {
			names = append(names, "mesh:"+strings.Join(dims, "x"), "torus:"+strings.Join(dims, "x"))
		}
		if len(dims) == 3 {
			return
		}
		for size := 1; switches*size <= most; size++ {
			grow(append(slices.Clone(dims), fmt.Sprint(size)), switches*size)
		}
	}
	grow(nil, 1)
	for n := 1; 1<<n <= most; n++ {
		names = append(names, fmt.Sprintf("hypercube:%d", n))
	}
	return append(names, "tofu:2x2x2x2x3x2", "tofu:4x1x1x2x3x1", "tofu:1x6x1x1x2x2", "tofu:5x1x4x1x1x1")
}

// dimensionOrders are the algorithms that can be computed on a network.
func dimensionOrders(net *topology.Network) []string {
	if net.Shape.Kind == "tofu" {
		return []string{"ecube", "tofu"}
	}
	return []string{"ecube"}
}

// Computed paths are those of the tables that selections without balance fill.
func TestComputedPathsAreThoseOfTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	most := 12
	if *Long {
		most = 24
	}
	for _, name := range smallGrids(most) {
		net := nettest.Generate(t, name, 1+rng.IntN(3))
		for _, algorithm := range dimensionOrders(net) {
			a, _ := Lookup(algorithm)
			for _, selection := range []Selection{LowPort, Spread, Balanced} {
				opt := Options{Selection: selection, DestinationOnly: rng.IntN(2) == 0, VCs: []int{0, 2, 5}[rng.IntN(3)], algorithm: a.Name}
				if selection == Spread && !opt.DestinationOnly {
					opt.shift = rng.IntN(4)
				}
				got, err := a.compute(net, opt)
				if err != nil {
					t.Fatal(name, err)
				}
				if tied := slices.ContainsFunc(net.Shape.Dims, func(n int) bool { return n > 2 && n%2 == 0 }) && strings.Contains(name, "t"); got == nil && selection == Balanced && tied {
					continue
				} else if got == nil {
					t.Fatalf("%s %+v: not computed", name, opt)
				}
				want, err := a.build(net, opt)
				if err != nil {
					t.Fatal(name, err)
				}
				if err := sameRoutes(got, want); err != nil {
					t.Fatalf("%s %s %+v: %v", name, a.Name, opt, err)
				}
			}
		}
	}
}

// sameRoutes says in what two routes differ.
func sameRoutes(got, want *Routes) error {
	if got.VCs != want.VCs || got.Longest() != want.Longest() {
		return fmt.Errorf("%d VCs, %d hops at most; want %d, %d", got.VCs, got.Longest(), want.VCs, want.Longest())
	}
	var buf Path
	for src := range want.Net.EndPoints {
		for dst := range want.Net.EndPoints {
			p, in, out, ok := got.PathInto(buf, src, dst)
			q, qin, qout, qok := want.PathInto(nil, src, dst)
			if !slices.Equal(p, q) || in != qin || out != qout || ok != qok {
				return fmt.Errorf("path from %d to %d is %v, %d, %d; want %v, %d, %d", src, dst, p, in, out, q, qin, qout)
			}
			if got.Computed() {
				buf = p
			}
		}
	}
	if got, want := got.Statistics(), want.Statistics(); got != want {
		return fmt.Errorf("statistics %+v; want %+v", got, want)
	}
	return nil
}

// Every selection of a computed routing is sound, and its structure says so; the general proof
// confirms that on all small networks; with -long on somewhat larger ones, too.
func TestStructureIsConfirmed(t *testing.T) {
	most := 18
	if *Long {
		most = 30
	}
	for i, name := range smallGrids(most) {
		net := nettest.Generate(t, name, 1+i%2)
		for _, algorithm := range dimensionOrders(net) {
			a, _ := Lookup(algorithm)
			for k, selection := range []Selection{LowPort, Spread, Regular} {
				opt := Options{Selection: selection, DestinationOnly: (i+k)%2 == 0}
				r := build(t, algorithm, net, opt)
				if !r.Computed() {
					t.Fatalf("%s %s: %s is not computed", name, algorithm, selection)
				}
				if _, err := r.computed.rule.prove(r.computed.vcs); err != nil {
					t.Errorf("%s %s %s: %v", name, algorithm, selection, err)
				}
				if err := checkRoutes(a, r, opt); err != nil {
					t.Fatalf("%s %s %+v: %v", name, algorithm, opt, err)
				}
				if p := verifyPaths(r); !p.OK() {
					t.Fatalf("%s %s %+v: the general proof finds %+v", name, algorithm, opt, p)
				}
			}
		}
	}
}

// mutant is a course with a fault.
type mutant struct {
	course
	change func(from, to uint32, l leg) leg
}

func (m mutant) leg(from, to uint32, up bool) leg {
	return m.change(from, to, m.course.leg(from, to, up))
}

// What the structure of mutated rules proves holds; faults that close a cycle or lose a packet
// are never proved.
func TestStructureRejectsMutants(t *testing.T) {
	proved, rejected := 0, 0
	mutants := map[string]func(rng *rand.Rand, d *dimensionOrder){
		"one lane": func(rng *rand.Rand, d *dimensionOrder) {
			d.mutate(rng, func(_, _ uint32, l leg) leg { l.vc = 0; return l })
		},
		"another lane": func(rng *rand.Rand, d *dimensionOrder) {
			at := uint32(rng.IntN(6))
			d.mutate(rng, func(from, _ uint32, l leg) leg {
				if from == at {
					l.vc ^= 1
				}
				return l
			})
		},
		"no such lane": func(rng *rand.Rand, d *dimensionOrder) {
			d.mutate(rng, func(_, _ uint32, l leg) leg { l.vc += 2; return l })
		},
		"the long way round": func(rng *rand.Rand, d *dimensionOrder) {
			k := rng.IntN(len(d.axes))
			x, at := &d.axes[k], uint32(rng.IntN(4))
			x.course = mutant{x.course, func(from, _ uint32, l leg) leg {
				if at == 3 || from == at {
					l.up, l.hops = !l.up, x.size-l.hops
				}
				return l
			}}
		},
		"always upwards": func(rng *rand.Rand, d *dimensionOrder) {
			x := &d.axes[rng.IntN(len(d.axes))]
			x.course = mutant{x.course, func(_, _ uint32, l leg) leg {
				if !l.up {
					l.up, l.hops = true, x.size-l.hops
				}
				return l
			}}
		},
		"a hop too many": func(rng *rand.Rand, d *dimensionOrder) {
			d.mutate(rng, func(_, _ uint32, l leg) leg { l.hops++; return l })
		},
		"no way": func(rng *rand.Rand, d *dimensionOrder) {
			d.mutate(rng, func(_, _ uint32, l leg) leg { l.hops = 0; return l })
		},
		"an axis twice":   func(rng *rand.Rand, d *dimensionOrder) { d.axes[0] = d.axes[len(d.axes)-1] },
		"an axis missing": func(rng *rand.Rand, d *dimensionOrder) { d.axes[rng.IntN(len(d.axes))].size = 1 },
		"another order": func(rng *rand.Rand, d *dimensionOrder) {
			d.channel = slices.Clone(d.channel)
			slices.Reverse(d.axes)
		},
		"another channel": func(rng *rand.Rand, d *dimensionOrder) {
			d.channel = slices.Clone(d.channel)
			d.channel[rng.IntN(len(d.channel))] ^= 1
		},
		"both ways round": func(_ *rand.Rand, d *dimensionOrder) { d.ties = tiesBySource },
	}
	networks := []string{"mesh:5", "mesh:3x4", "ring:5", "ring:6", "torus:4x4", "torus:5x3", "torus:4x2x5", "torus:6x5", "hypercube:3"}
	for name, mutate := range mutants {
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, 3))
			net := nettest.Generate(t, networks[rng.IntN(len(networks))], 1)
			r := build(t, "ecube", net, Options{Selection: []Selection{LowPort, Regular}[rng.IntN(2)]})
			mutate(rng, r.computed.rule.(*dimensionOrder))
			_, err := r.computed.rule.prove(r.computed.vcs)
			sound := soundUnlessItPanics(r)
			switch {
			case err == nil && !sound:
				t.Errorf("%s on %s, seed %d: proved, but not sound", name, net.Name, seed)
			case err == nil:
				proved++
			default:
				rejected++
			}
		}
	}
	if proved < 50 || rejected < 200 {
		t.Errorf("%d mutants proved, %d rejected; want plenty of both", proved, rejected)
	}
}

// mutate changes the legs of an axis.
func (d *dimensionOrder) mutate(rng *rand.Rand, change func(from, to uint32, l leg) leg) {
	x := &d.axes[rng.IntN(len(d.axes))]
	x.course = mutant{x.course, change}
}

// soundUnlessItPanics is the verdict of the general proof. Mutants may leave the network.
func soundUnlessItPanics(r *Routes) (sound bool) {
	defer func() {
		if recover() != nil {
			sound = false
		}
	}()
	return verifyPaths(r).OK()
}

// Regular loads the channels of even tori hardly more than their balanced tables do.
func TestRegularIsLevel(t *testing.T) {
	for _, name := range []string{"ring:8", "torus:4x4", "torus:8x8", "torus:6x6", "torus:4x4x4", "torus:6x5x4"} {
		net := nettest.Generate(t, name, 1)
		regular := build(t, "ecube", net, Options{Selection: Regular}).Statistics()
		balanced := build(t, "ecube", net, Options{Selection: Balanced}).Statistics()
		if got, want := regular.ChannelLoad.Max, balanced.ChannelLoad.Max; float64(got) > 1.1*float64(want) {
			t.Errorf("%s: load %d; balanced %d", name, got, want)
		}
	}
}

// Statistics that are counted by the legs of each axis are those of all paths.
func TestStatisticsByAxis(t *testing.T) {
	counted := 0
	for i, name := range smallGrids(30) {
		hosts := 1 + i%2
		net := nettest.Generate(t, name, hosts)
		for _, selection := range []Selection{LowPort, Regular, Spread} {
			r := build(t, "ecube", net, Options{Selection: selection})
			got, ok := r.computed.rule.statistics(int64(hosts))
			if !ok {
				continue
			}
			counted++
			if want := r.measure(); got != want {
				t.Fatalf("%s %s: %+v; want %+v", name, selection, got, want)
			}
		}
	}
	if counted < 200 {
		t.Errorf("%d networks counted; want plenty", counted)
	}
}
