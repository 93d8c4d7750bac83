package rma

import "fmt"

// MulticastMethod is how one packet gets to several interfaces.
type MulticastMethod uint8

// MulticastMethods.
const (
	// Chain: each interface stores the data and sends it on to the next of the list. It
	// takes nothing of the switches, and at most twice the bandwidth of Hierarchical.
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

// Multicast says how a multicast is to be done.
type Multicast struct {
	By MulticastMethod
	// Unacknowledged: nobody acknowledges. The operation is complete when the data has left,
	// a Fence does not cover what comes after that, and nobody is told if memory is not
	// exposed.
	Unacknowledged bool
}

// Multicaster is a Process whose network sends the same data to several ranks at once. It
// is optional.
type Multicaster interface {
	Process

	// Multicasts reports whether the network knows a manner. It does not change, and is
	// the same at all processes.
	Multicasts(m MulticastMethod) bool
	// MulticastPush starts to write the same data to memory of several ranks, of which
	// each may have one address at most; this one may be among them. It is complete when
	// all have it. The data may not be changed until then. It fails without an address,
	// and where the network does not know the manner.
	//
	// Each rank sees it as a Push, whose last byte is written last, but which is not in
	// order with anything else. If it fails at some ranks, others have the data all the
	// same.
	MulticastPush(to []Address, data []byte, how Multicast) (Op, error)
}
