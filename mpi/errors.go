package mpi

import "fmt"

// ErrorClass is a kind of mistake or failure. It is itself an error, for errors.Is:
//
//	if errors.Is(err, mpi.ErrTruncate) { ... }
type ErrorClass uint8

// Error classes. Each stands for the class of the MPI standard that is named alike
// (MPI 4.1, section 9.4).
const (
	ErrOther    ErrorClass = iota + 1 // the machine has failed, or nothing else fits
	ErrCount                          // a wrong number of elements
	ErrType                           // elements that cannot be sent
	ErrTag                            // a tag out of range
	ErrComm                           // a communicator that is nil or freed
	ErrRank                           // a rank that the communicator does not have
	ErrRoot                           // likewise, of a root
	ErrGroup                          // ranks that do not make a group
	ErrOp                             // a reduction that cannot be carried out
	ErrTopology                       // a topology that is malformed
	ErrDims                           // dimensions that do not fit
	ErrArgument                       // another argument is wrong
	ErrTruncate                       // a message is longer than where it was to go
	ErrRequest                        // a request, or message, that cannot be used so
	ErrWindow                         // a window that is nil or freed
	ErrRMARange                       // elements that a window does not have
	ErrRMASync                        // an access or a call outside the epoch that it needs
)

var classNames = [...]string{
	ErrOther: "failure", ErrCount: "wrong count", ErrType: "wrong type", ErrTag: "wrong tag",
	ErrComm: "wrong communicator", ErrRank: "wrong rank", ErrRoot: "wrong root", ErrGroup: "wrong group",
	ErrOp: "wrong operation", ErrTopology: "wrong topology", ErrDims: "wrong dimensions",
	ErrArgument: "wrong argument", ErrTruncate: "message truncated", ErrRequest: "wrong request",
	ErrWindow: "wrong window", ErrRMARange: "outside the window", ErrRMASync: "wrong synchronisation",
}

func (c ErrorClass) Error() string {
	if int(c) >= len(classNames) || classNames[c] == "" {
		return fmt.Sprintf("mpi: error class %d", uint8(c))
	}
	return "mpi: " + classNames[c]
}

// Error is what has gone wrong in a call.
type Error struct {
	Class ErrorClass
	Call  string // function of this package
	Rank  int    // of the caller, in its communicator; -1 if there is none
	Err   error  // what was given and expected, or what the machine says
}

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
	class, ok := target.(ErrorClass)
	return ok && class == e.Class
}

// fail returns an error of a call.
func (c *Comm) fail(class ErrorClass, call string, err error) error {
	rank := -1
	if c != nil {
		rank = c.rank
	}
	return &Error{Class: class, Call: call, Rank: rank, Err: err}
}

// failf is fail with an error made of a format.
func (c *Comm) failf(class ErrorClass, call, format string, args ...any) error {
	return c.fail(class, call, fmt.Errorf(format, args...))
}
