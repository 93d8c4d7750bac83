package mpi

import "musubi/mpi/internal/fault"

// ErrorClass is a class of errors. It is itself an error, for errors.Is:
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
	// ErrRMAShared is memory that not all ranks can share, ErrRMAAttach such as cannot be attached to
	// a window.
	ErrRMAShared = fault.RMAShared
	ErrRMAAttach = fault.RMAAttach
	// ErrInterrupted is a call that has not waited until its end; see Comm.WithContext. The standard has no
	// such class.
	ErrInterrupted = fault.Interrupted
)

// Error is the error of a call, as a struct with these fields:
//
//	Class ErrorClass
//	Call  string // function of this package that has failed
//	Rank  int    // of the caller, in its communicator; -1 if there is none
//	Err   error  // what was given and what was expected, or the error of the machine
//
// Functions of this package return it as an *Error. Its text names Call, Rank and Err, Unwrap
// returns Err, and errors.Is finds Class:
//
//	var e *mpi.Error
//	if errors.As(err, &e) && e.Class == mpi.ErrTruncate { ... }
type Error = fault.Error
