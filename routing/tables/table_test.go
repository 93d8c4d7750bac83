package tables

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/routing"
	"musubi/routing/internal/routetest"
	"musubi/topology"
)

// vcRules are ways in which routings use virtual channels.
var vcRules = []struct {
	name string
	rule func(src, dst, hop int) int
}{
	{"one", func(_, _, _ int) int { return 0 }},
	{"per source", func(src, _, _ int) int { return src % 3 }},
	{"per pair", func(src, dst, _ int) int { return (src*7 + dst) % 3 }},
	{"per hop", func(_, _, hop int) int { return min(hop, 7) }},
}

// samePaths fails the test unless all pairs of end points have the same paths in
// both routes.
func samePaths(t *testing.T, seed uint64, got, want *routing.Routes) {
	t.Helper()
	for src := range want.Net.EndPoints {
		for dst := range want.Net.EndPoints {
			g, gok := got.Path(src, dst)
			w, wok := want.Path(src, dst)
			if src != dst && (gok != wok || fmt.Sprint(g) != fmt.Sprint(w)) {
				t.Fatalf("seed %d: path from %s is %v (%v), want %v (%v)", seed, describe(want, routing.Pair{Src: src, Dst: dst}), g, gok, w, wok)
			}
			if !wok || src == dst {
				continue
			}
			gin, gout := got.HostVCs(got.PathID(src, dst))
			win, wout := want.HostVCs(want.PathID(src, dst))
			if gin != win || gout != wout {
				t.Fatalf("seed %d: path from %s enters on VC %d and leaves on %d, want %d and %d",
					seed, describe(want, routing.Pair{Src: src, Dst: dst}), gin, gout, win, wout)
			}
		}
	}
}

func throughGeneral(t *testing.T, r *routing.Routes) (*routing.Routes, error) {
	t.Helper()
	return throughCSV(t, r, NewGeneral, ReadGeneral)
}

func throughRHiNET2(t *testing.T, r *routing.Routes) (*routing.Routes, error) {
	t.Helper()
	return throughCSV(t, r, NewRHiNET2, ReadRHiNET2)
}

// throughCSV takes routes to a table, a file, a table and back.
func throughCSV[T csvTable](t *testing.T, r *routing.Routes, convert func(*routing.Routes) (T, error),
	read func(io.Reader, string, *topology.Network) (T, error)) (*routing.Routes, error) {
	t.Helper()
	table, err := convert(r)
	if err != nil {
		return nil, err
	}
	var first, second bytes.Buffer
	check.Must(t, table.WriteCSV(&first))
	again, err := read(bytes.NewReader(first.Bytes()), "table.csv", r.Net)
	check.Must(t, err)
	check.Must(t, again.WriteCSV(&second))
	if first.String() != second.String() {
		t.Fatalf("written again the table differs:\n%s\n%s", &first, &second)
	}
	back, err := again.Routes()
	check.Must(t, err)
	return back, nil
}

// TestTablesKeepRoutes takes routes that follow destination trees through every
// form that can express their use of virtual channels.
func TestTablesKeepRoutes(t *testing.T) {
	forms := []struct {
		name    string
		through func(*testing.T, *routing.Routes) (*routing.Routes, error)
		fits    string // names of rules
		holes   bool   // pairs without a path stay so
	}{
		{"general", throughGeneral, "one, per source, per pair, per hop", true},
		{"RHiNET-2", throughRHiNET2, "one, per source, per pair, per hop", false},
		{"InfiniBand", throughInfiniBand, "one, per source, per pair", false},
	}
	for _, form := range forms {
		for _, rule := range vcRules {
			if !strings.Contains(form.fits, rule.name) {
				continue
			}
			t.Run(form.name+"/"+rule.name, func(t *testing.T) {
				for seed := range uint64(40) {
					rng := rand.New(rand.NewPCG(seed, 3))
					net := nettest.Random(t, rng, 9)
					r := routetest.Trees(t, rng, net, 8, rule.rule)
					if form.holes && rng.IntN(4) == 0 {
						r = routetest.WithHoles(t, rng, r)
					}
					back, err := form.through(t, r)
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					samePaths(t, seed, back, r)
				}
			})
		}
	}
}

// TestTablesKeepEveryAlgorithm takes the routes of all algorithms through all
// forms. Destination-only routes on one virtual channel fit every form.
func TestTablesKeepEveryAlgorithm(t *testing.T) {
	forms := []func(*testing.T, *routing.Routes) (*routing.Routes, error){throughGeneral, throughRHiNET2, throughInfiniBand}
	for _, name := range []string{"torus:4x3", "random:switches=12,degree=4,seed=1"} {
		net := nettest.Generate(t, name, 2)
		for _, a := range routing.Algorithms() {
			for _, destinationOnly := range []bool{false, true} {
				r, err := a.Build(net, routing.Options{DestinationOnly: destinationOnly})
				if err != nil {
					continue // not for this network
				}
				for _, through := range forms {
					back, err := through(t, r)
					if err == nil {
						samePaths(t, 0, back, r)
					} else if destinationOnly && r.VCs == 1 {
						t.Errorf("%s on %s: %v", a.Name, name, err)
					}
				}
			}
		}
	}
}

// TestTablesRefuseExactlyWhatDoesNotFit compares the refusals with the
// definitions of the forms, on routes that often do not fit.
func TestTablesRefuseExactlyWhatDoesNotFit(t *testing.T) {
	refused, accepted := 0, 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 4))
		net := nettest.Random(t, rng, 6)
		r := routetest.RandomMinimal(t, rng, net, 1+rng.IntN(2))
		_, generalErr := NewGeneral(r)
		_, rhinet2Err := NewRHiNET2(r)
		general, rhinet2 := fits(r)
		if (generalErr == nil) != general || (rhinet2Err == nil) != rhinet2 {
			t.Fatalf("seed %d: fits general %v, RHiNET-2 %v; got errors %v, %v", seed, general, rhinet2, generalErr, rhinet2Err)
		}
		for _, err := range []error{generalErr, rhinet2Err} {
			if err == nil {
				accepted++
				continue
			}
			refused++
			if !strings.Contains(err.Error(), "switch s") || !strings.Contains(err.Error(), "the path from h") {
				t.Fatalf("seed %d: %q names no switch and path", seed, err)
			}
		}
	}
	if refused < 200 || accepted < 200 {
		t.Errorf("%d refused and %d accepted are a poor sample", refused, accepted)
	}
}

// fits decides by definition: every key has one value.
func fits(r *routing.Routes) (general, rhinet2 bool) {
	general, rhinet2 = true, true
	values := map[string]string{}
	one := func(key string, value ...int) bool {
		old, ok := values[key]
		values[key] = fmt.Sprint(value)
		return !ok || old == values[key]
	}
	for src := range r.Net.EndPoints {
		for dst := range r.Net.EndPoints {
			id := r.PathID(src, dst)
			if src == dst || id < 0 {
				continue
			}
			steps(r, src, dst, func(p passage) {
				general = one(fmt.Sprint("general", p.sw, p.in, p.inVC, dst), p.out, p.outVC) && general
				rhinet2 = one(fmt.Sprint("output", p.sw, dst), p.out) && rhinet2
				rhinet2 = one(fmt.Sprint("change", p.sw, p.in, p.out), p.outVC-p.inVC) && p.outVC >= p.inVC && rhinet2
			})
		}
	}
	return general, rhinet2
}
