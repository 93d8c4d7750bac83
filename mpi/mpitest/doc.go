// Package mpitest holds package mpi, on a world, to the semantics of MPI. Whoever
// writes a world calls Test from a test of its own:
//
//	func TestMessages(t *testing.T) {
//		mpitest.Test(t, run)
//	}
//
// where run runs a program on a number of ranks. No check depends on how long
// something takes.
package mpitest
