// Package tuning keeps how long collective operations have taken by each algorithm, on one machine,
// and tells from that which algorithm is the fastest: at what was measured, and between and beyond
// that by a model of cost.
//
// The model takes the time of an algorithm to be a power of the bytes, and of the ranks, from each
// measured point to the next.
package tuning
