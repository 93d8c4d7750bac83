package routing

import (
	"fmt"
	"slices"

	"musubi/topology"
)

// Pair names two end points: source and destination of packets.
type Pair struct{ Src, Dst int }

// Dependency is one edge of a cycle of channel dependencies: packets that hold
// Hop may wait for the Hop of the next Dependency of the cycle.
type Dependency struct {
	Hop Hop
	// By is a pair of end points whose Path goes over both.
	By   Pair
	Path Path
}

// Proof is the result of verifying Routes.
type Proof struct {
	Net *topology.Network

	// Pairs counts the ordered pairs of different end points, Unreachable those
	// without a path (once per Routes); FirstUnreachable is one of them.
	Pairs, Unreachable int64
	FirstUnreachable   Pair

	// Malformed counts stored paths that do not lead from the switch of the source to the switch
	// of the destination, leave the virtual channels, or use a channel twice. FirstMalformed
	// describes one of them. Only well-formed paths contribute channel dependencies.
	Malformed      int
	FirstMalformed error

	// Channels and Dependencies are the size of the channel dependency graph; 0 if there is a
	// Structure.
	Channels, Dependencies int

	// Structure is why routes that are computed have well-formed paths and no cycle of
	// dependencies, in a few words. It is empty if all paths have been looked at.
	Structure string

	// Cycle is a shortest cycle of the channel dependency graph, nil if there is
	// none. The last element depends on the first.
	Cycle []Dependency

	// CycleClasses lists the smallest sets of traffic classes that close a cycle:
	// none of the sets holds another one, and traffic that leaves out at least one
	// class of each is free of deadlock.
	CycleClasses [][]Class

	// Faults lists the faults of the tables from which the routes were read, at most one of each
	// kind.
	Faults []Fault

	cycleAmong func(classSet) []Dependency // nil if there is no cycle
}

// DeadlockFree reports whether no cycle of channel dependencies exists, which is
// sufficient for freedom from deadlock (Dally and Seitz 1987).
func (p *Proof) DeadlockFree() bool { return p.Cycle == nil }

// OK reports whether every pair of end points has a well-formed path, and no deadlock is possible.
func (p *Proof) OK() bool {
	return p.Unreachable == 0 && p.Malformed == 0 && p.DeadlockFree() && len(p.Faults) == 0
}

// HostsDeadlockFree reports whether traffic among hosts alone is free of
// deadlock.
func (p *Proof) HostsDeadlockFree() bool {
	for _, set := range p.CycleClasses {
		if len(set) == 1 && set[0] == (Class{topology.Host, topology.Host}) {
			return false
		}
	}
	return true
}

// CycleAmong returns a shortest cycle that traffic among end points of some kinds
// closes, nil if there is none.
func (p *Proof) CycleAmong(kinds []topology.Kind) []Dependency {
	if p.cycleAmong == nil {
		return nil
	}
	var set kindSet
	for _, k := range kinds {
		set |= 1 << k
	}
	return p.cycleAmong(pairClasses(set, set))
}

// Verify examines routes: that every end point reaches every other one over a well-formed path, and
// that the channel dependency graph has no cycle. It considers paths between end points only; paths
// from or to switches without end points do not count.
//
// If packets follow several routes on the same network at a time, such as those
// to the several LIDs of each port, they must be verified together.
//
// Routes of large networks that are computed are proved from their structure if that is possible:
// see Proof.Structure.
func Verify(r *Routes, more ...*Routes) *Proof {
	if p := proveStructure(append([]*Routes{r}, more...)); p != nil {
		return p
	}
	return verifyPaths(r, more...)
}

// structurePairs is the number of pairs of end points up to which the paths of computed routes are
// looked at one by one.
const structurePairs = 1 << 20

// proveStructure proves routes from their structure. It returns nil for small networks, for tables,
// and if there is no such proof.
func proveStructure(all []*Routes) *Proof {
	n := int64(len(all[0].Net.EndPoints))
	if n*n <= structurePairs {
		return nil
	}
	proof := &Proof{Net: all[0].Net}
	for _, r := range all {
		if r.computed == nil || !r.computed.rule.covers(all[0]) {
			return nil
		}
		argument, err := r.computed.rule.prove(r.computed.vcs)
		if err != nil {
			return nil
		}
		proof.Pairs += n * (n - 1)
		proof.Structure = argument
	}
	return proof
}

// verifyPaths looks at all paths.
func verifyPaths(r *Routes, more ...*Routes) *Proof {
	all := append([]*Routes{r}, more...)
	vcs := r.VCs
	for _, m := range more {
		vcs = max(vcs, m.VCs)
	}
	v := newVerifier(r.Net, vcs)
	for _, m := range all {
		v.add(m)
	}
	for _, u := range v.used {
		if u {
			v.proof.Channels++
		}
	}
	v.proof.Dependencies = v.graph.size()
	v.proof.Cycle = v.cycle(all, allClasses)
	if v.proof.Cycle != nil {
		v.proof.CycleClasses = cycleClasses(v.graph)
		v.proof.cycleAmong = func(classes classSet) []Dependency { return v.cycle(all, classes) }
	}
	return v.proof
}

