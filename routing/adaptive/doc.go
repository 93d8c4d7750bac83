// Package adaptive routes packets that choose their way as they go.
//
// A [Scheme] says for each switch, destination and state of a packet which moves it may make: to a
// next hop, on a virtual channel, into another state. Every packet enters in state 0. The state is
// what switches must remember of it: that it is on its way to an intermediate switch, say. All
// moves together are [nexthop.Rules] (see [Rules]), and so are proved as a whole: whatever packets
// choose, no deadlock is possible. A fabric asks [Scheme.Choose] for one of the moves, with a [View]
// of the queues that the switch can see.
//
//	basis.go, shortest.go,      sets of next hops by switch and destination: all shortest ones, with
//	order.go, lines.go,         the virtual channels that keep them free of cycles; dimension order, in grids and in a
//	updown.go                   HyperX; Up*/Down*
//	minimal.go, escape.go       packets that stay on a basis, choosing by hash, at random or by queues;
//	                            shortest ways with a basis to escape to (Duato)
//	detour.go, groups.go        Valiant and UGAL: by way of an intermediate switch or group
//	booksim.go                  the two routings of BookSim2's dragonfly, for comparison
//	rules.go                    a scheme as rules, to be proved
package adaptive
