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
	exited                    // a process has ended badly that has never joined the job, or after its program
	cutOff                    // the connection to the host of a rank has ended
	missing                   // a process has ended that has never joined the job, and others have
	stuck                     // all ranks wait, and nothing is under way
	cut                       // the connection of a rank with another one is lost
	rejected                  // a rank has sent another one what it must not
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

// failed returns an error if the job has failed, or a message of the rank, for a rank
// that waits.
func (r *rank) failed(why reason) error {
	word := r.job.header.failure.Load()
	if word == 0 {
		return r.lost
	}
	switch f := decodeFailure(word); f.cause {
	case died, exited, missing, cutOff:
		return fmt.Errorf("live: the process of rank %d %s", f.rank, f.exit())
	case returned:
		return fmt.Errorf("live: the program of rank %d has failed", f.rank)
	case cut, rejected:
		return fmt.Errorf("live: rank %d: %s", f.rank, f.trouble())
	}
	return fmt.Errorf("live: rank %d %v, but nothing can happen any more: %s", r.number, why, r.job.standing())
}

// exit says how a process has ended.
func (f failure) exit() string {
	switch {
	case f.status < 0:
		return fmt.Sprintf("was ended by a signal (%v)", syscall.Signal(-f.status))
	case f.cause == exited:
		return fmt.Sprintf("has ended with status %d", f.status)
	case f.cause == cutOff:
		return "is lost: the connection to its host has ended"
	case f.cause == missing:
		return "has ended without a call of live.Run, which others wait in"
	}
	return fmt.Sprintf("has ended, with status %d, before its program was done", f.status)
}
