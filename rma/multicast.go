package rma

import "fmt"

// MulticastMethod is the way of one packet to several interfaces.
type MulticastMethod uint8

// Methods of multicast.
const (
	// Chain: each interface stores the data and sends it on to the next member of the list. It
	// needs no support of the switches, and takes at most twice the bandwidth of Hierarchical.
	Chain MulticastMethod = iota
	// Hierarchical: switches copy the data to several outputs, so that each link carries
	// it once.
	Hierarchical
)

var multicastMethodNames = [...]string{Chain: "chain", Hierarchical: "hierarchical"}

func (m MulticastMethod) String() string {
	if int(m) >= len(multicastMethodNames) {
		return fmt.Sprintf("multicast method %d", m)
	}
	return multicastMethodNames[m]
}

// Multicast sets the method of a multicast.
type Multicast struct {
	By MulticastMethod
	// Unacknowledged: no target acknowledges. The operation is complete when the data has left, a
	// Fence does not cover what comes after that, and nobody is told if memory is not exposed.
	Unacknowledged bool
}

// Multicaster is a Process whose network sends the same data to several ranks at once. It is
// optional.
type Multicaster interface {
	Process

	// Multicasts reports whether the network knows a method. It does not change, and is the same
	// at all processes.
	Multicasts(m MulticastMethod) bool
	// MulticastPush starts to write the same data to memory of several ranks, with at most one
	// address for each; this rank may be among them. It is complete when all have the data. The
	// program may not change the data until then. It fails without an address, and where the
	// network does not know the method.
	//
	// Each target sees a Push, whose last byte is written last, but which is not ordered with
	// anything else. If it fails at some ranks, others have the data all the same.
	MulticastPush(to []Address, data []byte, how Multicast) (Op, error)
}
