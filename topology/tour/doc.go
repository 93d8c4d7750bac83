// Package tour puts the switches of a network in an order in which neighbours in the order are
// neighbours in the network: [Ring] along a cycle of links, and [Snake] through the coordinates.
// Ranks that are placed so have the next rank one link away.
package tour
