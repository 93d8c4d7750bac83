// Package contention lets all ranks contend for words in the memory of one rank: a counter, a
// lock, a queue, and several words at once. Each kind checks at its end what has become of the
// words, so that it finds changes that are not atomic. Network interfaces change the words, or
// package mpi does by messages.
package contention
