// Package process runs a rank of a simulated job as a process of the operating system, cut at its
// calls of MPI: the front of libmpi_abi.so writes each call into a slot of memory that both share,
// and sleeps until the simulated rank has carried the call out. The memory of the program stays
// where it is; a call reads and writes what it needs of it.
//
// Only one process of a job runs at a time, in the order of simulated time. So a program whose
// computation takes no simulated time gives the same results in each run.
package process
