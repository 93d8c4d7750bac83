// Package health finds out whether the ranks of a job live, whether the job can go on, and why not.
//
// Whoever finds out that a job cannot go on writes one word, a Failure, into the memory of its group;
// ranks look at that word while they wait. The first cause stays, so that all name the same one.
// Where ranks do not all share memory with one parent, a Hub brings them together and carries
// failures from group to group; each rank has a connection to it (Control), on which both send
// heartbeats. A connection that has ended decides nothing as long as somebody may know better: the
// parent of the process at its other end, or that process itself.
//
// A rank that gives no sign of life for the bound is lost, but not one on the same host that the
// system says runs, or waits for a processor. Detectors count their own ticks, not time: who was
// stopped himself blames nobody. If all ranks wait and nothing is under way that could end that, the
// job is stuck; all are asked twice before that is said.
package health
