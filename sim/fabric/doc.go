// Package fabric simulates switches, links and virtual channels.
//
// Two engines carry packets over the same network and routes, behind one interface
// ([Fabric]). The packet engine models virtual cut-through at the cost of two or three
// events per packet and switch. The flit engine moves every flit in clock cycles and also
// does wormhole switching, where buffers may be smaller than packets. Neither knows what a
// header says. A source route makes packets longer by as many flits as the device gives
// them for it.
//
// The driver of a simulation shares an event queue with the fabric: it calls Send for each packet,
// and Run, which handles the fabric's own events until one comes up that reports a packet, such as
// Delivered. The packet keeps its place in the last buffer until Release.
//
// # The packet engine
//
// A packet that has been granted a link never stalls on it: there is room for all of it at
// the far end. So when it starts it is known when its tail passes and when each of its
// flits frees room behind it, and no event is needed for that:
//
//	evReady    its header has been routed. It joins its lane, the buffer of a virtual
//	           channel at the end of a link; the first of a lane requests an output link
//	arbitrate  the link serves the lanes of all inputs in turn. It needs the input port too,
//	           which reads one packet at a time, and room at the far end (reserve)
//	grant      takes all three. The lane that the packet leaves gets a drain: so many flits,
//	           evenly from now to the tail
//	depart     pushes evReady for the next switch, or Header and Delivered for the end point
//
// Waiting links are reconsidered by evTail, when the link or the input port is free, and by evWake,
// when the drains say that there is room. These events are pushed only if a link waits. A source is
// a queue behind a link without a cable; so it is served like an input.
//
//	packet.go, packet_arbitrate.go   the way of a packet, as above
//	packet_state.go                  links, lanes, drains, packets: arrays, and numbers into them
//	room.go, stopgo.go               when there is room, by credits and by stop and go
//	packet_tree.go, packet_copy.go   multicasts: their trees, and switches that copy
//	packet_combine.go                answers that switches combine
//	packet_check.go                  what packets that are stuck wait for
//
// A large network does not fit into the caches, so what counts is how many cache lines a hop touches:
// one each of the link that it takes, the buffer that it goes to, and the packet, and half a one of
// the input port. What links have in common is in a few kinds. A packet that competes with nobody
// leaves no request (pass).
//
// Only this engine has switches that copy packets and combine the answers to them ([Multicaster]),
// packets that take a path backwards ([Packet.Back]) and links with bit errors ([Config.Errors]). A
// wrong bit does not change the way of a packet, because its header has long been sent on when its
// tail is checked: it arrives all the same, marked as corrupt, and the device decides what to do
// with it. Only the answers that switches combine are checked on the way.
//
// # The flit engine
//
// A router has input buffers, virtual channels and a pipeline of stages ([Router]). In each
// cycle (tick) what has been under way arrives from a wheel of future cycles, then virtual
// channels are allocated to headers, then crossbars to flits, then the sources send. Sets of
// links and sources that may have something to do keep the idle ones from costing anything,
// and cycles in which nothing can move are skipped.
//
//	flit_cycle.go                    a cycle; arrivals, credits, stops
//	flit_vc.go, flit_switch.go       the two allocators
//	flit_source.go, flit_sink.go     end points
//	flit_state.go                    switches, links, lanes, packets
//	flit_wheel.go, flit_sets.go      the wheel; sets and queues of numbers
//	flit_stuck.go                    what packets that are stuck wait for
package fabric
