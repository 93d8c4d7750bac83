// Package fault is how calls fail: errors with a class, the name of the call and the rank of the
// caller.
package fault

import "fmt"

// Class is a kind of mistake or failure. It is itself an error, for errors.Is:
//
//	if errors.Is(err, fault.Truncate) { ... }
type Class uint8

// Error classes. Each stands for the class of the MPI standard that is named alike
// (MPI 4.1, section 9.4).
const (
	Other       Class = iota + 1 // the machine has failed, or nothing else fits
	Count                        // a wrong number of elements
	Type                         // elements that cannot be sent
	Tag                          // a tag out of range
	Comm                         // a communicator that is nil or freed
	Rank                         // a rank that the communicator does not have
	Root                         // a root that the communicator does not have
	Group                        // ranks that do not make a group
	Op                           // a reduction that cannot be carried out
	Topology                     // a topology that is malformed
	Dims                         // dimensions that do not fit
	Argument                     // another argument is wrong
	Truncate                     // a message is longer than where it was to go
	Request                      // a request, or message, that cannot be used so
	Window                       // a window that is nil or freed
	RMARange                     // elements that a window does not have
	RMASync                      // an access or a call outside the epoch that it needs
	RMAShared                    // memory that not all ranks can share
	RMAAttach                    // memory that cannot be attached to a window
	Interrupted                  // a call has not waited until its end; the standard has no such class
)

var classNames = [...]string{
	Other: "failure", Count: "wrong count", Type: "wrong type", Tag: "wrong tag",
	Comm: "wrong communicator", Rank: "wrong rank", Root: "wrong root", Group: "wrong group",
	Op: "wrong operation", Topology: "wrong topology", Dims: "wrong dimensions",
	Argument: "wrong argument", Truncate: "message truncated", Request: "wrong request",
	Window: "wrong window", RMARange: "outside the window", RMASync: "wrong synchronisation",
	RMAShared: "memory that is not shared", RMAAttach: "memory that cannot be attached",
	Interrupted: "interrupted",
}

// Error names the class.
func (c Class) Error() string {
	if int(c) >= len(classNames) || classNames[c] == "" {
		return fmt.Sprintf("mpi: error class %d", uint8(c))
	}
	return "mpi: " + classNames[c]
}

// Error is what has gone wrong in a call.
type Error struct {
	Class Class
	Call  string // exported function that has failed
	Rank  int    // of the caller, in its communicator; -1 if there is none
	Err   error  // what was given and expected, or what the machine says
}

// Error names the call, the rank and what has gone wrong.
func (e *Error) Error() string {
	if e.Rank < 0 {
		return fmt.Sprintf("mpi: %s: %v", e.Call, e.Err)
	}
	return fmt.Sprintf("mpi: %s at rank %d: %v", e.Call, e.Rank, e.Err)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the class of the error.
func (e *Error) Is(target error) bool {
	class, ok := target.(Class)
	return ok && class == e.Class
}
