package packet

import (
	"fmt"

	"musubi/routing"
	"musubi/sim/fabric"
)

// tree is a multicast: its branches, and the number of references to them.
type tree struct {
	root    uint32 // branch: the link from the source to its switch
	last    uint32 // of the list of its branches, which the root begins
	number  uint32 // tells it from those that had its place before; 0 if there is none
	packets int32  // that go along it, multicasts and answers
	targets int32
	known   bool // not forgotten
	next    uint32
}

// branch is a link on a tree, with the state of the switch at its beginning about the part of the
// tree behind it, and of the switch at its end about the branches there.
type branch struct {
	link     uint32
	parent   uint32 // 0 for the root
	child    uint32 // first of the branches at the end of the link; 0 at an end point
	sibling  uint32
	next     uint32 // in the list of branches of the tree, or of the free ones
	tree     uint32
	dst      int32 // a target behind it: end point * ports + port
	open     int32 // branches at the end of the link that have not answered
	vc       uint8 // of its class
	answered bool  // all targets behind it have answered, and the switch at its beginning has received the answer
	told     bool  // an answer has gone on from its end since the multicast passed last
}

// Multicast implements Multicaster.
func (f *Fabric) Multicast(p fabric.Packet, to []fabric.Target) fabric.Tree {
	if len(to) == 0 {
		panic(fmt.Sprintf("fabric: no targets for multicast %+v", p))
	}
	id := f.grow(p.Src, p.Out, to)
	f.launch(id, p)
	return f.treeOf(f.trees[id].root)
}

// MulticastAgain implements Multicaster.
func (f *Fabric) MulticastAgain(t fabric.Tree, p fabric.Packet) {
	id, root := f.find(t)
	if id == 0 || root != f.trees[id].root || f.branches[root].link != f.injection(p.Src, p.Out) {
		panic(fmt.Sprintf("fabric: %#x is no known multicast from the source and port of %+v", uint64(t), p))
	}
	f.launch(id, p)
}

// Forget implements Multicaster.
func (f *Fabric) Forget(t fabric.Tree) {
	id, _ := f.find(t)
	if id == 0 {
		return
	}
	f.trees[id].known = false
	f.fell(id)
}

// launch queues a packet at the root of a tree.
func (f *Fabric) launch(id uint32, p fabric.Packet) {
	t := &f.trees[id]
	root := t.root
	first := int(f.branches[root].dst)
	p.Dst, p.In = first/f.cfg.Ports, first%f.cfg.Ports
	number, q := f.admit(&p)
	q.branch, q.way = root, down
	t.packets++
	f.traffic.Sent += int64(t.targets)
	f.arrive(number)
}

// grow builds the tree of the paths from a source to its targets.
func (f *Fabric) grow(src, out int, to []fabric.Target) uint32 {
	id := f.newTree()
	_, vc, _ := f.pathTo(src, to[0])
	root := f.newBranch(id, 0, f.injection(src, out), uint8(vc), to[0])
	f.trees[id].root = root
	for _, target := range to {
		f.graft(id, root, src, target)
	}
	return id
}

// graft adds the path to a target to a tree.
func (f *Fabric) graft(id, at uint32, src int, target fabric.Target) {
	place := target.Dst*f.cfg.Ports + target.In
	if f.seen[place] == f.trees[id].number {
		return
	}
	f.seen[place] = f.trees[id].number
	path, _, vc := f.pathTo(src, target)
	for _, hop := range path {
		at = f.follow(id, at, hop, target)
	}
	f.newBranch(id, at, f.injection(target.Dst, target.In)+1, uint8(vc), target)
	f.trees[id].targets++
}

// follow returns the branch for a hop at the end of another, and adds it if there is
// none.
func (f *Fabric) follow(id, at uint32, hop routing.Hop, target fabric.Target) uint32 {
	link, vc := uint32(hop.Channel()), uint8(hop.VC())
	for b := f.branches[at].child; b != 0; b = f.branches[b].sibling {
		if f.branches[b].link == link && f.branches[b].vc == vc {
			return b
		}
	}
	return f.newBranch(id, at, link, vc, target)
}

// pathTo returns the path from an end point to a target, and its virtual channels on their links.
// The path is good until the next call.
func (f *Fabric) pathTo(src int, to fabric.Target) (path routing.Path, in, out int) {
	path, in, out, ok := f.cfg.Routes.PathInto(f.treePath, src, to.Dst)
	f.treePath = path
	if !ok || uint(to.In) >= uint(f.cfg.Ports) {
		panic(fmt.Sprintf("fabric: no path or port for a multicast from end point %d to %+v", src, to))
	}
	return path, in, out
}

// injection returns the link from a port of an end point to its switch. The link
// from there comes after it.
func (f *Fabric) injection(endPoint, port int) uint32 {
	return f.channels + 2*uint32(endPoint*f.cfg.Ports+port)
}

func (f *Fabric) newTree() uint32 {
	id := f.freeTree
	if id == 0 {
		f.trees = append(f.trees, tree{})
		id = uint32(len(f.trees) - 1)
	} else {
		f.freeTree = f.trees[id].next
	}
	f.lastTree++
	f.trees[id] = tree{number: f.lastTree, known: true}
	return id
}

// newBranch adds a branch to a tree, before the others of its parent.
func (f *Fabric) newBranch(id, parent, link uint32, vc uint8, target fabric.Target) uint32 {
	b := f.freeBranch
	if b == 0 {
		f.branches = append(f.branches, branch{})
		b = uint32(len(f.branches) - 1)
	} else {
		f.freeBranch = f.branches[b].next
	}
	f.branches[b] = branch{link: link, parent: parent, tree: id, vc: vc, dst: int32(target.Dst*f.cfg.Ports + target.In)}
	if parent != 0 {
		up := &f.branches[parent]
		f.branches[b].sibling = up.child
		up.child = b
		up.open++
		f.branches[f.trees[id].last].next = b
	}
	f.trees[id].last = b
	return b
}

// parts tells whether the tree branches at the end of a link on it.
func (f *Fabric) parts(b uint32) bool {
	child := f.branches[b].child
	return child != 0 && f.branches[child].sibling != 0
}

// treeOf returns the Tree of a branch; for the root it identifies the multicast.
func (f *Fabric) treeOf(b uint32) fabric.Tree {
	return fabric.Tree(f.trees[f.branches[b].tree].number)<<32 | fabric.Tree(b)
}

// find returns the tree and the branch of a Tree; 0 if it has been forgotten.
func (f *Fabric) find(t fabric.Tree) (id, b uint32) {
	b = uint32(t)
	if b == 0 || int(b) >= len(f.branches) {
		return 0, 0
	}
	id = f.branches[b].tree
	if at := &f.trees[id]; at.number != uint32(t>>32) || !at.known {
		return 0, 0
	}
	return id, b
}

// leaveTree records that a packet on a branch has left the network.
func (f *Fabric) leaveTree(b uint32) {
	id := f.branches[b].tree
	f.trees[id].packets--
	f.fell(id)
}

// fell frees a tree that nobody refers to any more.
func (f *Fabric) fell(id uint32) {
	t := &f.trees[id]
	if t.known || t.packets > 0 {
		return
	}
	f.branches[t.last].next = f.freeBranch
	f.freeBranch = t.root
	*t = tree{next: f.freeTree}
	f.freeTree = id
}
