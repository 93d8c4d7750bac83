package routing

import "fmt"

// FaultKind says how a table fails to forward packets.
type FaultKind string

// Kinds of faults.
const (
	MissingEntry  FaultKind = "missing entry" // a switch does not know the destination
	DeadPort      FaultKind = "dead port"     // an entry names a port with nothing attached
	Misdelivery   FaultKind = "delivery to the wrong end point"
	Loop          FaultKind = "forwarding loop"
	NoVirtualLane FaultKind = "no virtual lane" // the packet is dropped at this step
)

// Fault is one kind of failure of forwarding tables.
type Fault struct {
	Kind FaultKind
	// Pairs counts the ordered pairs of end points whose packets meet it.
	Pairs int64
	// Example describes one of them.
	Example string
}

func (f Fault) String() string { return fmt.Sprintf("%s (%d pairs): %s", f.Kind, f.Pairs, f.Example) }
