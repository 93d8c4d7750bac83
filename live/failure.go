package live

import (
	"cmp"
	"errors"
	"fmt"
	"syscall"
	"time"

	"musubi/live/wire"
	"musubi/rma"
)

// cause is why a job has failed.
type cause uint8

const (
	died      cause = 1 + iota // the process of a rank has ended before its program
	returned                   // the program of a rank has returned an error
	exited                     // a process has ended badly that has never joined the job, or after its program
	cutOff                     // the connection to the host of a rank has ended
	missing                    // a process has ended that has never joined the job, and others have
	stuck                      // all ranks wait, and nothing is under way
	cut                        // the connection of a rank with another one is lost
	rejected                   // a rank has sent another one what it must not
	silentFor                  // a rank, or the launcher, has given no sign of life
	gone                       // a rank, or the launcher, has closed its connection with the other
	late                       // a rank has not come in time
)

// failure is the first thing that has gone wrong in a job.
type failure struct {
	cause cause
	rank  int // noRank: the launcher
	// status is that of the process that has died, or minus the signal that has ended it;
	// of silentFor and late the time, in milliseconds; of cut and rejected the rank that says
	// so.
	status int
}

// noRank stands for the launcher.
const noRank = 0xffff

// A failure is told in one word: from the lowest bit 16 for the rank, 8 for the
// cause, 32 for the status.
func (f failure) encode() uint64 {
	return uint64(f.rank) | uint64(f.cause)<<16 | uint64(uint32(int32(f.status)))<<24
}

func decodeFailure(word uint64) failure {
	return failure{cause: cause(word >> 16), rank: int(word & 0xffff), status: int(int32(uint32(word >> 24)))}
}

// isOfConnections reports whether a cause is about connections, which end with the job.
func (c cause) isOfConnections() bool { return c == silentFor || c == gone || c == cut }

func milliseconds(d time.Duration) int { return int(d.Milliseconds()) }

// fail ends the job for the group, unless it has failed before, and wakes all ranks. It
// reports whether it has.
func (g *region) fail(f failure) (first bool) {
	first = g.header.failure.CompareAndSwap(0, f.encode())
	g.wakeAll()
	return first
}

// fail ends the job, unless it has failed before. Who has found out that first tells the
// hub: a program that fails for that reason must not get there before.
func (r *rank) fail(f failure) {
	if r.job.fail(f) && r.control != nil {
		r.control.tell(f)
	}
}

// cutFrom notes that the connection with another rank is lost. Whether that is what has gone
// wrong is for the hub to say.
func (r *rank) cutFrom(peer int) {
	f := failure{cause: cut, rank: peer, status: r.number}
	switch {
	case r.job.header.allEnded.Load() == 1:
	case r.control == nil:
		r.fail(f)
	default:
		r.control.tell(f)
	}
}

// failed returns an error if the job has failed, or a message of the rank, for a rank
// that waits.
func (r *rank) failed(why reason) error {
	word := r.job.header.failure.Load()
	if word == 0 {
		return r.lost
	}
	f := decodeFailure(word)
	if f.cause == stuck {
		said := fmt.Sprintf("live: rank %d %s, but nothing can happen any more", r.number, r.waiter.doing(why))
		if standing := r.standing(); standing != "" { // the hub may not have told yet
			said += ": " + standing
		}
		return errors.New(said)
	}
	return fmt.Errorf("live: %s", f.sentence(r.nameOf))
}

// errorOf makes an error of a report about an operation of this rank. Where a copy from process
// to process has failed, one of them has most likely ended, and who has started it says why.
func (r *rank) errorOf(p wire.Report, at rma.Address, n int) error {
	if p.Code == wire.NotCopied {
		if err := r.awaitReason(); err != nil {
			return err
		}
	}
	return p.Explain(at, n)
}

// awaitReason waits until somebody says why the job has failed, no longer than others may be
// silent. It counts its looks, not time: who was stopped himself has not listened.
func (r *rank) awaitReason() error {
	const between = time.Millisecond
	for range min(cmp.Or(r.bound, usualBound), usualBound) / between {
		if err := r.failed(inWait); err != nil {
			return err
		}
		time.Sleep(between)
	}
	return nil
}

// sentence says what has happened. name names ranks.
func (f failure) sentence(name func(rank int) string) string {
	who := name(f.rank)
	switch f.cause {
	case died, exited, cutOff, missing, gone:
		return "the process of " + who + " " + f.exit()
	case returned:
		return "the program of " + who + " has failed"
	case cut, rejected:
		return who + ": " + f.trouble(name)
	}
	return who + " " + f.inaction()
}

// predicate says what has happened to a rank that is known. name names others.
func (f failure) predicate(name func(rank int) string) string {
	switch f.cause {
	case died, exited, cutOff, missing, gone:
		return "the process " + f.exit()
	case cut, rejected:
		return f.trouble(name)
	}
	return "it " + f.inaction()
}

// exit says how a process has ended.
func (f failure) exit() string {
	switch {
	case f.cause == gone:
		return "has ended before its program was done"
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

// trouble says what has gone wrong between the rank of a failure and another one.
func (f failure) trouble(name func(rank int) string) string {
	if f.cause == rejected {
		return "it has sent " + name(f.status) + " what no rank sends"
	}
	return "its connection with " + name(f.status) + " is lost"
}

// inaction says what a rank has not done.
func (f failure) inaction() string {
	limit := time.Duration(f.status) * time.Millisecond
	if f.cause == late {
		return fmt.Sprintf("has not come within %v", limit)
	}
	return fmt.Sprintf("has given no sign of life for %v", limit)
}

// nameOf names a rank for messages, with its host if there are several.
func (r *rank) nameOf(rank int) string {
	if r.far != nil {
		return r.far.nameOf(rank)
	}
	return rankOn(rank, "")
}

// rankOn names a rank and its host, if that is worth saying.
func rankOn(rank int, host string) string {
	switch {
	case rank == noRank:
		return "the launcher"
	case host != "":
		return fmt.Sprintf("rank %d on %s", rank, host)
	}
	return fmt.Sprintf("rank %d", rank)
}

// standing says what all ranks do, for a job that is stuck.
func (r *rank) standing() string {
	if r.control != nil {
		return r.control.standing()
	}
	return r.job.standing()
}
