package change

import (
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing/tables"
	"musubi/topology"
)

// small makes a network of 3 to 5 switches and two forwardings of it, each a random tree for every
// destination. Some have several service levels.
func small(t *testing.T, rng *rand.Rand) (old, new *Forwarding) {
	n := 3 + rng.IntN(3)
	var links [][2]int
	for s := range n {
		links = append(links, [2]int{s, (s + 1) % n})
	}
	for range rng.IntN(3) {
		a := rng.IntN(n)
		links = append(links, [2]int{a, (a + 1 + rng.IntN(n-1)) % n})
	}
	net := nettest.New(t, n, links, nettest.Hosts(1))
	levels := 1 + rng.IntN(2)
	return randomTrees(t, rng, net, levels), randomTrees(t, rng, net, levels)
}

func randomTrees(t *testing.T, rng *rand.Rand, net *topology.Network, levels int) *Forwarding {
	f := blank(t, net)
	for d, to := range f.Destinations {
		if to.EndPoint < 0 {
			continue
		}
		next := f.next[d]
		next[to.Switch] = deliver
		reached := []int{to.Switch}
		for len(reached) < len(net.Switches) {
			var open []int32
			for _, s := range reached {
				for _, c := range net.Out(s) {
					if next[f.to(c)] == nowhere {
						open = append(open, c^1)
					}
				}
			}
			c := open[rng.IntN(len(open))]
			from := net.From(int(c)).Switch
			next[from] = c
			reached = append(reached, from)
		}
		for src := range net.EndPoints {
			row := make([]uint8, len(net.EndPoints))
			for i := range row {
				row[i] = uint8(rng.IntN(levels))
			}
			f.Tables.Levels[0][src] = row
		}
	}
	return f.rewritten()
}

// blank is forwarding without entries.
func blank(t *testing.T, net *topology.Network) *Forwarding {
	a, err := tables.AssignLIDs(net)
	if err != nil {
		t.Fatal(err)
	}
	return Read(&tables.InfiniBand{Net: net, Addresses: a, Forward: make([][]uint8, len(net.Switches)), Levels: []tables.PairTable{tables.NewPairTable(len(net.EndPoints))}})
}

// rewritten reads the tables that have the entries of f.
func (f *Forwarding) rewritten() *Forwarding {
	empty := f.clone()
	for _, next := range empty.next {
		for s := range next {
			next[s] = nowhere
		}
	}
	return Read(f.write(empty))
}

// A brute is a transition as seen by somebody who follows all packets, one by one, through all
// orders in which the switches may change.
type brute struct {
	*Transition
	drain []int
	move  map[int]int
}

// mixes reports whether packets close a cycle while switches are in the given stages. A switch that
// is changing may use either table for each packet.
func (b brute) mixes(at []choice) bool {
	deps := make(map[[2]int32]bool)
	b.packets(func(d, src, level int) {
		var go1 func(s int, held int32, path []int32)
		go1 = func(s int, held int32, path []int32) {
			for i, f := range []*Forwarding{b.Old, b.New} {
				c := f.next[d][s]
				if at[s]&(1<<i) == 0 || c < 0 {
					continue
				}
				v := vertex(c, level)
				if held >= 0 {
					deps[[2]int32{held, v}] = true
				}
				if !slices.Contains(path, v) {
					go1(f.to(c), v, append(slices.Clone(path), v))
				}
			}
		}
		go1(src, -1, nil)
	})
	return cyclic(deps)
}

// rushes reports whether packets close a cycle when switches change in an order without waiting:
// a packet on its way sees time go on, and each switch as it is then.
func (b brute) rushes(order []int) bool {
	deps := make(map[[2]int32]bool)
	changed := make(map[int]int)
	for i, s := range order {
		changed[s] = i + 1
	}
	b.packets(func(d, src, level int) {
		var pass func(s, now int, held int32, path [][2]int32)
		pass = func(s, now int, held int32, path [][2]int32) {
			for then := now; then <= len(order); then++ {
				f := b.Old
				if when, ok := changed[s]; ok && then >= when {
					f = b.New
				}
				c := f.next[d][s]
				if c < 0 {
					continue
				}
				v := vertex(c, level)
				if held >= 0 {
					deps[[2]int32{held, v}] = true
				}
				if at := [2]int32{v, int32(then)}; !slices.Contains(path, at) {
					pass(f.to(c), then, v, append(slices.Clone(path), at))
				}
			}
		}
		pass(src, 0, -1, nil)
	})
	return cyclic(deps)
}

