package rank

import (
	"testing"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// A rank that tries again and again to change an element of its own, by package mpi, does
// what a rank of another group wants of it, also if it has received a message before that
// package mpi has read where it lay.
func TestWhoTriesInVainByWindowsHoldsUpNobody(t *testing.T) {
	err := newTestJob(t, variants["windows"], 3, mixes["in pairs"]).run(func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) error {
			w, err := mpi.AllocateWindow[int64](c, 1)
			if err != nil {
				return err
			}
			if err := w.LockAll(); err != nil {
				return err
			}
			if err := mpi.Barrier(c); err != nil {
				return err
			}
			word := []byte{0}
			switch c.Rank() {
			case 0:
				err = mpi.Send(c, 1, 0, word)
			case 1:
				if _, err = mpi.Receive(c, 0, 0, word); err != nil {
					return err
				}
				for was := int64(0); was != 1 && err == nil; {
					was, err = w.CompareAndSwap(1, 0, 1, 2)
				}
			case 2:
				p.Compute(20 * units.Millisecond) // so that the others are as far
				_, err = w.FetchAndOp(1, 0, 1, mpi.Replace[int64]())
			}
			if err != nil {
				return err
			}
			if err := w.UnlockAll(); err != nil {
				return err
			}
			return w.Free()
		})
	})
	if err != nil {
		t.Error(err)
	}
}
