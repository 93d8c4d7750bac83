// Package mbc holds memory-based communication: protected access to the memory of processes on
// other nodes that the operating system schedules, pages and moves.
//
// It is the communication of SSS-CORE (Kunisawa, Matsumoto, Hiraki: Gigabit Network with Cooperative
// Functions for General Purpose Massively Parallel OS, 1997). The
// operating system stays out of the usual case.
//
// A [Header] names the target by process id, access id, virtual address and virtual
// node. The sending interface finds the node in its [RouteTable] and stamps the source from
// its [Context]. At the target a [AccessGate] says what becomes of the access; what the interface
// cannot do it puts before the operating system:
//
//	does the process run?    no     NotScheduled -+
//	is the access id right?  no     Forged        |   nothing is done, and it is told who tried
//	does an earlier one wait? yes   Behind -------+-> operating system: page in, do, or send on
//	is the page present?     no     Absent -------+
//	else                            Direct            the interface does it
//
// A process that was told of a [Violation] may ask its operating system to [Stop] who has tried.
//
// Acknowledgements come in any order; a reliable.FenceCounter knows when all before a memory
// barrier are there. Atomic operations change a word at the target,
// or several of one page in order ([AppendSequence]). Multicasts go along a
// list, from each interface to the next ([PassChain]), or are copied by switches, which
// make one acknowledgement of those of their branches ([AckTally]).
//
// Accesses of one process to another are done in the order in which they were started, once
// each, whatever happens to both. That takes some rules:
//
//   - While an access waits for the operating system, later ones of its source to its target
//     do, too ([Behind]).
//   - A node that a process has left sends on what still comes. A source that has learnt of
//     the new place uses it when all that went to the old one is acknowledged; so does a
//     process that has moved itself ([RouteTable]). One that moves again waits until nothing
//     is under way to where it was ([AccessGate.Leave]).
//   - A multicast that is sent again is acknowledged without being checked again if it has been
//     done, as its access id may be stale by now; but not before it has been done ([Once]).
//
// The tests check this in a small world without time, in random order (world_test.go),
// and what happens without these rules.
package mbc
