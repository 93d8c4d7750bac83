// Package halo measures the exchange of boundaries between neighbours of a grid, alone and beside a
// computation that may hide it.
package halo
