// Package packet simulates networks packet by packet: virtual cut-through, exact to the flit.
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
//	packet.go, arbitrate.go   the way of a packet, as above
//	state.go                  links, lanes, drains, packets: arrays, and numbers into them
//	room.go, stopgo.go        when there is room, by credits and by stop and go
//	tree.go, copy.go          multicasts: their trees, and switches that copy
//	combine.go                answers that switches combine
//	check.go                  what packets that are stuck wait for
//
// A large network does not fit into the caches, so what counts is how many cache lines a hop touches:
// one each of the link that it takes, the buffer that it goes to, and the packet, and half a one of
// the input port. What links have in common is in a few kinds. A packet that competes with nobody
// joins no lane (pass).
//
// Only this engine has switches that copy packets and combine the answers to them ([fabric.Multicaster]),
// packets that take a path backwards ([fabric.Packet.Back]) and links with bit errors ([fabric.Config.Errors]). A
// wrong bit does not change the way of a packet, because its header has long been sent on when its
// tail is checked: it arrives all the same, marked as corrupt, and the device decides what to do
// with it. Only the answers that switches combine are checked on the way.
package packet
