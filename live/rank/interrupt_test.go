package rank

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// A rank that waits goes on when another goroutine cancels its context, asleep or not, and may go on
// waiting then.
func TestWaitsAreCancelled(t *testing.T) {
	for _, name := range []string{"spinning", "sleeping"} {
		t.Run(name, func(t *testing.T) {
			if err := inProcess(variants[name], 2, cancelled(context.WithCancelCause(t.Context()))); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("between groups", func(t *testing.T) {
		if err := newTestJob(t, variants["sleeping"], 2, mixes["each alone"]).run(cancelled(context.WithCancelCause(t.Context()))); err != nil {
			t.Error(err)
		}
	})
}

// cancelled returns a program in which rank 1 cancels what rank 0 waits in.
func cancelled(ctx context.Context, cancel context.CancelCauseFunc) func(rma.Process) error {
	enough := errors.New("enough")
	return func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) error {
			if c.Rank() == 1 {
				p.Compute(20 * units.Millisecond) // so that the other one sleeps
				cancel(enough)
				return errors.Join(mpi.Barrier(c), mpi.Send(c, 0, 1, []byte{7}))
			}
			into := []byte{0}
			r, err := mpi.IReceive(c.WithContext(ctx), 1, 1, into)
			if err != nil {
				return err
			}
			if _, err := r.Wait(); !errors.Is(err, mpi.ErrInterrupted) || !errors.Is(err, enough) {
				return fmt.Errorf("Wait: error %v; expected ErrInterrupted with the cause", err)
			}
			if err := mpi.Barrier(c); err != nil {
				return err
			}
			if _, err = r.Within(c).Wait(); into[0] != 7 {
				err = errors.Join(err, fmt.Errorf("received %d; expected 7", into[0]))
			}
			return err
		})
	}
}
