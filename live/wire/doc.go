// Package wire is what the ranks of a live job say to each other: operations as they travel.
//
// A Transfer is something that one rank sends another, in one part or more. Each part has a Kind,
// which says what its body consists of: fields of fixed length, which most kinds have, then a
// layout or an operation on a word, then data. A body is the same whatever carries it: a record of a ring
// in shared memory, whose word has the kind, or a packet on a connection, which has a Header.
//
// On a connection packets travel in frames, which are encrypted (Keys) unless the job does
// without that. Both ends of a connection are of one version of Musubi, so nothing here has a
// number of its own for versions.
package wire