// verifier is the state of Verify.
type verifier struct {
	r      *Routes // those being examined
	proof  *Proof
	graph  *dependencies
	used   []bool             // per vertex of the graph: some path goes over it
	checks int32              // paths checked so far
	stamp  []int32            // per channel: the last check that met it
	known  *knownDependencies // of paths that are examined one by one
}

func newVerifier(net *topology.Network, vcs int) *verifier {
	return &verifier{
		proof: &Proof{Net: net},
		graph: newDependencies(net.Channels(), vcs),
		used:  make([]bool, net.Channels()*vcs),
		stamp: make([]int32, net.Channels()),
	}
}

// add examines routes, on all cores.
func (v *verifier) add(r *Routes) {
	v.r = r
	eps := int64(len(r.Net.EndPoints))
	v.proof.Pairs += eps * (eps - 1)
	v.proof.addFaults(r.faults)
	if t, ok := r.treesRule(); ok {
		v.addTrees(r, t)
		return
	}
	var parts []*verifier
	r.usesInParts(func() func(*use) {
		part := newVerifier(r.Net, v.graph.vcs)
		part.r, part.known = r, newKnownDependencies(r.Net, v.graph.vcs)
		parts = append(parts, part)
		return part.check
	})
	for _, part := range parts {
		v.merge(part)
	}
}

// merge adds what a part has found, as if the paths of the part had come after those before.
func (v *verifier) merge(part *verifier) {
	p, q := v.proof, part.proof
	if p.Unreachable == 0 {
		p.FirstUnreachable = q.FirstUnreachable
	}
	if p.Malformed == 0 {
		p.FirstMalformed = q.FirstMalformed
	}
	p.Unreachable += q.Unreachable
	p.Malformed += q.Malformed
	for i, used := range part.used {
		v.used[i] = v.used[i] || used
	}
	for from, next := range part.graph.next {
		for _, e := range next {
			v.graph.add(int32(from), e.to, e.classes)
		}
	}
}

// addFaults adds the faults of further routes, each kind once.
func (p *Proof) addFaults(faults []Fault) {
	for _, f := range faults {
		i := slices.IndexFunc(p.Faults, func(known Fault) bool { return known.Kind == f.Kind })
		if i < 0 {
			p.Faults = append(p.Faults, f)
		} else {
			p.Faults[i].Pairs += f.Pairs
		}
	}
}

// check examines one path and adds its dependencies to the graph.
func (v *verifier) check(u *use) {
	if u.id < 0 {
		if v.proof.Unreachable == 0 {
			v.proof.FirstUnreachable = u.Pair
		}
		v.proof.Unreachable += u.pairs
		return
	}
	if err := v.malformed(u); err != nil {
		if v.proof.Malformed == 0 {
			v.proof.FirstMalformed = fmt.Errorf("path from %s to %s: %w",
				v.r.Net.EndPointName(u.Src), v.r.Net.EndPointName(u.Dst), err)
		}
		v.proof.Malformed++
		return
	}
	for _, h := range u.path {
		v.used[v.graph.vertex(h)] = true
	}
	for i := 1; i < len(u.path); i++ {
		if v.known.take(u.path[i-1], u.path[i], u.classes) {
			v.graph.add(v.graph.vertex(u.path[i-1]), v.graph.vertex(u.path[i]), u.classes)
		}
	}
}

// malformed returns an error that describes the fault of a path, if it has one.
func (v *verifier) malformed(u *use) error {
	net := v.r.Net
	if u.in >= v.r.VCs {
		return v.badVC(0, u.in)
	}
	v.checks++
	at := u.src
	for i, h := range u.path {
		c := h.Channel()
		switch {
		case c >= net.Channels():
			return fmt.Errorf("hop %d uses channel %d; the network has channels 0 to %d", i, c, net.Channels()-1)
		case h.VC() >= v.r.VCs:
			return v.badVC(i, h.VC())
		case net.Tail(c) != at:
			return fmt.Errorf("hop %d leaves from switch %s, but the path has come to switch %s",
				i, net.SwitchName(net.From(c).Switch), net.SwitchName(at))
		case v.stamp[c] == v.checks:
			return fmt.Errorf("hop %d leaves switch %s by port %d for the second time",
				i, net.SwitchName(at), net.From(c).Number)
		}
		v.stamp[c] = v.checks
		at = net.Head(c)
	}
	if at != u.dst {
		return fmt.Errorf("it ends at switch %s; expected %s", net.SwitchName(at), net.SwitchName(u.dst))
	}
	return nil
}

func (v *verifier) badVC(hop, vc int) error {
	return fmt.Errorf("hop %d uses virtual channel %d; the routing has 0 to %d", hop, vc, v.r.VCs-1)
}
