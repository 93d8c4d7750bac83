// Package live is the world of real processes: a program of package rma runs in as many
// operating-system processes as there are ranks, over memory that those of a host share, and over TCP
// between hosts.
//
//	result, err := live.Main(ctx, live.Config{Ranks: 4}, program)
//
// Main starts the ranks by executing the same command line again, with an environment that tells each
// of them who it is. In the ranks it runs the program and ends the process. So what stands before
// Main is done by every rank, and what stands behind it by the parent alone. Run is the same but that
// it returns in the ranks, too. Join makes a process that was started as a rank that rank, for
// programs that cannot hand theirs over as a function.
//
// Launch starts another program, which may come to Main by itself, for its own sake. With
// Config.Hosts both start ranks on other hosts by ssh: an agent there (Agent) is the parent of a group
// of ranks and does what the launcher says. A process that mpirun of Open MPI, mpiexec of MPICH or
// srun has started as one of several, or that has MUSUBI_RANK and MUSUBI_SIZE in its environment, is
// a rank as well.
//
// # Failure
//
// When a rank dies, returns an error, or ends before its program has, all others get an error that
// names it from the call in which they wait, and the parent returns the first failure. A process that
// ends with a status other than 0 after its program has succeeded has failed, too. Ranks that do not
// end in time are killed. If all ranks wait and nothing is under way that could end that, all get an
// error that says who waits for what.
//
// A rank whose process gives no sign of life for Config.Bound is lost, and its job with it; so is one
// whose connection to another is cut for as long. One that computes for ever lives. Ranks that have
// not joined yet are waited for, for six times the bound if nobody would learn that their process has
// ended.
//
// # How it is put together
//
// This package is a facade. Behind it are rooms, each of which builds on those below it:
//
//	job     starts processes, and makes them ranks
//	rank    is a process: operations, completion, messages, waiting
//	queue   carries out command queues
//	health  finds out who lives, and why a job cannot go on
//	tcp     makes connections, and carries packets over them
//	shm     is the memory that ranks of a host share: rings, windows
//	wire    is what ranks say to each other
//
// # What it refuses
//
// BOTF of more than MaxBOTF bytes, a number of windows other than 0, and layouts at the target with
// more offsets than a record takes, some hundreds. It runs on Linux, on amd64 and arm64.
package live
