package mpi_test

import (
	"errors"
	"strings"
	"testing"

	"musubi/mpi"
)

type linked struct{ Next *linked }

// Each mistake has the class that MPI gives it, and one line that says what was given
// and expected.
func TestMistakes(t *testing.T) {
	var b [4]byte
	tests := []struct {
		name  string
		class mpi.ErrorClass
		text  string
		do    func(c *mpi.Comm) error
	}{
		{"rank too large", mpi.ErrRank, "mpi: Send at rank 0: to rank 1; expected 0 to 0, or None",
			func(c *mpi.Comm) error { return mpi.Send(c, 1, 0, b[:]) }},
		{"any destination", mpi.ErrRank, "to rank -1; expected",
			func(c *mpi.Comm) error { return mpi.SendSync(c, mpi.AnySource, 0, b[:]) }},
		{"source too large", mpi.ErrRank, "mpi: IReceive at rank 0: from rank 7; expected 0 to 0, AnySource or None",
			func(c *mpi.Comm) error { _, err := mpi.IReceive(c, 7, 0, b[:]); return err }},
		{"source of a probe", mpi.ErrRank, "mpi: IProbe at rank 0: from rank -3",
			func(c *mpi.Comm) error { _, _, err := mpi.IProbe(c, -3, 0); return err }},
		{"any tag sent", mpi.ErrTag, "mpi: ISend at rank 0: tag -1; expected 0 to 2147483647",
			func(c *mpi.Comm) error { _, err := mpi.ISend(c, 0, mpi.AnyTag, b[:]); return err }},
		{"tag too large", mpi.ErrTag, "tag 2147483648; expected 0 to 2147483647, or AnyTag",
			func(c *mpi.Comm) error { _, err := mpi.Match(c, 0, mpi.MaxTag+1); return err }},
		{"pointers", mpi.ErrType, "field Next of mpi_test.linked: elements of type *mpi_test.linked; expected numbers",
			func(c *mpi.Comm) error { return mpi.Send(c, 0, 0, []linked{{}}) }},
		{"strings", mpi.ErrType, "elements of type string; expected",
			func(c *mpi.Comm) error { _, err := mpi.Receive(c, 0, 0, make([]string, 1)); return err }},
		{"arrays of slices", mpi.ErrType, "elements of type []int; expected",
			func(c *mpi.Comm) error { _, err := mpi.SendInit(c, 0, 0, make([][2][]int, 1)); return err }},
		{"no bytes", mpi.ErrType, "elements of type struct {} have no bytes",
			func(c *mpi.Comm) error { return mpi.Send(c, 0, 0, make([]struct{}, 3)) }},
		{"no communicator", mpi.ErrComm, "mpi: Probe: no communicator: it is nil",
			func(*mpi.Comm) error { _, err := mpi.Probe(nil, 0, 0); return err }},
		{"no request", mpi.ErrRequest, "mpi: Wait: no request: it is nil",
			func(*mpi.Comm) error { var r *mpi.Request; _, err := r.Wait(); return err }},
		{"no message", mpi.ErrRequest, "mpi: ReceiveMatched: no request: it is nil",
			func(*mpi.Comm) error { _, err := mpi.ReceiveMatched(nil, b[:]); return err }},
		{"a layout that reaches too far", mpi.ErrArgument, "block 1 of the layout, 2 elements from 3 on; there are 4 elements",
			func(c *mpi.Comm) error { return mpi.SendLayout(c, 0, 0, b[:], mpi.Vector(2, 2, 3)) }},
		{"a layout that begins before", mpi.ErrArgument, "block 0 of the layout, 1 elements from -1 on",
			func(c *mpi.Comm) error {
				_, err := mpi.ReceiveLayout(c, 0, 0, b[:], mpi.Indexed(mpi.Block{At: -1, Count: 1}))
				return err
			}},
		{"a subarray that reaches too far", mpi.ErrArgument, "dimension 1 of a subarray, 2 elements from 1 on; there are 2 elements",
			func(c *mpi.Comm) error {
				return mpi.SendLayout(c, 0, 0, b[:], mpi.Subarray([]int{2, 2}, []int{1, 2}, []int{0, 1}))
			}},
		{"a subarray without dimensions", mpi.ErrArgument, "a subarray of 0 dimensions, with 0 counts and 1 begins; expected",
			func(c *mpi.Comm) error { return mpi.SendLayout(c, 0, 0, b[:], mpi.Subarray(nil, nil, []int{0})) }},
		{"a layout of less than nothing", mpi.ErrArgument, "a layout of -1 blocks of 2 elements",
			func(c *mpi.Comm) error { return mpi.SendLayout(c, 0, 0, b[:], mpi.Vector(-1, 2, 2)) }},
	}
	everywhere(t, 1, func(c *mpi.Comm) error {
		for _, test := range tests {
			err := test.do(c)
			var e *mpi.Error
			switch {
			case !errors.Is(err, test.class) || !errors.As(err, &e) || e.Class != test.class:
				t.Errorf("%s: error %v; expected class %q", test.name, err, test.class)
			case !strings.Contains(err.Error(), test.text) || strings.Contains(err.Error(), "\n"):
				t.Errorf("%s: error %q; expected one line with %q", test.name, err, test.text)
			}
		}
		return nil
	})
}

func TestErrorClassesHaveNames(t *testing.T) {
	names := map[string]mpi.ErrorClass{}
	for class := mpi.ErrOther; class <= mpi.ErrRequest; class++ {
		name := class.Error()
		if other, twice := names[name]; twice || strings.Contains(name, "error class") {
			t.Errorf("class %d is called %q, as class %d is", class, name, other)
		}
		names[name] = class
	}
	if got := mpi.ErrorClass(0).Error(); got != "mpi: error class 0" {
		t.Errorf("class 0 is called %q", got)
	}
}

func TestWrongOptions(t *testing.T) {
	for _, test := range []struct {
		options mpi.Options
		text    string
	}{
		{mpi.Options{Rings: "both"}, `rings "both"; expected private or shared`},
		{mpi.Options{RingBytes: -1}, "rings of -1 bytes; expected at least a packet"},
		{mpi.Options{Rings: "private", RingBytes: 1}, "has 1 bytes; expected at least the 4096 of a packet"},
	} {
		err := job{machine: "ndr", ranks: 2, options: test.options}.run(func(*mpi.Comm) error { return nil })
		if !errors.Is(err, mpi.ErrArgument) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%+v: error %v; expected ErrArgument with %q", test.options, err, test.text)
		}
	}
}
