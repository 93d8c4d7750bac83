package maxmin

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naive fills all resources from scratch: it raises the rates of all flows together, and stops those
// on the resource that is full first, one resource after the other.
func naive(resources int, flows map[int32][]Use) map[int32]float64 {
	rates := map[int32]float64{}
	for len(rates) < len(flows) {
		lowest, at := math.Inf(1), -1
		for r := range resources {
			free, cost := 1.0, 0.0
			for id, uses := range flows {
				for _, u := range uses {
					if rate, done := rates[id]; int(u.Resource) == r && done {
						free -= rate * u.Cost
					} else if int(u.Resource) == r {
						cost += u.Cost
					}
				}
			}
			if cost > 0 && free/cost < lowest {
				lowest, at = free/cost, r
			}
		}
		stopped := []int32{}
		for id, uses := range flows {
			for _, u := range uses {
				if _, done := rates[id]; int(u.Resource) == at && !done {
					stopped = append(stopped, id)
					break
				}
			}
		}
		for _, id := range stopped {
			rates[id] = lowest
		}
	}
	return rates
}

// TestSharesAreThoseOfWaterFilling changes random sets of flows on random networks, and compares each
// solution with one from scratch. There are no more flows than up to which solutions are exact.
func TestSharesAreThoseOfWaterFilling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		resources := rapid.IntRange(1, 12).Draw(t, "resources")
		even := rapid.Bool().Draw(t, "even costs")
		flows := map[int32][]Use{}
		var s Sharing
		for range rapid.IntRange(1, 25).Draw(t, "changes") {
			due := false
			for range rapid.IntRange(1, 4).Draw(t, "at once") {
				if ids := keys(flows); len(ids) == few || len(ids) > 0 && rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
					id := rapid.SampledFrom(ids).Draw(t, "flow")
					due = s.Remove(id) || due
					delete(flows, id)
					continue
				}
				uses := drawUses(t, resources, even)
				id, alone := s.AddAlone(uses)
				if !alone {
					id, due = s.Add(uses), true
				}
				flows[id] = uses
			}
			if due {
				s.Solve()
			}
			check(t, &s, resources, flows)
		}
	})
}

