package routing

import (
	"fmt"
	"math"

	"musubi/internal/memory"
	"musubi/topology"
)

// MaxVCs is the largest number of virtual channels per link.
const MaxVCs = 256

const (
	maxChannels = 1 << 24        // largest number that a Hop can name
	maxHops     = math.MaxUint32 // hops of all paths, which are numbered
)

// Hop is one step of a path: a directed channel between two switches and the
// virtual channel used on it.
type Hop uint32

// MakeHop packs a channel number (see topology.Network) and a virtual channel.
func MakeHop(channel, vc int) Hop { return Hop(channel<<8 | vc) }

// Channel returns the directed channel.
func (h Hop) Channel() int { return int(h >> 8) }

// VC returns the virtual channel.
func (h Hop) VC() int { return int(h & 0xff) }

// Path is the sequence of hops of a packet from the switch of its source to the switch of its
// destination. It is empty if both are on one switch.
type Path []Hop

// Routes holds one path for every ordered pair of end points of a network. All algorithms yield it,
// all forms of tables convert to it and from it, proofs examine it, and simulations use it.
//
// Paths are computed when they are needed, if the routing and the network are regular. On large
// networks that forward by destination alone they are kept as trees. Elsewhere
// they are stored per ordered pair of switches with end points, in a small matrix of variants: the
// i-th end point of the source switch and the j-th of the destination switch use variant (i mod
// rows, j mod cols).
type Routes struct {
	Algorithm string
	Net       *topology.Network
	VCs       int // virtual channels used on every link, at least 1

	local    []int32   // per end point: its index among those of its switch
	computed *computed // by a rule or from trees; nil: the paths are stored

	ends  int      // switches with end points
	slot  []int32  // per end point: number of its switch among these
	pairs []pair   // slot of source * ends + slot of destination; nil: each pair has one path, in this order
	paths []stored // and one more, at the end of the hops
	hops  []Hop
	holes []bool // per path: it stands for the lack of one; may be shorter than paths

	faults []Fault // found in the tables from which the routes were read
}

// pair locates the variants of one ordered pair of switches. rows is 0 where
// there is no path.
type pair struct {
	first      uint32
	rows, cols uint16
}

// stored is a path. What a packet needs to start lies together: the hops of all paths do not fit into a cache.
type stored struct {
	first   uint32 // of its hops, which end where those of the next path begin
	in, out uint8  // virtual channels of HostVCs
}

// Builder collects paths into Routes.
type Builder struct {
	r    Routes
	slot []int32 // per switch: its number among those with end points, -1 for others
}

// NewBuilder starts an empty set of routes for net.
func NewBuilder(algorithm string, net *topology.Network, vcs int) (*Builder, error) {
	if vcs < 1 || vcs > MaxVCs {
		return nil, fmt.Errorf("%s: %d virtual channels; expected 1 to %d", algorithm, vcs, MaxVCs)
	}
	if err := checkSize(net); err != nil {
		return nil, fmt.Errorf("%s: %w", algorithm, err)
	}
	ends := endSwitches(net)
	n := len(ends)
	b := &Builder{
		r: Routes{
			Algorithm: algorithm, Net: net, VCs: vcs, local: localNumbers(net),
			ends: n, slot: make([]int32, len(net.EndPoints)), pairs: memory.Large[pair](n * n), paths: make([]stored, 1),
		},
		slot: make([]int32, len(net.Switches)),
	}
	for s := range b.slot {
		b.slot[s] = -1
	}
	for i, s := range ends {
		b.slot[s] = int32(i)
		for _, e := range net.EndPointsAt(s) {
			b.r.slot[e] = int32(i)
		}
	}
	return b, nil
}

// checkSize fails if a network is too large for routes.
func checkSize(net *topology.Network) error {
	if n := net.Channels(); n > maxChannels {
		return fmt.Errorf("the network has %d channels; at most %d can be routed", n, maxChannels)
	}
	return nil
}

// Variants starts a pair of switches whose paths form a matrix of rows (by
// source end point) and cols (by destination end point). The caller then adds
// rows*cols paths, row by row, with Add. They are lost if one of the switches has no end points.
func (b *Builder) Variants(src, dst, rows, cols int) {
	if b.slot[src] < 0 || b.slot[dst] < 0 {
		return
	}
	b.r.pairs[int(b.slot[src])*b.r.ends+int(b.slot[dst])] = pair{uint32(b.r.NumPaths()), uint16(rows), uint16(cols)}
}

// Add appends a path to the pair that Variants started last. It copies p. vc is
// the virtual channel on the links of the hosts if p is empty.
func (b *Builder) Add(p Path, vc int) {
	in, out := vc, vc
	if len(p) > 0 {
		in, out = p[0].VC(), p[len(p)-1].VC()
	}
	last := &b.r.paths[b.r.NumPaths()]
	last.in, last.out = uint8(in), uint8(out)
	b.r.hops = append(b.r.hops, p...)
	b.r.paths = append(b.r.paths, stored{first: uint32(len(b.r.hops))})
}

// AddHole adds an element of the matrix without a path.
func (b *Builder) AddHole() {
	for len(b.r.holes) < b.r.NumPaths() {
		b.r.holes = append(b.r.holes, false)
	}
	b.r.holes = append(b.r.holes, true)
	b.Add(nil, 0)
}

// AddFault records a fault of the tables from which the routes are read.
func (b *Builder) AddFault(f Fault) { b.r.faults = append(b.r.faults, f) }

// Check fails if the paths have more hops together than Routes can number.
func (b *Builder) Check() error { return b.check(maxHops) }

