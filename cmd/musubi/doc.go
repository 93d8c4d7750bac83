// Command musubi computes and proves routings of cluster interconnects, and runs
// message-passing workloads on simulated clusters.
//
// Run "musubi help" for its subcommands. The guide to routing is docs/routing.md.
package main
