// Package fabric simulates switches, links and virtual channels.
//
// Two engines carry packets over the same network and routes. The packet engine
// models virtual cut-through at the cost of two or three events per packet and
// switch: because a packet that has been granted a link never stalls on it, the
// times of its header and its tail describe its whole passage, flit by flit. The
// flit engine moves every flit in clock cycles and also does wormhole switching,
// where buffers may be smaller than packets.
//
// The packet engine alone has switches that copy packets and combine the answers to
// them ([Multicaster]), packets that take a path the other way round ([Packet.Back])
// and links that get bits wrong ([Config.Errors]). A wrong bit changes nothing of how a
// packet goes, for its header has long been sent on when its tail is checked: it
// arrives all the same, marked as corrupt, and what becomes of it is up to the device.
// Only the answers that switches combine are checked on the way.
//
// Neither engine knows what a header says. A source route makes packets longer by as
// many flits as the device gives them for it.
package fabric
