// Package onesided holds the layouts of one-sided operations and the atomic operations on words:
// the vocabulary that the contract (package rma) and the mechanisms of network interfaces (packages
// below nic) share.
//
// A [Layout] names contiguous, strided or listed elements of a memory. It is checked once,
// gathered from and scattered to memory piece by piece, and encoded for packets. A
// [Reduction] combines words, and an [Atomic] is what one process asks to be done to a word
// of another in one step.
package onesided
