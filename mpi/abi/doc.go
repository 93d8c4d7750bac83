// Package abi carries out the functions of the MPI standard ABI: calls come as numbers and words,
// as C programs make them, and their data lies in memory that only a Host can reach. So the same
// code serves C programs in live jobs, whose memory is that of the process itself, and in simulated
// ones, whose ranks are processes of their own.
//
// A Process is one rank. Its parts are
//
//	Call           the words of one call, and the objects that they name
//	handle.Table   objects by handle: communicators, datatypes, requests and so on
//	typemap.Type   which bytes of the program's memory a message is made of
//	Landing        where what arrives is put when a request is complete
//	Failure        an error with its class, which error handlers get
//
// The functions themselves are in packages by their subject, and add themselves; package functions has all of them.
package abi
