// Package rings plans receive rings: the memory of each process to which the
// network interface appends what others send with rma.Process.IPush.
//
// A private ring holds the messages of one sender. It tells of whole messages, and
// a process that looks for a message of one sender searches that ring only. A ring
// for every process of a large job takes much memory, of which most is never used,
// as a process has few partners. So the partners get private rings and all others
// share one: with p partners of P processes p + 1 rings instead of P (Kitamura et
// al. 2006, on DIMMnet-2). Who the partners are a recorded run tells:
//
//	recorder := rings.NewRecorder(ranks, packet)
//	// run the program with recorder.Watch(p) in place of each process p
//	plan, err := rings.Make(recorder.Record(), budget)
//
// A Record, and rings for all processes, can be kept in files.
//
// What is not modelled: when messages come and go. A Record knows the most that was
// ever under way, from each sender and from all together, and predictions are
// bounds that follow from these. Only a run tells how often a ring is full, and for
// how long.
package rings
