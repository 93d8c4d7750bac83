// Package view serves a page on this computer alone, in which a person chooses a network and a
// routing, sees the way between two hosts, the cycle of a routing that can deadlock and how packets
// come to it, runs workloads, and sets two runs side by side.
//
// The page and all that it loads are in the program. It has an address of this computer and a token
// in its path that nobody can guess; requests that name another host, or come from another page, are
// refused (guard.go). What a browser may load is limited to the page itself.
//
//	server.go    addresses and their handlers
//	guard.go     who may ask
//	network.go   a network with its routing: places, links, loads, the cycle
//	way.go       the way between two hosts; the play of a deadlock
//	runs.go      workloads that run, with progress
//	results.go   what a run has given, and two beside each other
//	assets       the page: HTML, CSS and modules of JavaScript
package view
