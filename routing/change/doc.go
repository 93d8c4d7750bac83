// Package change keeps what still works of a fabric's forwarding tables when links or switches go,
// and proves the transition from the old tables to the new ones.
//
//	f := change.Read(t)                       // from tables.InfiniBand
//	r := change.Repair(f, loss)               // new entries where the old ones lead to what is gone
//	p := change.Prove(f, r.New, loss)         // may the switches change in any order?
//	plan := p.Plan(change.PlanOptions{})      // if not: an order, lanes, or whose traffic has to stop
//
// While switches change one after the other, a packet meets old entries at some and new ones at
// others. So two routings that are free of deadlock may be able to deadlock together. A proof takes
// every mix of entries along a path, and the service levels that sources have kept from before:
// for each destination, each switch may send packets where the old or where the new table says, and
// the dependencies among the channels of all these paths must close no cycle (after Duato, Lysne,
// Pang, Pinkston, "A Theory for Deadlock-Free Dynamic Network Reconfiguration", IEEE TPDS 2005).
// A loop of packets is such a cycle, too.
//
// Channels of InfiniBand are those of virtual lanes; the lane follows from the service level of a
// packet and the ports of the switch.
package change
