// Package partitioned sends messages in partitions, as MPI 4 has them: a sender tells of each
// partition when its data is ready, and a receiver asks which partitions have arrived. Both may divide
// a message as they like.
//
// Sends and receives are matched in the order in which they are prepared, once: both sides count
// those of a peer and a tag. In its first start a sender announces its partitions, each of which is
// then a message with a tag of its own. So partitions go in any order straight to where they belong,
// and nothing is sent for what is never started.
package partitioned
