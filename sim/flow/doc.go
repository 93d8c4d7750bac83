// Package flow simulates networks in which the bytes of long messages move as rates.
//
// It is the third engine behind [fabric.Fabric], beside the packet engine and the flit engine. A
// device hands it a long message as a whole ([fabric.Bulker]). Its bytes flow at a rate that is max-min
// fair ([maxmin]) over the links of its route and the parts of devices that it passes. Rates change
// when messages begin and end, and only those are computed anew that others have an effect on. So a
// message takes a few events, however long it is: one that meets no others takes two, for its end at the
// source and for its arrival.
//
// Single packets travel as packets do in an idle network, and wait at links for the packets that have
// come before. They take an event for each link, and slow down the flows there. Signals, which have no data,
// do the same without events ([fabric.Signaller]): when they will arrive is known when they are sent.
//
// # What it leaves out
//
// There are no buffers: packets wait where they are, without holding back others, and a message that is
// slow on one link takes no room on others. So networks do not deadlock, and nothing is seen of full
// buffers, virtual channels and flow control. Links are shared among messages, where switches serve
// their inputs in turn. Links have no errors. Switches neither copy packets nor combine answers, and
// packets take no path backwards.
//
//	fabric.go   the interface; counters
//	build.go    links
//	packet.go   the way of a single packet
//	signal.go   that of a packet that has no data
//	bulk.go     long messages
//	combine.go  those that switches combine
//	fail.go     links that fail, and what is lost
package flow
