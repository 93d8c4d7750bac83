package rank

import (
	"context"
	"sync/atomic"

	"musubi/live/shm"
	"musubi/rma"
)

var _ rma.Interruptible = (*Rank)(nil)

// AwaitContext implements rma.Interruptible. It looks at the condition all the time: it may be about notes of a shared barrier, which
// are no pushes.
func (r *Rank) AwaitContext(ctx context.Context, condition func() bool, list ...rma.Op) error {
	defer shm.LoadFence()
	if err := r.ready(); err != nil {
		return err
	}
	var over atomic.Bool
	told := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		over.Store(true) // first: the rank looks at it between saying that it sleeps and sleeping
		r.job.Wake(r.number)
		close(told)
	})
	defer func() {
		if !stop() { // it is under way, and needs the job's memory
			<-told
		}
	}()
	r.waiter.bounded = true
	defer func() { r.waiter.bounded = false }()
	return r.await(shm.InAwait, func() bool { return over.Load() || r.hasArrivalOr(list) || condition() })
}
