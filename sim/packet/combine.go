package packet

import "musubi/sim/fabric"
import "fmt"

// Combine implements Multicaster.
func (f *Fabric) Combine(branch fabric.Tree, p fabric.Packet) bool {
	id, b := f.find(branch)
	if id == 0 {
		return false
	}
	leaf := &f.branches[b]
	if leaf.child != 0 {
		panic(fmt.Sprintf("fabric: answer %+v to %#x, which is not a branch that leads to an end point", p, uint64(branch)))
	}
	ports := uint32(f.cfg.Ports)
	from, to := uint32(leaf.dst), (f.branches[f.trees[id].root].link-f.channels)/2
	p.Src, p.Out, p.Dst, p.In = int(from/ports), int(from%ports), int(to/ports), int(to%ports)
	number, q := f.admit(&p)
	q.branch, q.way = b, up
	f.trees[id].packets++
	f.traffic.Sent++
	f.arrive(number)
	return true
}

// combine counts an answer at a switch where its tree branches, and reports whether it goes on for
// all that have arrived there.
func (f *Fabric) combine(p *packet) bool {
	b := &f.branches[p.branch]
	if p.corrupt || !f.trees[b.tree].known {
		return false
	}
	here := &f.branches[b.parent]
	if !b.answered {
		b.answered = true
		here.open--
	}
	if here.open > 0 || here.told {
		return false
	}
	here.told = true
	p.branch = b.parent
	f.enter(p)
	return true
}

// absorb takes the first packet of a lane out of the network. It goes when the port is
// not read for another.
func (f *Fabric) absorb(at, id uint32) {
	p := &f.packets[id]
	l := &f.lanes[at]
	l.head = p.next
	when := max(f.q.Now(), f.ports[f.linkOf(at)].held)
	f.drainFrom(at, drain{start: when, end: when, flits: p.flits})
	f.leaveTree(p.branch)
	f.retire(id)
	f.traffic.Combined++
	if o := f.cfg.Observer; o != nil {
		o.Waiting(int(f.linkOf(at)), -1, f.q.Now())
	}
}
