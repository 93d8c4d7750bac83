// Package engine is the kernel of the simulated world: a queue of events in
// simulated time and coroutines that run the program of one rank each. It knows
// nothing about networks.
package engine
