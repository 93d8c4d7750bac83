package routing

import (
	"runtime"
	"sync"

	"musubi/topology"
)

// use is a stored path with the pairs of end points that it serves, or the pairs without a path. It changes with the next
// call of who gets it.
type use struct {
	Pair           // one of them; hosts are preferred
	id       int   // the path, -1 if there is none
	path     Path  // the same
	in       int   // its virtual channel on the link from the source
	pairs    int64 // how many ordered pairs of different end points
	hosts    int64 // how many of them are pairs of hosts
	classes  classSet
	src, dst int // switches
}

// uses calls f for every path that some pair of different end points uses, and
// for every hole, in order of source and destination switch. Paths between end
// points of one switch are visited once per pair.
func (r *Routes) uses(f func(*use)) {
	ends := endSwitches(r.Net)
	r.usesFrom(ends, ends, f)
}

// usesFrom is uses for some sources; ends are all switches with end points.
func (r *Routes) usesFrom(sources, ends []int, f func(*use)) {
	v := visitor{r: r, census: takeCensus(r.Net), f: f}
	for _, src := range sources {
		for _, dst := range ends {
			if src == dst {
				v.local(src)
			} else {
				v.remote(src, dst)
			}
		}
	}
}

// fewPairs is a number of pairs of switches that are not worth several goroutines.
const fewPairs = 1 << 12

// usesInParts visits the uses in as many parts as there are cores, each with a range of sources in
// a goroutine of its own. part is called first for each, in order, and returns the function that
// takes the uses.
func (r *Routes) usesInParts(part func() func(*use)) {
	ends := endSwitches(r.Net)
	parts := runtime.GOMAXPROCS(0)
	if len(ends)*len(ends) < fewPairs {
		parts = 1
	}
	var group sync.WaitGroup
	for i := range parts {
		f, sources := part(), ends[i*len(ends)/parts:(i+1)*len(ends)/parts]
		group.Go(func() { r.usesFrom(sources, ends, f) })
	}
	group.Wait()
}

// visitor is the state of uses.
type visitor struct {
	r      *Routes
	census census
	f      func(*use)
	use    use
}

// visit calls f for the use, whose path is yet to be found.
func (v *visitor) visit() {
	u := &v.use
	switch {
	case v.r.Computed():
		u.path, u.in, _, _ = v.r.PathInto(u.path, u.Src, u.Dst)
	case u.id >= 0:
		u.path, u.in, _ = v.r.stored(u.id)
	default:
		u.path, u.in = nil, 0
	}
	v.f(u)
}

func (v *visitor) local(s int) {
	net := v.r.Net
	for _, a := range net.EndPointsAt(s) {
		for _, b := range net.EndPointsAt(s) {
			if a == b {
				continue
			}
			u := &v.use
			u.Pair, u.src, u.dst, u.pairs, u.hosts = Pair{int(a), int(b)}, s, s, 1, 0
			u.id = v.r.PathID(u.Src, u.Dst)
			u.classes = pairClasses(1<<net.KindOf(u.Src), 1<<net.KindOf(u.Dst))
			if u.classes == hostToHost {
				u.hosts = 1
			}
			v.visit()
		}
	}
}

func (v *visitor) remote(src, dst int) {
	from, to := v.r.Net.EndPointsAt(src), v.r.Net.EndPointsAt(dst)
	rows, cols, first := v.r.shape(src, dst)
	u := &v.use
	u.src, u.dst, u.id = src, dst, -1
	exists := rows > 0
	rows, cols = max(rows, 1), max(cols, 1)
	for i := range min(rows, len(from)) {
		u.Src = int(from[i])
		sources := v.census.group(src, i, rows)
		for j := range min(cols, len(to)) {
			u.Dst = int(to[j])
			switch {
			case v.r.Computed():
				u.id = v.r.PathID(u.Src, u.Dst)
			case exists:
				u.id = v.r.unlessHole(first + i*cols + j)
			}
			sinks := v.census.group(dst, j, cols)
			u.pairs = int64(sources.size) * int64(sinks.size)
			u.hosts = int64(sources.hosts) * int64(sinks.hosts)
			u.classes = pairClasses(sources.kinds, sinks.kinds)
			v.visit()
		}
	}
}

// census counts the end points of each kind at each switch. End points of a switch are ordered by
// kind, so those of kind k have the local indices first[k] to first[k+1]-1.
type census struct {
	first [][numKinds + 1]int
	whole []group // of each switch
}

func takeCensus(net *topology.Network) census {
	c := census{make([][numKinds + 1]int, len(net.Switches)), make([]group, len(net.Switches))}
	for s := range net.Switches {
		for _, e := range net.EndPointsAt(s) {
			for k := int(net.KindOf(int(e))) + 1; k <= numKinds; k++ {
				c.first[s][k]++
			}
		}
		c.whole[s] = c.count(s, 0, 1)
	}
	return c
}

// group is the end points of a switch that share a row or column of variants.
type group struct {
	kinds       kindSet
	size, hosts int
}

// group describes the end points of switch s whose local index is i modulo m.
func (c *census) group(s, i, m int) group {
	if m == 1 {
		return c.whole[s]
	}
	return c.count(s, i, m)
}

// count counts them.
func (c *census) count(s, i, m int) group {
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
