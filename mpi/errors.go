package mpi

import "musubi/mpi/internal/fault"

// ErrorClass is a kind of mistake or failure. It is itself an error, for errors.Is:
//
//	if errors.Is(err, mpi.ErrTruncate) { ... }
type ErrorClass = fault.Class

// Error classes. Each stands for the class of the MPI standard that is named alike
// (MPI 4.1, section 9.4).
const (
	ErrOther    = fault.Other    // the machine has failed, or nothing else fits
	ErrCount    = fault.Count    // a wrong number of elements
	ErrType     = fault.Type     // elements that cannot be sent
	ErrTag      = fault.Tag      // a tag out of range
	ErrComm     = fault.Comm     // a communicator that is nil or freed
	ErrRank     = fault.Rank     // a rank that the communicator does not have
	ErrRoot     = fault.Root     // a root that the communicator does not have
	ErrGroup    = fault.Group    // ranks that do not make a group
	ErrOp       = fault.Op       // a reduction that cannot be carried out
	ErrTopology = fault.Topology // a topology that is malformed
	ErrDims     = fault.Dims     // dimensions that do not fit
	ErrArgument = fault.Argument // another argument is wrong
	ErrTruncate = fault.Truncate // a message is longer than where it was to go
	ErrRequest  = fault.Request  // a request, or message, that cannot be used so
	ErrWindow   = fault.Window   // a window that is nil or freed
	ErrRMARange = fault.RMARange // elements that a window does not have
	ErrRMASync  = fault.RMASync  // an access or a call outside the epoch that it needs
)

// Error is what has gone wrong in a call: its class, the function of this package, the rank of
// the caller in its communicator (-1 if there is none), and what was given and expected or what
// the machine says. errors.Is finds the class.
type Error = fault.Error
