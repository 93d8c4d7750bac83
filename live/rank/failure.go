package rank

import (
	"cmp"
	"errors"
	"fmt"
	"musubi/live/health"
	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/rma"
	"time"
)

// fail ends the job, unless it has failed before. Who has found out that first tells the
// hub: a program that fails for that reason must not get there before.
func (r *member) fail(f health.Failure) {
	if r.job.Fail(f.Encode()) && r.control != nil {
		r.control.Tell(f)
	}
}

// cutFrom notes that the connection with another rank is lost. Whether that is what has gone
// wrong is for the hub to say.
func (r *member) cutFrom(peer int) {
	f := health.Failure{Cause: health.Cut, Rank: peer, Status: r.number}
	switch {
	case r.job.Header.AllEnded.Load() == 1:
	case r.control == nil:
		r.fail(f)
	default:
		r.control.Tell(f)
	}
}

// failed returns an error if the job has failed, or a message of the rank, for a rank
// that waits.
func (r *member) failed(why shm.Reason) error {
	word := r.job.Header.Failure.Load()
	if word == 0 {
		return r.lost
	}
	f := health.DecodeFailure(word)
	if f.Cause == health.Stuck {
		said := fmt.Sprintf("live: rank %d %s, but nothing can happen any more", r.number, r.doing(why))
		if standing := r.standing(); standing != "" { // the hub may not have told yet
			said += ": " + standing
		}
		return errors.New(said)
	}
	return fmt.Errorf("live: %s", f.Sentence(r.nameOf))
}

// errorOf makes an error of a report about an operation of this rank. Where a copy from process
// to process has failed, one of them has most likely ended, and who has started it says why.
func (r *member) errorOf(p wire.Report, at rma.Address, n int) error {
	if p.Code == wire.NotCopied {
		if err := r.awaitReason(); err != nil {
			return err
		}
	}
	return p.Explain(at, n)
}

// awaitReason waits until somebody says why the job has failed, no longer than others may be
// silent. It counts its looks, not time: who was stopped himself has not listened.
func (r *member) awaitReason() error {
	const between = time.Millisecond
	for range min(cmp.Or(r.Bound, health.UsualBound), health.UsualBound) / between {
		if err := r.failed(shm.InWait); err != nil {
			return err
		}
		time.Sleep(between)
	}
	return nil
}

// nameOf names a rank for messages, with its host if there are several.
func (r *member) nameOf(rank int) string {
	if r.far != nil {
		return r.far.NameOf(rank)
	}
	return wire.RankOn(rank, "")
}

// standing says what all ranks do, for a job that is stuck.
func (r *member) standing() string {
	if r.control != nil {
		return r.control.Standing()
	}
	return r.job.Standing()
}
