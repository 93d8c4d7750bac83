package memory

import (
	"errors"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
)

// TestProgramLearnsOfIntrusions lets a program wait until it has been told who has tried to
// write to its memory without the right to. Nothing is written.
func TestProgramLearnsOfIntrusions(t *testing.T) {
	c := hosttest.NewCluster(t, "ssscore", "mesh:1x2", 1)
	hosttest.Run(t, c, func(p rma.Process) error {
		memory := make([]byte, 8)
		segment := p.Expose(memory)
		if p.Rank() == 1 {
			p.(rma.Guarded).NameAccess(0)
			op, err := p.Push(rma.Address{Segment: segment}, []byte{1}, rma.DMA)
			if err := errors.Join(err, p.Wait(op)); err == nil {
				t.Error("a forged write succeeded")
			}
			return nil
		}
		guard := p.(rma.Guarded)
		if err := p.WaitUntil(func() bool { return len(guard.Violations()) > 0 }); err != nil {
			return err
		}
		id := modelOf(c).residents.processes[1].id
		want := rma.Violation{From: 1, Process: id.Process, Access: id.Access, Times: 1}
		if got := guard.Violations(); len(got) != 1 || got[0] != want || memory[0] != 0 {
			t.Errorf("told of %+v, and memory has %d; want %+v, and 0", got, memory[0], want)
		}
		return nil
	})
}
