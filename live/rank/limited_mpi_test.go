package rank

import (
	"context"
	"errors"
	"testing"
	"time"

	"musubi/mpi"
	"musubi/rma"
)

// A rank that waits within a limit sees the note of a rank that comes late, and does nothing else.
func TestLimitedBarrierSeesNotes(t *testing.T) {
	for _, sleeps := range []bool{false, true} {
		passed := make(chan struct{})
		err := inProcess(variant{ringBytes: 64 << 10, arenaBytes: 8 << 20, sleeps: sleeps}, 2, func(p rma.Process) error {
			return mpi.Run(p, func(c *mpi.Comm) error {
				if err := mpi.Barrier(c); err != nil {
					return err
				}
				if c.Chosen() != "notes" {
					t.Errorf("sleeps %v: a barrier by %s; expected notes", sleeps, c.Chosen())
				}
				if c.Rank() == 0 {
					defer close(passed)
					ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
					defer cancel()
					return mpi.Barrier(c.WithContext(ctx))
				}
				time.Sleep(50 * time.Millisecond) // rank 0 waits in its barrier by now
				if err := mpi.Barrier(c); err != nil {
					return err
				}
				select {
				case <-passed:
					return nil
				case <-time.After(10 * time.Second):
					return errors.New("rank 0 does not see the note")
				}
			})
		})
		if err != nil {
			t.Errorf("sleeps %v: %v", sleeps, err)
		}
	}
}

// A rank that waits within a limit says what for if somebody asks, as any other one does.
func TestLimitedWaitIsExplained(t *testing.T) {
	for _, sleeps := range []bool{false, true} {
		err := inProcess(variant{ringBytes: 64 << 10, sleeps: sleeps}, 2, func(p rma.Process) error {
			return mpi.Run(p, func(c *mpi.Comm) error {
				in := make([]int32, 1)
				if c.Rank() == 0 {
					ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
					defer cancel()
					_, err := mpi.Receive(c.WithContext(ctx), 1, 7, in)
					return err
				}
				job := p.(*Rank).job
				text := ""
				for end := time.Now().Add(10 * time.Second); text == "" && time.Now().Before(end); text = job.Ranks[0].Statement.Read() {
					job.AskAndWait()
				}
				if want := "Receive from rank 1 with tag 7"; text != want {
					t.Errorf("sleeps %v: rank 0 waits in %q; expected %q", sleeps, text, want)
				}
				return mpi.Send(c, 0, 7, in)
			})
		})
		if err != nil {
			t.Errorf("sleeps %v: %v", sleeps, err)
		}
	}
}
