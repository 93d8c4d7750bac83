// Package fabric is the contract between devices and what carries their packets: switches, links and
// virtual channels.
//
// Three engines keep it over the same networks and routes: packages packet, flit and flow. The packet
// engine models virtual cut-through at the cost of two or three events per packet and switch. The flit
// engine moves every flit in clock cycles and also does wormhole switching, where buffers may be smaller
// than packets. The flow engine moves long messages as rates. None knows what a header says. A source
// route makes packets longer by as many flits as the device gives them for it.
//
// The driver of a simulation shares an event queue with the fabric: it calls Send for each packet,
// and Run, which handles the fabric's own events until one comes up that reports a packet, such as
// Delivered. The packet keeps its place in the last buffer until Release.
//
// [Fabric] is what all engines do. What only some do has interfaces of its own: [Multicaster],
// [Breakable], [Bulker], [Combiner]. [InOrder] puts packets in order that overtake each other, whatever
// the engine.
package fabric
