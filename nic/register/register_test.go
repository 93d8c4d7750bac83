package register

import (
	"errors"
	"testing"
)

// Who may do what with each register, and that a refusal changes nothing.
func TestRegisterRights(t *testing.T) {
	type rights struct{ userReads, userWrites, osReads, osWrites bool }
	want := map[Register]rights{
		Busy:          {true, false, true, false},
		Group:         {false, false, true, true},
		Process:       {true, false, true, true},
		registers:     {},
		registers + 1: {},
	}
	for which, w := range want {
		var r Registers
		got := rights{}
		for _, c := range []struct {
			by            Rights
			reads, writes *bool
		}{{User, &got.userReads, &got.userWrites}, {Privileged, &got.osReads, &got.osWrites}} {
			before := r
			err := r.Write(which, 5, c.by)
			*c.writes = err == nil
			var refused *RightsError
			if err != nil && (!errors.As(err, &refused) || refused.Register != which || !refused.Write || r != before) {
				t.Errorf("%v: write refused with %v, registers %v", which, err, r)
			}
			_, err = r.Read(which, c.by)
			*c.reads = err == nil
		}
		if got != w {
			t.Errorf("%v: %+v, want %+v", which, got, w)
		}
	}
}

func TestNumbersThatAreNoRightsAllowNothing(t *testing.T) {
	var r Registers
	for _, by := range []Rights{Privileged + 1, 0xff} {
		for which := range registers {
			if err := r.Write(which, 5, by); err == nil {
				t.Errorf("%v has written register %v", by, which)
			}
			if _, err := r.Read(which, by); err == nil {
				t.Errorf("%v has read register %v", by, which)
			}
		}
	}
}

func TestRightsErrorsSayWhoMayNotDoWhat(t *testing.T) {
	for _, c := range []struct {
		err  RightsError
		want string
	}{
		{RightsError{Group, true, User}, "register: a user process may not write register group"},
		{RightsError{Busy, true, Privileged}, "register: a privileged process may not write register busy"},
		{RightsError{Process, false, 9}, "register: somebody with rights 9 may not read register process"},
		{RightsError{7, false, User}, "register: there is no register 7; known are busy, group, process"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q; expected %q", got, c.want)
		}
	}
}

func TestOnlyTheOperatingSystemSetsTheProcessGroup(t *testing.T) {
	var r Registers
	if err := r.Write(Group, 7, Privileged); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(Group, 9, User); err == nil {
		t.Error("a user process has set its process group")
	}
	if group, err := r.Read(Group, Privileged); err != nil || group != 7 {
		t.Errorf("group %d, %v; want 7", group, err)
	}
}

func TestBusyWindows(t *testing.T) {
	var r Registers
	r.SetBusy(0, true)
	r.SetBusy(3, true)
	r.SetBusy(0, false)
	if bits, err := r.Read(Busy, User); err != nil || bits != 1<<3 {
		t.Errorf("busy %b, %v; want window 3", bits, err)
	}
}