// check fails if the paths have more than limit hops together. More than maxHops cannot be
// numbered.
func (b *Builder) check(limit int) error {
	if len(b.r.hops) > limit {
		return fmt.Errorf("%s: the paths of the network have more than %d hops; expected fewer switches or hosts, or %s as path selection", b.r.Algorithm, limit, LowPort)
	}
	return nil
}

// Routes returns what was built. The Builder must not be used afterwards.
func (b *Builder) Routes() *Routes {
	if b.isPlain() {
		b.r.pairs = nil
	}
	return &b.r
}

// isPlain reports whether each pair has one path, and these are in the order of the pairs.
func (b *Builder) isPlain() bool {
	for i, p := range b.r.pairs {
		if p != (pair{uint32(i), 1, 1}) {
			return false
		}
	}
	return true
}

// Computed reports whether paths are computed when they are needed. Otherwise they are stored.
func (r *Routes) Computed() bool { return r.computed != nil }

// NumPaths returns the number of stored paths; they are numbered from 0.
func (r *Routes) NumPaths() int { return max(len(r.paths)-1, 0) }

// PathByID returns path number id. The caller must not change it.
func (r *Routes) PathByID(id int) Path {
	if r.computed != nil {
		n := len(r.Net.EndPoints)
		return r.path(nil, id/n, id%n)
	}
	p, _, _ := r.stored(id)
	return p
}

// PathID returns the number of the path between two end points, or -1 if there is none. Paths that
// are computed have a number for each pair of end points.
func (r *Routes) PathID(src, dst int) int {
	if r.computed != nil {
		return src*len(r.Net.EndPoints) + dst
	}
	at := int(r.slot[src])*r.ends + int(r.slot[dst])
	if r.pairs == nil {
		return r.unlessHole(at)
	}
	p := r.pairs[at]
	if p.rows == 0 {
		return -1
	}
	i, j := int(r.local[src])%int(p.rows), int(r.local[dst])%int(p.cols)
	return r.unlessHole(int(p.first) + i*int(p.cols) + j)
}

// unlessHole returns the number of a path, or -1 if there is none of that number.
func (r *Routes) unlessHole(id int) int {
	if r.hole(id) {
		return -1
	}
	return id
}

func (r *Routes) hole(id int) bool { return id < len(r.holes) && r.holes[id] }

// Path returns the path between two end points, and false if there is none. The
// caller must not change it.
func (r *Routes) Path(src, dst int) (Path, bool) {
	p, _, _, ok := r.PathInto(nil, src, dst)
	return p, ok
}

// PathInto is Path with the virtual channels on the links from the source and to the destination.
// If paths are computed, the result takes the place of buf, which must be nil or the result of an
// earlier call for Routes that are Computed; so a caller who keeps it need not allocate.
func (r *Routes) PathInto(buf Path, src, dst int) (p Path, in, out int, ok bool) {
	if r.computed == nil {
		id := r.PathID(src, dst)
		if id < 0 {
			return nil, 0, 0, false
		}
		p, in, out = r.stored(id)
		return p, in, out, true
	}
	p = r.path(buf[:0], src, dst)
	if len(p) == 0 {
		in = int(r.computed.base[src])
		return p, in, in, true
	}
	return p, p[0].VC(), p[len(p)-1].VC(), true
}

// HostVCs returns the virtual channels on the links from the source and to the
// destination for path id: those of the first and last hop.
func (r *Routes) HostVCs(id int) (in, out int) {
	if r.computed != nil {
		n := len(r.Net.EndPoints)
		_, in, out, _ = r.PathInto(nil, id/n, id%n)
		return in, out
	}
	_, in, out = r.stored(id)
	return in, out
}

// stored returns a path that is not computed, with the virtual channels of HostVCs.
func (r *Routes) stored(id int) (p Path, in, out int) {
	at, next := r.paths[id], r.paths[id+1]
	return r.hops[at.first:next.first], int(at.in), int(at.out)
}

// shape returns how many rows and columns of variants a pair of switches with end points has; no
// rows: there is no path. If they are stored, the first has number first.
func (r *Routes) shape(src, dst int) (rows, cols, first int) {
	if r.computed != nil {
		rows, cols = r.computed.shape(r.Net, src, dst)
		return rows, cols, 0
	}
	at := int(r.slot[r.Net.EndPointsAt(src)[0]])*r.ends + int(r.slot[r.Net.EndPointsAt(dst)[0]])
	if r.pairs == nil {
		return 1, 1, at
	}
	p := r.pairs[at]
	return int(p.rows), int(p.cols), int(p.first)
}

// SwitchPaths calls f with the numbers of all paths from switch src to switch dst: row i (of
// source end points) and column j (of destination end points) of a matrix of rows times cols.
func (r *Routes) SwitchPaths(src, dst int, f func(i, j, rows, cols, id int)) {
	from, to := r.Net.EndPointsAt(src), r.Net.EndPointsAt(dst)
	if len(from) == 0 || len(to) == 0 {
		return
	}
	rows, cols, _ := r.shape(src, dst)
	for i := range rows {
		for j := range cols {
			if id := r.PathID(int(from[i%len(from)]), int(to[j%len(to)])); id >= 0 {
				f(i, j, rows, cols, id)
			}
		}
	}
}

// Longest returns the number of hops of a longest path.
func (r *Routes) Longest() int {
	if r.computed != nil {
		return r.computed.rule.longest()
	}
	n := 0
	for id := range r.NumPaths() {
		n = max(n, len(r.PathByID(id)))
	}
	return n
}
