// Package nic holds the mechanisms of DIMMnet-2's network interface that both worlds use:
// packets, their segmentation and retransmission, process groups, and receive rings with
// their status ring. Packages below it hold those of other interfaces: command queues (cmdq),
// barriers (barrier), memory-based communication (mbc) and registers with rights (register).
//
// They are state machines and arithmetic. They know no time, do no I/O, start no
// goroutines, take no locks, and allocate nothing per packet. Whoever uses them
// moves the bytes, waits, and says when something has happened.
//
// Sources: Kitamura et al., Design and Implementation of Network Interface Controller on
// DIMMnet-2, IPSJ 2005, and Packet Receiving Mechanism Supporting Message Passing Model on
// DIMMnet-2, 2006.
package nic
