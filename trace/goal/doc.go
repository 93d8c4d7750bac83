// Package goal reads and writes schedules in GOAL, the language of LogGOPSim and ATLAHS (Hoefler,
// Siebert and Lumsdaine, Group Operation Assembly Language, ICPP 2009): what the ranks of a job send,
// receive and compute, and in which order. It has both forms, text and binary.
//
// A schedule in text has the number of ranks and a block of statements for each:
//
//	num_ranks 2
//	rank 0 {
//	work: calc 1000
//	send: send 100b to 1 tag 7
//	send requires work
//	}
//	rank 1 {
//	recv 100b from 0 tag 7
//	}
//
// "a requires b" lets a start when b has ended, "a irequires b" when b has started. Sizes of calc are
// times, by convention in nanoseconds.
//
// The reader also takes indented lines, comments behind statements, and cpu and nic in any order, which
// LogGOPSim's own refuses. Like that one it refuses labels that are used before they are defined.
// The writer's output is read by both.
package goal
