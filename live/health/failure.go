package health

import (
	"fmt"
	"syscall"
	"time"
)

// Cause is why a job has failed.
type Cause uint8

const (
	Died      Cause = 1 + iota // the process of a rank has ended before its program
	Returned                   // the program of a rank has returned an error
	Exited                     // a process has ended badly that has never joined the job, or after its program
	CutOff                     // the connection to the host of a rank has ended
	missing                    // a process has ended that has never joined the job, and others have
	Stuck                      // all ranks wait, and nothing is under way
	Cut                        // the connection of a rank with another one is lost
	Rejected                   // a rank has sent another one what it must not
	SilentFor                  // a rank, or the launcher, has given no sign of life
	gone                       // a rank, or the launcher, has closed its connection with the other
	late                       // a rank has not come in time
)

// Failure is the first thing that has gone wrong in a job.
type Failure struct {
	Cause Cause
	Rank  int // noRank: the launcher
	// Status is the exit status of the process that has died, or minus the signal that has ended it;
	// of silentFor and late the time, in milliseconds; of cut and rejected the rank that says
	// so.
	Status int
}

// A failure is told in one word: from the lowest bit 16 for the rank, 8 for the
// cause, 32 for the status.
func (f Failure) Encode() uint64 {
	return uint64(f.Rank) | uint64(f.Cause)<<16 | uint64(uint32(int32(f.Status)))<<24
}

func DecodeFailure(word uint64) Failure {
	return Failure{Cause: Cause(word >> 16), Rank: int(word & 0xffff), Status: int(int32(uint32(word >> 24)))}
}

// isOfConnections reports whether a cause is about connections, which end with the job.
func (c Cause) isOfConnections() bool { return c == SilentFor || c == gone || c == Cut }

func milliseconds(d time.Duration) int { return int(d.Milliseconds()) }

// Sentence says what has happened. name names ranks.
func (f Failure) Sentence(name func(rank int) string) string {
	who := name(f.Rank)
	switch f.Cause {
	case Died, Exited, CutOff, missing, gone:
		return "the process of " + who + " " + f.exit()
	case Returned:
		return "the program of " + who + " has failed"
	case Cut, Rejected:
		return who + ": " + f.trouble(name)
	}
	return who + " " + f.inaction()
}

// Predicate says what has happened to a rank that is known. name names others.
func (f Failure) Predicate(name func(rank int) string) string {
	switch f.Cause {
	case Died, Exited, CutOff, missing, gone:
		return "the process " + f.exit()
	case Cut, Rejected:
		return f.trouble(name)
	}
	return "it " + f.inaction()
}

// exit says how a process has ended.
func (f Failure) exit() string {
	switch {
	case f.Cause == gone:
		return "has ended before its program was done"
	case f.Status < 0:
		return fmt.Sprintf("was ended by a signal (%v)", syscall.Signal(-f.Status))
	case f.Cause == Exited:
		return fmt.Sprintf("has ended with status %d", f.Status)
	case f.Cause == CutOff:
		return "is lost: the connection to its host has ended"
	case f.Cause == missing:
		return "has ended without a call of live.Run, which others wait in"
	}
	return fmt.Sprintf("has ended, with status %d, before its program was done", f.Status)
}

// trouble says what has gone wrong between the rank of a failure and another one.
func (f Failure) trouble(name func(rank int) string) string {
	if f.Cause == Rejected {
		return "it has sent " + name(f.Status) + " what no rank sends"
	}
	return "its connection with " + name(f.Status) + " is lost"
}

// inaction says what a rank has not done.
func (f Failure) inaction() string {
	limit := time.Duration(f.Status) * time.Millisecond
	if f.Cause == late {
		return fmt.Sprintf("has not come within %v", limit)
	}
	return fmt.Sprintf("has given no sign of life for %v", limit)
}
