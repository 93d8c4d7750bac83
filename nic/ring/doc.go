// Package ring holds receive rings with their status ring: the receiving side of IPUSH, by
// which a sender appends to memory of the receiver without knowing its addresses.
//
// A [Receiver] has the rings of one process (entries of the Address Management Table, AMT). It
// says where a packet goes, or that there is no room, and tells the consumer in order of
// arrival what has come. It knows no time, moves no bytes and allocates nothing per packet.
//
// Source: Kitamura et al., Packet Receiving Mechanism Supporting Message Passing Model on
// DIMMnet-2, 2006.
package ring
