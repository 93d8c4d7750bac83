package routing

import "musubi/topology"

// use is a stored path with the pairs of end points that it serves, or the pairs without a path.
type use struct {
	Pair           // one of them; hosts are preferred
	id       int   // the path, -1 if there is none
	pairs    int64 // how many ordered pairs of different end points
	hosts    int64 // how many of them are pairs of hosts
	classes  classSet
	src, dst int // switches
}

// uses calls f for every path that some pair of different end points uses, and
// for every hole, in order of source and destination switch. Paths between end
// points of one switch are visited once per pair.
func (r *Routes) uses(f func(use)) {
	c := takeCensus(r.Net)
	for src := range r.Net.Switches {
		for dst := range r.Net.Switches {
			if src == dst {
				r.localUses(src, f)
			} else {
				r.remoteUses(src, dst, c, f)
			}
		}
	}
}

func (r *Routes) localUses(s int, f func(use)) {
	for _, a := range r.Net.EndPointsAt(s) {
		for _, b := range r.Net.EndPointsAt(s) {
			if a == b {
				continue
			}
			from, to := r.Net.KindOf(int(a)), r.Net.KindOf(int(b))
			u := use{Pair: Pair{int(a), int(b)}, id: r.PathID(int(a), int(b)), pairs: 1, src: s, dst: s}
			u.classes = pairClasses(1<<from, 1<<to)
			if u.classes == hostToHost {
				u.hosts = 1
			}
			f(u)
		}
	}
}

func (r *Routes) remoteUses(src, dst int, c census, f func(use)) {
	from, to := r.Net.EndPointsAt(src), r.Net.EndPointsAt(dst)
	p := r.pairs[src*len(r.Net.Switches)+dst]
	rows, cols := max(int(p.rows), 1), max(int(p.cols), 1)
	for i := range min(rows, len(from)) {
		sources := c.group(src, i, rows)
		for j := range min(cols, len(to)) {
			sinks := c.group(dst, j, cols)
			a, b := int(from[i]), int(to[j])
			f(use{
				Pair: Pair{a, b}, id: r.PathID(a, b), src: src, dst: dst,
				pairs:   int64(sources.size) * int64(sinks.size),
				hosts:   int64(sources.hosts) * int64(sinks.hosts),
				classes: pairClasses(sources.kinds, sinks.kinds),
			})
		}
	}
}

// census counts the end points of each kind at each switch. End points of a switch are ordered by
// kind, so those of kind k have the local indices first[k] to first[k+1]-1.
type census struct {
	first [][numKinds + 1]int
}

func takeCensus(net *topology.Network) census {
	c := census{make([][numKinds + 1]int, len(net.Switches))}
	for s := range net.Switches {
		for _, e := range net.EndPointsAt(s) {
			for k := int(net.KindOf(int(e))) + 1; k <= numKinds; k++ {
				c.first[s][k]++
			}
		}
	}
	return c
}

// group is the end points of a switch that share a row or column of variants.
type group struct {
	kinds       kindSet
	size, hosts int
}

// group describes the end points of switch s whose local index is i modulo m.
func (c census) group(s, i, m int) group {
	var g group
	for k := range numKinds {
		n := residues(c.first[s][k+1], i, m) - residues(c.first[s][k], i, m)
		if n > 0 {
			g.kinds |= 1 << k
			g.size += n
		}
		if topology.Kind(k) == topology.Host {
			g.hosts = n
		}
	}
	return g
}

// residues returns how many numbers from 0 to n-1 are i modulo m.
func residues(n, i, m int) int { return (n - i + m - 1) / m }
