package routing

import "fmt"

// FaultKind is a way in which tables fail to bring a packet to its destination.
type FaultKind uint8

// Kinds of faults.
const (
	MissingEntry FaultKind = iota // a switch has no entry for the packet
	DeadPort                      // an entry names a port without a link
	Misdelivery                   // the packet arrives at another end point
	Loop                          // the packet returns to a channel that it has used
	NoVC                          // an entry gives a virtual channel that does not exist
)

// FaultKinds is the number of kinds of faults.
const FaultKinds = len(faultNames)

var faultNames = [...]string{
	MissingEntry: "missing entry",
	DeadPort:     "dead port",
	Misdelivery:  "wrong delivery",
	Loop:         "forwarding loop",
	NoVC:         "no such virtual channel",
}

func (k FaultKind) String() string { return faultNames[k] }

// Fault is one way in which tables fail.
type Fault struct {
	Kind FaultKind
	// Pairs counts the ordered pairs of end points whose packets meet it, once per
	// Routes.
	Pairs int64
	// First is one of them, and Detail says where its packets end.
	First  Pair
	Detail string
}

func (f Fault) String() string { return fmt.Sprintf("%v: %d pairs, %s", f.Kind, f.Pairs, f.Detail) }
