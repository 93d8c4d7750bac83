package live

import (
	"fmt"
	"syscall"
)

// cause is why a job has failed.
type cause uint8

const (
	died     cause = 1 + iota // the process of a rank has ended before its program
	returned                  // the program of a rank has returned an error
	stuck                     // all ranks wait, and nothing is under way
)

// failure is the first thing that has gone wrong in a job.
type failure struct {
	cause  cause
	rank   int
	status int // of the process; negative: the signal that has ended it
}

// A failure is told in one word: from the lowest bit 16 for the rank, 8 for the
// cause, 32 for the status.
func (f failure) encode() uint64 {
	return uint64(f.rank) | uint64(f.cause)<<16 | uint64(uint32(int32(f.status)))<<24
}

func decodeFailure(word uint64) failure {
	return failure{cause: cause(word >> 16), rank: int(word & 0xffff), status: int(int32(uint32(word >> 24)))}
}

// fail ends the job, unless it has failed before, and wakes all ranks.
func (g *region) fail(f failure) {
	g.header.failure.CompareAndSwap(0, f.encode())
	g.wakeAll()
}

// failed returns an error if the job has failed, for a rank that waits.
func (r *rank) failed(why reason) error {
	word := r.job.header.failure.Load()
	if word == 0 {
		return nil
	}
	switch f := decodeFailure(word); f.cause {
	case died:
		return fmt.Errorf("live: the process of rank %d %s", f.rank, f.exit())
	case returned:
		return fmt.Errorf("live: the program of rank %d has failed", f.rank)
	}
	return fmt.Errorf("live: rank %d %v, but nothing can happen any more: %s", r.number, why, r.job.standing())
}

// exit says how a process has ended.
func (f failure) exit() string {
	if f.status < 0 {
		return fmt.Sprintf("was ended by a signal (%v)", syscall.Signal(-f.status))
	}
	return fmt.Sprintf("has ended, with status %d, before its program was done", f.status)
}
