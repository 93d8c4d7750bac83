// Package fabric simulates switches, links and virtual channels.
//
// Two engines carry packets over the same network and routes. The packet engine
// models virtual cut-through at the cost of two or three events per packet and
// switch: because a packet that has been granted a link never stalls on it, the
// times of its header and its tail describe its whole passage, flit by flit. The
// flit engine moves every flit in clock cycles and also does wormhole switching,
// where buffers may be smaller than packets.
package fabric