// packets calls f for every kind of packet: destination, source and service level, old or new.
func (b brute) packets(f func(d, src, level int)) {
	for d, to := range b.Old.Destinations {
		if to.EndPoint < 0 || slices.Contains(b.drain, d) {
			continue
		}
		for e, p := range b.Old.Net.EndPoints {
			if e == to.EndPoint {
				continue
			}
			levels := []int{b.Old.Tables.Level(e, to.EndPoint, 0), b.New.Tables.Level(e, to.EndPoint, 0)}
			if level, ok := b.move[d]; ok {
				levels = []int{level}
			}
			for _, level := range slices.Compact(levels) {
				f(d, p.At.Switch, level)
			}
		}
	}
}

// cyclic looks for a cycle by taking away what nothing leads to.
func cyclic(deps map[[2]int32]bool) bool {
	for len(deps) > 0 {
		n := len(deps)
		for e := range deps {
			led := false
			for o := range deps {
				led = led || o[1] == e[0]
			}
			if !led {
				delete(deps, e)
			}
		}
		if len(deps) == n {
			return true
		}
	}
	return false
}

// safe reports whether no step of an order closes a cycle.
func (b brute) safe(order []int) bool {
	at := make([]choice, len(b.Old.Net.Switches))
	for s := range at {
		at[s] = useOld
	}
	for _, s := range order {
		at[s] = useBoth
		if b.mixes(at) {
			return false
		}
		at[s] = useNew
	}
	return true
}

// permutations calls f with all orders of a list until it returns false.
func permutations(list []int, f func([]int) bool) bool {
	var permute func(k int) bool
	permute = func(k int) bool {
		if k == len(list) {
			return f(list)
		}
		for i := k; i < len(list); i++ {
			list[k], list[i] = list[i], list[k]
			ok := permute(k + 1)
			list[k], list[i] = list[i], list[k]
			if !ok {
				return false
			}
		}
		return true
	}
	return permute(0)
}

// What a proof says of a transition agrees with following all packets through all orders of updates
// on up to 5 switches.
func TestTransitionsAgreeWithBruteForce(t *testing.T) {
	counts := make(map[string]int)
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 20))
		old, new := small(t, rng)
		p := Prove(old, new, topology.NewLoss())
		b := brute{Transition: p}
		still := make([]choice, len(old.Net.Switches))
		for i, want := range []bool{p.OldFree, p.NewFree} {
			for s := range still {
				still[s] = useOld << i
			}
			// Sources keep levels of the other tables, but those of a side by themselves do not.
			alone := brute{Transition: &Transition{Old: []*Forwarding{old, new}[i], New: []*Forwarding{old, new}[i]}}
			if got := !alone.mixes(still); got != want {
				t.Fatalf("seed %d: side %d is free: %v, expected %v", seed, i, want, got)
			}
		}
		if !p.OldFree || !p.NewFree {
			counts["not free"]++
			continue
		}
		checkTransition(t, seed, b, counts)
	}
	t.Log(counts)
	for _, what := range []string{"any order", "an order", "no order", "lanes", "drain"} {
		if counts[what] < 5 {
			t.Errorf("%d transitions with %s; expected some", counts[what], what)
		}
	}
}

func checkTransition(t *testing.T, seed uint64, b brute, counts map[string]int) {
	t.Helper()
	order := b.FindOrder()
	if b.AnyOrder() {
		counts["any order"]++
		permutations(b.Switches, func(o []int) bool {
			if b.rushes(o) || !b.safe(o) {
				t.Fatalf("seed %d: any order is said to be safe, and %v is not", seed, o)
			}
			return true
		})
		if order.Switches == nil && len(b.Switches) > 0 {
			t.Fatalf("seed %d: any order is safe, and none was found", seed)
		}
		return
	}
	some := !permutations(slices.Clone(b.Switches), func(o []int) bool { return !b.safe(o) })
	switch {
	case !order.Exhausted:
		t.Fatalf("seed %d: the search gave up", seed)
	case (order.Switches != nil) != some:
		t.Fatalf("seed %d: order %v; there is one: %v", seed, order.Switches, some)
	case some && !b.safe(order.Switches):
		t.Fatalf("seed %d: order %v is not safe", seed, order.Switches)
	case some:
		counts["an order"]++
	default:
		counts["no order"]++
	}
	for _, vls := range []int{0, 8} {
		r := b.FindRemedy(vls)
		if len(r.Move) > 0 {
			counts["lanes"]++
		}
		if len(r.Drain) > 0 {
			counts["drain"]++
		}
		if len(r.Move)+len(r.Drain) == 0 {
			t.Fatalf("seed %d: a transition that closes a cycle needs no remedy", seed)
		}
		rest := brute{b.Transition, r.Drain, r.Move}
		permutations(b.Switches, func(o []int) bool {
			if rest.rushes(o) {
				t.Fatalf("seed %d: with %v, order %v closes a cycle", seed, r, o)
			}
			return true
		})
	}
}
