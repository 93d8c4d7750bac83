// Package flit simulates networks flit by flit, in clock cycles, with switches of input buffers and a
// pipeline.
//
// A router has input buffers, virtual channels and a pipeline of stages ([fabric.Router]). In each
// cycle (tick) what has been under way arrives from a wheel of future cycles, then virtual
// channels are allocated to headers, then crossbars to flits, then the sources send. Sets of
// links and sources that may have something to do keep the idle ones from costing anything,
// and cycles in which nothing can move are skipped.
//
//	cycle.go                  a cycle; arrivals, credits, stops
//	vc.go, switch.go          the two allocators
//	source.go, sink.go        end points
//	state.go                  switches, links, lanes, packets
//	wheel.go, sets.go         the wheel; sets and queues of numbers
//	stuck.go                  what packets that are stuck wait for
package flit
