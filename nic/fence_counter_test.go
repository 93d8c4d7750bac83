package nic

import "testing"

func TestFenceCounter(t *testing.T) {
	var f FenceCounter
	if ticket := f.Barrier(); !f.Passed(ticket) {
		t.Error("a barrier behind nothing is not passed")
	}
	first := f.Issued()
	early := f.Barrier()
	second := f.Issued()
	late := f.Barrier()
	if again := f.Barrier(); again != late {
		t.Errorf("a second barrier behind the same accesses has ticket %d; expected %d", again, late)
	}
	f.Issued() // covered by none
	if !f.Acked(second) || f.Passed(early) || f.Passed(late) {
		t.Error("a barrier is passed before the first access is acknowledged")
	}
	if f.Acked(second) {
		t.Error("an access is acknowledged twice")
	}
	if !f.Acked(first) || !f.Passed(early) || !f.Passed(late) || f.Outstanding() != 1 {
		t.Error("both barriers should be passed, with one access under way")
	}
}
