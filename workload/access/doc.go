// Package access measures accesses to the memory of other ranks: atomic operations on the same words,
// fences, layouts of elements that are apart, and accesses without a right to.
package access