func keys(flows map[int32][]Use) (ids []int32) {
	for id := range int32(1000) {
		if _, ok := flows[id]; ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func drawUses(t *rapid.T, resources int, even bool) (uses []Use) {
	for _, r := range rapid.Permutation(numbers(resources)).Draw(t, "resources of flow")[:rapid.IntRange(1, min(5, resources)).Draw(t, "uses")] {
		cost := 1.0
		if !even {
			cost = float64(rapid.IntRange(1, 30).Draw(t, "cost")) / 10
		}
		uses = append(uses, Use{int32(r), cost})
	}
	return uses
}

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

func check(t *rapid.T, s *Sharing, resources int, flows map[int32][]Use) {
	want := naive(resources, flows)
	for id, uses := range flows {
		if got := s.Rate(id); math.Abs(got-want[id]) > 1e-6*want[id] {
			t.Fatalf("flow %d with uses %v has rate %v; water filling gives %v", id, uses, got, want[id])
		}
		full := false
		for _, u := range uses {
			full = full || u.Resource == s.Bottleneck(id) && load(s, u.Resource) > 1-1e-6
		}
		if !full {
			t.Fatalf("flow %d with uses %v has bottleneck %d, which is not full", id, uses, s.Bottleneck(id))
		}
	}
	for r := range int32(resources) {
		if load := load(s, r); load > 1+1e-6 {
			t.Fatalf("resource %d has load %v", r, load)
		}
	}
}

// load returns the part of a resource's capacity that its flows use.
func load(s *Sharing, id int32) float64 {
	if int(id) >= len(s.resources) {
		return 0
	}
	load := 0.0
	for _, u := range s.resources[id].users {
		f := &s.flows[u.flow]
		load += f.rate * f.uses[u.use].Cost
	}
	return load
}

// TestManyFlows changes many flows on random routes. Rates are fair to within what the package says,
// however long that goes on.
func TestManyFlows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	routes := torusRoutes(6, 600, rng)
	var s Sharing
	present := map[int32][]Use{}
	for step := range 3000 {
		if ids := keys(present); len(ids) > 0 && rng.IntN(3) == 0 || len(ids) > 400 {
			id := ids[rng.IntN(len(ids))]
			s.Remove(id)
			delete(present, id)
		} else {
			uses := routes[rng.IntN(len(routes))]
			present[s.Add(uses)] = uses
		}
		s.Solve()
		if step%100 != 0 {
			continue
		}
		for id, uses := range present {
			fair := false
			for _, u := range uses {
				most, load := 0.0, 0.0
				for _, other := range s.resources[u.Resource].users {
					most = max(most, s.Rate(other.flow))
					load += s.Rate(other.flow)
				}
				if load > 1+1e-6 {
					t.Fatalf("step %d: resource %d has load %v", step, u.Resource, load)
				}
				fair = fair || load > 1-1.1*close && s.Rate(id) > most*(1-3*close)
			}
			if !fair {
				t.Fatalf("step %d: flow %d with uses %v and rate %v has no bottleneck", step, id, uses, s.Rate(id))
			}
		}
	}
}

// TestSolveTellsOfChanges: what Solve returns is what differs from the rates before.
func TestSolveTellsOfChanges(t *testing.T) {
	var s Sharing
	a := s.Add([]Use{{0, 1}, {1, 1}})
	b := s.Add([]Use{{2, 1}})
	tell := func(want ...int32) {
		t.Helper()
		if got := s.Solve(); !slices.Equal(got, want) {
			t.Fatalf("changes of %v; want %v", got, want)
		}
	}
	tell(a, b)
	tell()
	c := s.Add([]Use{{1, 1}})
	tell(c, a)
	s.Remove(c)
	tell(a)
	s.Remove(b)
	tell()
	d := s.Add([]Use{{2, 2}})
	s.Remove(d)
	tell()
}

// torusRoutes is random routes over the links of a torus.
func torusRoutes(side, flows int, rng *rand.Rand) [][]Use {
	routes := make([][]Use, flows)
	for i := range routes {
		x, y := rng.IntN(side), rng.IntN(side)
		toX, toY := rng.IntN(side), rng.IntN(side)
		routes[i] = append(routes[i], Use{int32(2*side*side + i), 1})
		for ; x != toX; x = (x + 1) % side {
			routes[i] = append(routes[i], Use{int32(2 * (y*side + x)), 1})
		}
		for ; y != toY; y = (y + 1) % side {
			routes[i] = append(routes[i], Use{int32(2*(y*side+x) + 1), 1})
		}
	}
	return routes
}

// BenchmarkChange is the cost of a flow that ends and another one that begins, among random routes on
// a torus where all depend on each other.
func BenchmarkChange(b *testing.B) {
	for _, size := range []struct {
		name        string
		side, flows int
	}{{"64flows", 8, 64}, {"1024flows", 32, 1024}} {
		b.Run(size.name, func(b *testing.B) {
			routes := torusRoutes(size.side, size.flows, rand.New(rand.NewPCG(1, 2)))
			var s Sharing
			ids := make([]int32, len(routes))
			for i, r := range routes {
				ids[i] = s.Add(r)
			}
			s.Solve()
			changed := 0
			i := 0
			for b.Loop() {
				at := i * 7 % len(routes)
				s.Remove(ids[at])
				s.Solve()
				ids[at] = s.Add(routes[at])
				changed += len(s.Solve())
				i++
			}
			b.ReportMetric(float64(changed)/float64(i), "changed/op")
		})
	}
}

// BenchmarkSolve is the cost of a solution from scratch.
func BenchmarkSolve(b *testing.B) {
	for _, size := range []struct {
		name        string
		side, flows int
	}{{"64flows", 8, 64}, {"1024flows", 32, 1024}} {
		b.Run(size.name, func(b *testing.B) {
			routes := torusRoutes(size.side, size.flows, rand.New(rand.NewPCG(1, 2)))
			for b.Loop() {
				var s Sharing
				for _, r := range routes {
					s.Add(r)
				}
				s.Solve()
			}
		})
	}
}
