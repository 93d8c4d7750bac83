// Package record makes schedules of runs: it is told of the messages of each rank while the rank runs, and
// of what the rank waits for (rma.Recorder), and takes all other time for computation.
//
// A rank is a sequence of operations. Each message starts when the one before it has started, and
// after what the rank has waited for in between. Collective operations are told as their messages,
// and have sequences of their own. A receive that takes any source or tag becomes one of the message
// that it got. What the library does to end its use, such as its last barrier, is not recorded.
package record
