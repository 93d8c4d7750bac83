// Package rings plans receive rings: the memory of each process to which the network interface
// appends the messages that others send with rma.Process.IPush.
//
// A private ring holds the messages of one sender. Its status is per message, and a process that
// looks for a message of one sender searches that ring only. A ring for every process of a large
// job takes much memory, most of which is never used, because a process has few partners. So the
// partners get private rings and all others share one: with p partners of P processes, p + 1 rings
// instead of P (Kitamura et al. 2006, on DIMMnet-2). A recorded run tells who the partners are:
//
//	recorder := rings.NewRecorder(ranks, packet)
//	// run the program with recorder.Watch(p) in place of each process p
//	plan, err := rings.Make(recorder.Record(), budget)
//
// A Record, and rings for all processes, can be kept in files.
//
// A Record does not contain when messages come and go. It has the largest number of bytes in
// flight, from each sender and from all together, and predictions are bounds that follow from
// these. Only a run tells how often a ring is full, and for how long.
package rings
