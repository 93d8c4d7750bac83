// Package onesided says which bytes a one-sided operation takes, and what it makes of a word:
// the vocabulary that the contract (package rma) and the mechanisms of network interfaces
// (packages below nic) have in common.
//
// A [Layout] names contiguous, strided or listed elements of a memory. It is checked once,
// gathered from and scattered to memory piece by piece, and encoded for packets. A
// [Reduction] combines words, and an [Atomic] is what one process asks to be done to a word
// of another in one step.
package onesided
