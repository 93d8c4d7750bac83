package routing

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"musubi/routing/internal/ways"
	"musubi/topology"
)

// plan is an algorithm for one network: the legal paths, and the virtual channels of a path.
type plan struct {
	net   *topology.Network
	opt   Options
	guide ways.Guide
	// lanes is the number of disjoint sets of virtual channels, each laneVCs wide,
	// over which sources are spread. A packet stays in the lane of its source.
	lanes, laneVCs int
	// assign sets the virtual channels of a path, counted from 0 within its lane.
	// nil leaves them at 0.
	assign func(p Path) error
	// remembers says that assign depends on the paths before, so that these must come in order.
	remembers bool

	atlas *ways.Atlas
}

// spareLanes makes use of virtual channels beyond the need of an algorithm: they
// become further lanes, which only spreads the traffic (as in section 4 of the
// RHiNET-2 paper).
func (p *plan) spareLanes(need int) error {
	p.laneVCs = need
	p.lanes = 1
	if p.opt.VCs == 0 {
		return nil
	}
	p.lanes = p.opt.VCs / need
	if p.lanes == 0 {
		return fmt.Errorf("%s needs %d virtual channels on this network, %d given", p.opt.algorithm, need, p.opt.VCs)
	}
	return nil
}

// lane returns the lane of the i-th end point of a switch; end points take lanes in turn, counted
// over the whole network.
func (p *plan) lane(sw, i int) int { return (int(p.net.EndPointsAt(sw)[0]) + i) % p.lanes }

// oneLane makes all packets share the virtual channels 0 to vcs-1.
func (p *plan) oneLane(vcs int) { p.lanes, p.laneVCs = 1, vcs }

// build selects a path for every pair of end points.
func (p *plan) build() (*Routes, error) {
	if p.opt.trees {
		return p.buildTrees()
	}
	b, err := NewBuilder(p.opt.algorithm, p.net, p.lanes*p.laneVCs)
	if err != nil {
		return nil, err
	}
	ends := endSwitches(p.net)
	p.atlas = ways.NewAtlas(p.guide, ends)
	sel := newSelector(p)
	worker := func() func(int, *sheaf) *sheaf {
		find := p.atlas.Finder()
		return func(i int, s *sheaf) *sheaf {
			if s == nil {
				s = new(sheaf)
			}
			s.ways = find(i, s.ways)
			if !p.remembers {
				s.err = p.gather(s, sel, i)
			}
			return s
		}
	}
	err = ways.InOrder(len(ends), worker, func(i int, s *sheaf) error {
		if p.remembers {
			s.err = p.gather(s, sel, i)
		}
		if s.err != nil {
			return s.err
		}
		b.addSheaf(s, i)
		p.atlas.Forget(i)
		return cmp.Or(b.Check(), b.foresee(i+1, len(ends)))
	})
	if err != nil {
		return nil, err
	}
	b.bySource()
	return b.Routes(), nil
}

// gather fills s with the paths to the i-th switch with end points.
func (p *plan) gather(s *sheaf, sel *selector, i int) error {
	s.reset()
	dst := p.atlas.Ends[i]
	if !sel.bySource() {
		s.steps.set(sel, s.ways, dst, p.columns(dst))
	}
	for k, src := range p.atlas.Ends {
		x := s.ways.Entry[k]
		if x < 0 {
			return p.noPath(src, dst)
		}
		if err := p.pair(s, sel, x, src, dst); err != nil {
			return err
		}
		s.pair.store(s)
	}
	return nil
}

func (p *plan) noPath(src, dst int) error {
	return fmt.Errorf("%s finds no legal path from switch %s to %s", p.opt.algorithm, p.net.SwitchName(src), p.net.SwitchName(dst))
}

// pair fills the variants of s with the paths from src to dst, which begin at place x.
func (p *plan) pair(s *sheaf, sel *selector, x int32, src, dst int) error {
	v := &s.pair
	rows, cols := p.shape(src, dst)
	v.reset(rows, cols)
	for i := range rows {
		base := p.lane(src, i) * p.laneVCs
		for j := range cols {
			path := s.walk(v.next(), sel, x, i, j)
			if p.assign != nil {
				if err := p.assign(path); err != nil {
					return err
				}
			}
			for k := range path {
				path[k] += Hop(base)
			}
			v.keep(path, uint8(base))
		}
	}
	return nil
}

