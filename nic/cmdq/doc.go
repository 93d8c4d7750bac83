// Package cmdq holds command queues: lists of commands that an engine of a network interface
// carries out in order, and that partners release from afar.
//
// They are the control queues of Tofu2 (Hatanaka et al., Prototype Implementation and
// Evaluation of an MPI Persistent Neighborhood Collective Operation Using Tofu2 Protocol
// Offloading Capability, 2016). In session mode a [Queue] does not go beyond its scheduling
// pointer. A put that arrives advances the pointer by the step that the put carries (SPS):
//
//	           Read          Scheduled         Write
//	            v                v               v
//	... done    | may be carried | wait to be    | free ...
//	            | out            | released      |
//
// So a partner that is ready to receive releases the data for it, and the processors of
// both may compute meanwhile. [Pointers] are this arithmetic alone, for queues in memory
// that processes share. An [Engine] takes turns among its queues, and a [Board] gives the
// queues of an interface to processes.
//
// The tests explore persistent exchanges of up to three neighbours on such queues in every
// order of events (exchange_test.go), also by agents that serve all processes of a host
// (exchange_agent_test.go), and recursive doubling of two and four processes
// (doubling_test.go).
package cmdq
