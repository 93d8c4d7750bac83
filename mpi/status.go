package mpi

import (
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/match"
)

// Wildcards, and the rank that does not exist.
const (
	AnySource = -1 // receive from, or probe for, any rank
	AnyTag    = -1 // any tag
	// None is a rank that does not exist, as beyond the edge of a grid: a send to it, or a
	// receive from it, is complete at once and moves nothing (MPI_PROC_NULL).
	None = -2
)

// MaxTag is the largest tag. The smallest is 0.
const MaxTag = 1<<31 - 1

// Package core has the same numbers, or this does not compile.
var _ = [1]struct{}{}[(AnySource-match.AnySource)|(AnyTag-match.AnyTag)|(None-core.None)|(MaxTag-core.MaxTag)]

// Status describes a message that has been received, or can be. Of a send it is the zero
// value.
type Status struct {
	From      int // rank in the communicator of the receive
	Tag       int
	Bytes     int  // of the message; if it was truncated, what has been received of it
	Cancelled bool // nothing has been received: the request was cancelled
}

// Count returns the number of elements of a type in a message, or -1 if its bytes
// are not whole elements.
func Count[T any](s Status) int {
	size := elements.Size[T]()
	if size == 0 || s.Bytes%size != 0 {
		return -1
	}
	return s.Bytes / size
}
