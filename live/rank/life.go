package rank

import (
	"musubi/live/health"
	"musubi/live/shm"
	"musubi/live/tcp"
	"os"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"
)

// Attend lets a rank take its place among those of other groups.
func (r *Rank) Attend(c *health.Control, f *tcp.Streams, bound time.Duration) error {
	r.control = c
	f.Identity.Refusals.Show(r.job.Ranks[r.number].Refused[:])
	c.Attach(r.job)
	err := r.connect(f, c.Peers, bound)
	if err != nil {
		r.fail(health.Failure{Cause: health.Returned, Rank: r.number})
	}
	return err
}

// Begin waits for the other ranks of the group. The program may begin then.
func (r *Rank) Begin() error {
	if err := r.meet(); err != nil {
		return err
	}
	r.start, r.started = time.Now(), true
	return nil
}

// End says that the program has returned, with an error or nil, and serves the other ranks until
// their programs have. It returns the error, or why they have failed.
func (r *Rank) End(err error) error {
	defer r.commands.End()
	if err != nil {
		r.fail(health.Failure{Cause: health.Returned, Rank: r.number})
		return err
	}
	return r.serveOthers()
}

// meet waits until all ranks of the group are there, and finds out with them whether they
// may copy from each other's memory.
func (r *Rank) meet() error {
	h := r.job.Header
	if h.NoDirect == 0 {
		shm.AllowAccess(r.Parent)
	}
	state := &r.job.Ranks[r.number]
	state.Pid.Store(uint32(os.Getpid()))
	state.Probed.Store(uint64(uintptr(unsafe.Pointer(probed))))
	if err := r.assemble(&h.Joined); err != nil {
		return err
	}
	if h.NoDirect == 1 || !r.mayCopy() {
		h.Refused.Add(1)
	}
	if err := r.assemble(&h.Probed); err != nil {
		return err
	}
	if r.direct = h.Refused.Load() == 0; r.direct {
		r.commands.AllowCopies()
	}
	return nil
}

// assemble counts this rank and waits until all of its group are counted.
func (r *Rank) assemble(c *atomic.Uint32) error {
	all := uint32(r.job.Header.Local)
	if c.Add(1) == all {
		r.job.WakeAll()
	}
	return r.await(shm.InStart, func() bool { return c.Load() == all })
}

// probed is what other ranks try to read.
var probed = new([8]byte)

// mayCopy tries to read memory of the next rank of the group.
func (r *Rank) mayCopy() bool {
	var word [8]byte
	group := r.job.Locals()
	next := group[(slices.Index(group, r.number)+1)%len(group)]
	return shm.ReadFar(r.job.Pid(next), word[:], r.job.Ranks[next].Probed.Load()) == nil
}

// serveOthers serves the other ranks until all have ended.
func (r *Rank) serveOthers() error {
	r.job.Ranks[r.number].Ended.Store(1)
	h := r.job.Header
	last := h.Ended.Add(1) == uint32(h.Local)
	switch {
	case r.control != nil:
		r.control.TellEnd()
	case last:
		h.AllEnded.Store(1)
		r.job.WakeAll()
	}
	return r.await(shm.InEnd, func() bool { return h.AllEnded.Load() == 1 })
}
