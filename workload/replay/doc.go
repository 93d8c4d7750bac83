// Package replay carries the schedule of a rank out on package mpi: what the rank of a recorded or made job
// sends, receives and computes, in the order that the schedule asks for.
//
// A send ends when its data may be used again, and a receive when its data is there. Calculations of cpu 0
// are the program's own: it does nothing else meanwhile. Those of other cpus run beside it, one after the
// other on each. Which interface a message takes is the machine's business, so nic is not looked at.
package replay
