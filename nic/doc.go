// Package nic holds the mechanisms of network interfaces that both worlds use:
// packet format, segmentation, strided and list access, process groups, receive
// rings with their status ring, command queues, retransmission, and memory-based
// communication.
//
// They are state machines and arithmetic. They know no time, do no I/O, start no
// goroutines, take no locks, and allocate nothing per packet. Whoever uses them
// moves the bytes, waits, and says when something has happened; package sim/device
// adds clocks.
//
// The mechanisms are those of DIMMnet-2 (Kitamura et al., Design and Implementation
// of Network Interface Controller on DIMMnet-2, IPSJ 2005, and Packet Receiving
// Mechanism Supporting Message Passing Model on DIMMnet-2, 2006).
//
// # Command queues
//
// They are the control queues of Tofu2 (Hatanaka et al., Prototype Implementation and
// Evaluation of an MPI Persistent Neighborhood Collective Operation Using Tofu2 Protocol
// Offloading Capability, 2016). A [CommandQueue] holds commands that an engine carries out
// in order. In session mode it does not go beyond the scheduling pointer, which puts that
// arrive advance by the step that they carry (SPS):
//
//	           Read          Scheduled         Write
//	            v                v               v
//	... done    | may be carried | wait to be    | free ...
//	            | out            | released      |
//
// So a partner that is ready to receive releases the data for it, and the processors of
// both may compute meanwhile. [CommandPointers] are this arithmetic alone, for queues in
// memory that processes share. A [CommandEngine] takes turns among the queues of an
// engine, and a [CommandBoard] gives the queues of an interface to processes.
//
// The tests explore persistent exchanges of up to three neighbours on such queues in every
// order of events (exchange_test.go).
//
// # Barriers
//
// A [BarrierChannel] is the part of one member in barriers and reductions of one word that
// interfaces do by themselves, as the barrier interface of Tofu (Ajima et al., The Tofu
// Interconnect, IEEE Micro 2012).
//
// # Memory-based communication
//
// It is that of SSS-CORE (Kunisawa, Matsumoto, Hiraki: Gigabit Network with Cooperative
// Functions for General Purpose Massively Parallel OS, 1997): protected access to the memory
// of processes that the operating system schedules, pages and moves, while it stays out of
// what is usual.
//
// A [MemoryHeader] names the target by process id, access id, virtual address and virtual
// node. The sending interface finds the node in its [RouteTable] and stamps the source from
// its [Context]. At the target a [Gate] says what becomes of the access; what the interface
// cannot do it puts before the operating system:
//
//	does the process run?    no     NotScheduled -+
//	is the access id right?  no     Forged        |   nothing is done, and it is told who tried
//	does an earlier one wait? yes   Behind -------+-> operating system: page in, do, or send on
//	is the page present?     no     Absent -------+
//	else                            Direct            the interface does it
//
// Acknowledgements come in any order; a [FenceCounter] knows when all before a memory
// barrier are there. [Atomic] operations change a word at the target. Multicasts go along a
// list, from each interface to the next ([PassChain]), or are copied by switches, whose
// acknowledgements an [AckCombiner] makes one of.
//
// Accesses of one process to another are done in the order in which they were started, once
// each, whatever happens to both. That takes some rules:
//
//   - While an access waits for the operating system, later ones of its source to its target
//     do, too ([Behind]).
//   - A node that a process has left sends on what still comes. A source that has learnt of
//     the new place uses it when all that went to the old one is acknowledged; so does a
//     process that has moved itself ([RouteTable]). One that moves again waits until nothing
//     is under way to where it was ([Gate.Leave]).
//   - A multicast that is sent again is acknowledged without being judged again if it has been
//     done, as its access id may be stale by now; but not before it has been done ([Once]).
//
// The tests check this in a small world without time, in random order (memory_world_test.go),
// and what happens without these rules.
package nic
