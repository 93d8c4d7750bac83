package fabric

// Target is an end point that a multicast goes to, and the port that it arrives at.
type Target struct{ Dst, In int }

// Tree identifies a multicast for its source and, for an end point, the branch that leads there.
// Every value is unique; 0 is none.
type Tree uint64

// Multicaster is a fabric whose switches copy packets, and combine the answers to
// them.
//
// A multicast follows the paths that packets of its source take to each of its targets, as a tree:
// where several of them share a channel and a virtual channel, the packet takes it once. It leaves
// its source once, on the virtual channel of the path to the first target. A switch keeps it in its
// buffer until the last of its copies has left. One reading of the buffer feeds all outputs that
// start at the same time; outputs that are not free then, or lack room, are fed later. So the
// packet only waits for resources for which a packet to one of the targets would also wait: routes
// whose channel dependencies have no cycle stay free of deadlock.
//
// Answers go backwards along the tree, in a class of their own, because the dependencies of their
// paths run against those of the multicast. A switch where the tree branches receives answers as a
// whole and checks them. It records which of its branches have answered, and forwards the answer
// that completes them; the others end there. An answer that is sent again changes nothing, unless
// the multicast has passed the switch again since the switch answered: then the switch answers
// again, as soon as it has recorded all branches and receives an answer from any of them.
type Multicaster interface {
	Fabric
	// Multicast queues a packet at its source, as Send does, for all targets; one that
	// is named twice gets it once. Dst and In of the packet are not used. Each target
	// has one Delivered, with a packet number of its own to Release; Sent comes up
	// once. The multicast is known until Forget. It panics if there is no target or no
	// path to one.
	Multicast(p Packet, to []Target) Tree
	// MulticastAgain queues a packet for the targets of a multicast of the same source
	// and port. Branches that have answered need not do so again.
	MulticastAgain(t Tree, p Packet)
	// Combine queues an answer of an end point to the multicast that reached it by a
	// branch (Delivery.Tree). Of the packet, the ends and ports are not used: it
	// leaves by the port that the multicast arrived at, and arrives where that left.
	// The source has one Delivered when all have answered, with the tag of the answer
	// that completed them, and with Delivery.Tree as Multicast returned it; after
	// MulticastAgain there may be more. It returns false, and sends nothing, if the
	// multicast has been forgotten.
	Combine(branch Tree, p Packet) bool
	// Forget ends the knowledge of a multicast. Its packets still arrive; answers under
	// way end at the next switch where the tree branches.
	Forget(t Tree)
}
