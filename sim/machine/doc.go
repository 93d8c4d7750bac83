// Package machine reads and checks machine descriptions: which network, links,
// switches, packets, hosts and network interfaces a simulated cluster has, and
// what each of their steps costs.
//
// A machine is data. Each is one TOML file in which every value says where it
// comes from:
//
//	[switch]
//	latency = { value = "150ns", kind = "derived", source = "...", note = "..." }
//
// Some are built in (Names); WriteTOML writes any of them out, to be edited and
// given to Load by its path. A file may also name a built-in machine as its base
// and hold only what differs, then also without origin:
//
//	base = "rhinet2"
//	[switch]
//	latency = "200ns"
//
// Quantities are written as package units reads them: "150ns", "6Gbit/s",
// "4KiB". The package describes; it builds no fabric and no devices.
package machine
