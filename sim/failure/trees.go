package failure

import (
	"fmt"
	"strings"

	"musubi/sim/fabric"
)

var _ fabric.Multicaster = (*Fabric)(nil)

// trees returns the fabric below. Its devices know whether it is one with trees.
func (x *Fabric) trees() fabric.Multicaster { return x.Breakable.(fabric.Multicaster) }

// Multicast implements fabric.Multicaster. It ends the run if a target cannot be reached.
func (x *Fabric) Multicast(p fabric.Packet, to []fabric.Target) fabric.Tree {
	for _, t := range to {
		if !x.reachable(p.Src, t.Dst) {
			return 0
		}
	}
	return x.trees().Multicast(p, to)
}

// MulticastAgain implements fabric.Multicaster.
func (x *Fabric) MulticastAgain(t fabric.Tree, p fabric.Packet) { x.trees().MulticastAgain(t, p) }

// Combine implements fabric.Multicaster.
func (x *Fabric) Combine(branch fabric.Tree, p fabric.Packet) bool {
	return x.trees().Combine(branch, p)
}

// Forget implements fabric.Multicaster.
func (x *Fabric) Forget(t fabric.Tree) { x.trees().Forget(t) }

// reachable ends the run if what switches copy or combine cannot reach an end point from another.
func (x *Fabric) reachable(src, dst int) bool {
	if x.state.reaches(src, dst) {
		return true
	}
	x.failed = fmt.Errorf("at %v a multicast of %s cannot reach %s: out of service is %s",
		x.q.Now(), x.cfg.Net.EndPointName(src), x.cfg.Net.EndPointName(dst), strings.Join(x.gone(), ", "))
	return false
}
