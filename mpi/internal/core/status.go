package core

import "musubi/mpi/internal/match"

// None is a rank that does not exist: a send to it, or a receive from it, is complete at once and
// moves nothing (MPI_PROC_NULL).
const None = -2

// MaxTag is the largest tag. The smallest is 0.
const MaxTag = 1<<31 - 1

// Status describes a message that has been received, or can be. Of a send it is the zero value.
type Status struct {
	From      int // rank in the communicator of the receive
	Tag       int
	Bytes     int  // of the message; if it was truncated, what has been received of it
	Cancelled bool // nothing has been received: the request was cancelled
}

// Nothing is the status of a receive from None.
var Nothing = Status{From: None, Tag: match.AnyTag}
