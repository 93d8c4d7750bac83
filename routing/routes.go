package routing

import (
	"fmt"
	"math"

	"musubi/topology"
)

// MaxVCs is the largest number of virtual channels per link.
const MaxVCs = 256

const (
	maxChannels = 1 << 24        // largest number that a Hop can name
	maxSwitches = 1 << 14        // pairs of switches take 8 bytes each
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
// Paths are stored per ordered pair of switches, in a small matrix of variants:
// the i-th end point of the source switch and the j-th of the destination
// switch use variant (i mod rows, j mod cols).
type Routes struct {
	Algorithm string
	Net       *topology.Network
	VCs       int // virtual channels used on every link, at least 1

	local []int32  // per end point: its index among those of its switch
	pairs []pair   // source switch * switches + destination switch
	start []uint32 // path p is hops[start[p]:start[p+1]]
	hops  []Hop
	idle  []uint8 // per path: VC on the host links if the path is empty
	holes []bool  // per path: it stands for the lack of one; may be shorter than idle

	faults []Fault // found in the tables from which the routes were read
}

// pair locates the variants of one ordered pair of switches. rows is 0 where
// there is no path.
type pair struct {
	first      uint32
	rows, cols uint16
}

// Builder collects paths into Routes.
type Builder struct{ r Routes }

// NewBuilder starts an empty set of routes for net.
func NewBuilder(algorithm string, net *topology.Network, vcs int) (*Builder, error) {
	if vcs < 1 || vcs > MaxVCs {
		return nil, fmt.Errorf("%s: %d virtual channels; expected 1 to %d", algorithm, vcs, MaxVCs)
	}
	if err := checkSize(net); err != nil {
		return nil, fmt.Errorf("%s: %w", algorithm, err)
	}
	n := len(net.Switches)
	b := &Builder{Routes{Algorithm: algorithm, Net: net, VCs: vcs, pairs: make([]pair, n*n), start: []uint32{0}}}
	b.r.local = make([]int32, len(net.EndPoints))
	for s := range n {
		for i, e := range net.EndPointsAt(s) {
			b.r.local[e] = int32(i)
		}
	}
	return b, nil
}

// checkSize fails if a network is too large for routes.
func checkSize(net *topology.Network) error {
	if n := net.Channels(); n > maxChannels {
		return fmt.Errorf("the network has %d channels; at most %d can be routed", n, maxChannels)
	}
	if n := len(net.Switches); n > maxSwitches {
		return fmt.Errorf("the network has %d switches; at most %d can be routed", n, maxSwitches)
	}
	return nil
}

// Variants starts a pair of switches whose paths form a matrix of rows (by
// source end point) and cols (by destination end point). The caller then adds
// rows*cols paths, row by row, with Add.
func (b *Builder) Variants(src, dst, rows, cols int) {
	b.r.pairs[src*len(b.r.Net.Switches)+dst] = pair{uint32(len(b.r.start) - 1), uint16(rows), uint16(cols)}
}

// Add appends a path to the pair that Variants started last. It copies p. vc is
// the virtual channel on the links of the hosts if p is empty.
func (b *Builder) Add(p Path, vc int) {
	b.r.hops = append(b.r.hops, p...)
	b.r.start = append(b.r.start, uint32(len(b.r.hops)))
	b.r.idle = append(b.r.idle, uint8(vc))
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
func (b *Builder) Routes() *Routes { return &b.r }

// NumPaths returns the number of stored paths; they are numbered from 0.
func (r *Routes) NumPaths() int { return len(r.start) - 1 }

// PathByID returns path number id. The caller must not change it.
func (r *Routes) PathByID(id int) Path { return r.hops[r.start[id]:r.start[id+1]] }

// PathID returns the number of the path between two end points, or -1 if there
// is none. It does not allocate.
func (r *Routes) PathID(src, dst int) int {
	eps := r.Net.EndPoints
	p := r.pairs[eps[src].At.Switch*len(r.Net.Switches)+eps[dst].At.Switch]
	if p.rows == 0 {
		return -1
	}
	i, j := int(r.local[src])%int(p.rows), int(r.local[dst])%int(p.cols)
	id := int(p.first) + i*int(p.cols) + j
	if r.hole(id) {
		return -1
	}
	return id
}

func (r *Routes) hole(id int) bool { return id < len(r.holes) && r.holes[id] }

// Path returns the path between two end points, and false if there is none. The
// caller must not change it.
func (r *Routes) Path(src, dst int) (Path, bool) {
	id := r.PathID(src, dst)
	if id < 0 {
		return nil, false
	}
	return r.PathByID(id), true
}

// HostVCs returns the virtual channels on the links from the source and to the
// destination for path id: those of the first and last hop.
func (r *Routes) HostVCs(id int) (in, out int) {
	p := r.PathByID(id)
	if len(p) == 0 {
		return int(r.idle[id]), int(r.idle[id])
	}
	return p[0].VC(), p[len(p)-1].VC()
}

// SwitchPaths calls f with the numbers of all stored paths from switch src to
// switch dst: row i (of source end points) and column j (of destination end
// points) of a matrix of rows times cols.
func (r *Routes) SwitchPaths(src, dst int, f func(i, j, rows, cols, id int)) {
	p := r.pairs[src*len(r.Net.Switches)+dst]
	for i := range int(p.rows) {
		for j := range int(p.cols) {
			if id := int(p.first) + i*int(p.cols) + j; !r.hole(id) {
				f(i, j, int(p.rows), int(p.cols), id)
			}
		}
	}
}
