// Package pairs measures messages between pairs of ranks, by each mechanism of a network interface:
// their latency, their bandwidth, how many fit in a second, and what the receiver pays.
package pairs
