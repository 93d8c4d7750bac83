// Package nexthop proves forwarding that leaves switches a choice: at every switch a packet may
// leave by each of a set of next hops. Equal-cost routes of RoCE fabrics, adaptive routing and packet
// spraying are such forwarding; tables with one output port are the case of sets of one.
//
// [Rules] say what switches do. [Prove] follows every choice of every packet, from all places where
// packets enter to all destinations. It finds out which pairs may lose packets, and which
// dependencies among lossless lanes of channels arise. As a packet may take any member of a set, a
// cycle of these dependencies can become a deadlock (Dally and Seitz 1987); without a cycle none is
// possible. That a deadlock needs a certain coincidence of choices is no excuse here. But rules may
// have lanes to escape to ([Escaping]): then a cycle among these alone matters (Duato 1993).
//
// A lane is a virtual lane of InfiniBand, or a priority of Ethernet with or without flow control
// (PFC, IEEE 802.1Qbb). Lossy lanes drop packets and so hold nothing up.
package nexthop
