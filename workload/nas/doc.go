// Package nas carries out the communication of the NAS Parallel Benchmarks: the messages that the
// reference implementation (NPB 3.3, MPI) sends between two processes in each of its timed
// iterations, with their sizes and in their order, and for IS also those of its verification.
// Set-up and norms are left out, and instead of arithmetic time passes.
//
// A [Script] is what one process does in a [Kernel]; an [Actor] is a process that carries scripts
// out.
//
// Point-to-point messages go by IPUSH, to receive rings, or where machines have none by a [Library]
// of the processor that does eager and rendezvous messages over PUSH and PIO. The partners of a process are the processes that send to it
// that way, as Kitamura et al. (2006) count them. Collective operations, which only IS has in its
// iterations, go by PUSH to separate memory, and do not count as partners; with a library they are
// messages like all others.
//
// A process computes for a fixed time, or as many operations as the benchmark counts for itself, at
// a rate of the machine.
//
// Each process takes messages off its rings whenever it waits for one, whoever sent it, and never
// waits for anything else while others may send to it. So rings of any size suffice.
package nas
