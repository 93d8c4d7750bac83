package mpi

import (
	"musubi/mpi/internal/dims"
	"musubi/mpi/internal/fault"
)

// Dims divides a number of ranks among the dimensions of a grid for Cart. A dimension
// that is given as 0 is chosen: such that the largest and the smallest differ
// least, of those with the largest first one, of those with the least sum, and each is at most
// the one before it. Others stay.
//
// It fails with ErrDims if the ranks cannot be divided.
func Dims(ranks int, given ...int) ([]int, error) {
	all, err := dims.Divide(ranks, given)
	if err != nil {
		return nil, &fault.Error{Class: fault.Dims, Call: "Dims", Rank: -1, Err: err}
	}
	return all, nil
}