// sheaf is the paths from all switches with end points to one of them.
type sheaf struct {
	ways  *ways.Ways
	steps steps
	pair  variants
	err   error

	shapes []pair // by source; first counts from the first path here
	start  []uint32
	hops   []Hop
	idle   []uint8
}

func (s *sheaf) reset() {
	s.shapes, s.start, s.hops, s.idle = s.shapes[:0], s.start[:0], s.hops[:0], s.idle[:0]
}

// walk appends to path the channels from place x, where packets of a switch begin, for its i-th end point and the j-th of
// the destination.
func (s *sheaf) walk(path Path, sel *selector, x int32, i, j int) Path {
	if sel.bySource() {
		return sel.spread(path, s.ways, x, i)
	}
	return s.steps.walk(path, x, j)
}

// add appends a path.
func (s *sheaf) add(p Path, idle uint8) {
	s.hops = append(s.hops, p...)
	s.start = append(s.start, uint32(len(s.hops)))
	s.idle = append(s.idle, idle)
}

// addSheaf appends the paths to the i-th switch with end points.
func (b *Builder) addSheaf(s *sheaf, i int) {
	r := &b.r
	paths := uint32(r.NumPaths())
	for k, at := range s.shapes {
		at.first += paths
		r.pairs[k*r.ends+i] = at
	}
	start := uint32(0)
	for k, end := range s.start {
		b.Add(s.hops[start:end], int(s.idle[k]))
		start = end
	}
}

// maxVariants is the largest number of rows or columns that Routes can hold.
const maxVariants = math.MaxUint16

// shape returns how many rows (by source) and columns (by destination) of paths
// may differ between two switches.
func (p *plan) shape(src, dst int) (rows, cols int) {
	sources := min(len(p.net.EndPointsAt(src)), maxVariants)
	rows, cols = min(p.lanes, sources), 1
	switch {
	case src == dst:
	case p.opt.Selection == Spread && !p.opt.DestinationOnly:
		rows = sources
	default:
		cols = p.columns(dst)
	}
	return rows, cols
}

// columns returns how many paths that differ by the destination may lead to a switch, unless they differ by the source.
func (p *plan) columns(dst int) int {
	if p.opt.Selection == LowPort {
		return 1
	}
	return min(len(p.net.EndPointsAt(dst)), maxVariants)
}

// variants is the matrix of paths of one pair of switches.
type variants struct {
	rows, cols int
	hops       Path
	start      []int32 // path k is hops[start[k]:start[k+1]]
	idle       []uint8
}

func (v *variants) reset(rows, cols int) {
	v.rows, v.cols = rows, cols
	v.hops = v.hops[:0]
	v.start = append(v.start[:0], 0)
	v.idle = v.idle[:0]
}

// next returns the room after the last path, to which a path is to be appended.
func (v *variants) next() Path { return v.hops[len(v.hops):] }

// keep appends a path that begins in the room that next returned, or a copy of it
// if it outgrew the room.
func (v *variants) keep(p Path, idle uint8) {
	v.hops = append(v.hops, p...)
	v.start = append(v.start, int32(len(v.hops)))
	v.idle = append(v.idle, idle)
}

func (v *variants) path(i, j int) Path {
	k := i*v.cols + j
	return v.hops[v.start[k]:v.start[k+1]]
}

// same reports whether two elements of the matrix are the same path.
func (v *variants) same(i, j, i2, j2 int) bool {
	return v.idle[i*v.cols+j] == v.idle[i2*v.cols+j2] && slices.Equal(v.path(i, j), v.path(i2, j2))
}

// store adds the matrix to s, cut down to the rows and columns after which it
// repeats.
func (v *variants) store(s *sheaf) {
	rows := period(v.rows, func(i, i2 int) bool {
		for j := range v.cols {
			if !v.same(i, j, i2, j) {
				return false
			}
		}
		return true
	})
	cols := period(v.cols, func(j, j2 int) bool {
		for i := range rows {
			if !v.same(i, j, i, j2) {
				return false
			}
		}
		return true
	})
	s.shapes = append(s.shapes, pair{uint32(len(s.idle)), uint16(rows), uint16(cols)})
	for i := range rows {
		for j := range cols {
			s.add(v.path(i, j), v.idle[i*v.cols+j])
		}
	}
}

// period returns the least p such that elements i and i mod p are the same for
// all i below n.
func period(n int, same func(i, j int) bool) int {
	for p := 1; p < n; p++ {
		i := p
		for i < n && same(i, i%p) {
			i++
		}
		if i == n {
			return p
		}
	}
	return n
}
