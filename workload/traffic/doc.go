// Package traffic offers traffic patterns to a network: permutations, hot spots and others, as blocking
// senders (the closed loop) or at a given load (the open loop).
package traffic
