// Package nic holds the mechanisms of network interfaces that both worlds use:
// packet format, segmentation, strided and list access, process groups, receive
// rings with their status ring, and retransmission.
//
// They are state machines and arithmetic. They know no time, do no I/O, start no
// goroutines, take no locks, and allocate nothing per packet. Whoever uses them
// moves the bytes, waits, and says when something has happened; package sim/device
// adds clocks.
//
// The mechanisms are those of DIMMnet-2 (Kitamura et al., Design and Implementation
// of Network Interface Controller on DIMMnet-2, IPSJ 2005, and Packet Receiving
// Mechanism Supporting Message Passing Model on DIMMnet-2, 2006).
package nic
