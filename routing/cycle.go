package routing

import "slices"

// cycle returns a shortest cycle that traffic of some classes closes, with the
// end points whose paths close it; nil if there is none.
func (v *verifier) cycle(all []*Routes, classes classSet) []Dependency {
	vertices := v.graph.shortestCycle(classes)
	if vertices == nil {
		return nil
	}
	w := witnessSearch{
		verifier: v,
		classes:  classes,
		position: make(map[Hop]int, len(vertices)),
		found:    make([]Dependency, len(vertices)),
		class:    make([]classSet, len(vertices)),
	}
	for i, vertex := range vertices {
		w.found[i].Hop = v.graph.hop(vertex)
		w.position[w.found[i].Hop] = i
	}
	for _, r := range all {
		w.r = r
		r.uses(w.look)
	}
	return w.found
}

// witnessSearch is the state of the search for the paths that close a cycle. It
// prefers those among hosts.
type witnessSearch struct {
	*verifier
	classes  classSet    // that count
	position map[Hop]int // in the cycle
	found    []Dependency
	class    []classSet // class of each witness so far; the lowest is the best
}

// look checks whether a path makes dependencies of the cycle.
func (w *witnessSearch) look(u *use) {
	classes := u.classes & w.classes
	if u.id < 0 || classes == 0 {
		return
	}
	class := classes & -classes
	p := u.path
	for i := 1; i < len(p); i++ {
		k, on := w.position[p[i-1]]
		if !on || p[i] != w.found[(k+1)%len(w.found)].Hop {
			continue
		}
		better := w.class[k] == 0 || class < w.class[k]
		if better && w.malformed(u) == nil {
			w.found[k].By, w.found[k].Path, w.class[k] = w.r.pairOf(u, class), slices.Clone(p), class // not to keep the memory of all
		}
	}
}

// pairOf returns the first pair of a class that uses a path.
func (r *Routes) pairOf(u *use, class classSet) Pair {
	for _, a := range r.Net.EndPointsAt(u.src) {
		for _, b := range r.Net.EndPointsAt(u.dst) {
			p := Pair{int(a), int(b)}
			if pairClasses(1<<r.Net.KindOf(p.Src), 1<<r.Net.KindOf(p.Dst)) == class && r.PathID(p.Src, p.Dst) == u.id {
				return p
			}
		}
	}
	return u.Pair
}

// cycleClasses returns the minimal sets of classes whose dependencies close a
// cycle.
func cycleClasses(g *dependencies) [][]Class {
	var present classSet
	for _, next := range g.next {
		for _, e := range next {
			present |= e.classes
		}
	}
	var minimal []classSet
	for _, s := range present.subsets() {
		if !containsSubset(minimal, s) && g.cyclic(s) {
			minimal = append(minimal, s)
		}
	}
	lists := make([][]Class, len(minimal))
	for i, s := range minimal {
		lists[i] = s.list()
	}
	return lists
}

func containsSubset(sets []classSet, of classSet) bool {
	for _, s := range sets {
		if s&of == s {
			return true
		}
	}
	return false
}
