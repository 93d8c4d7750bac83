package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"musubi/mpi"
)

// Operations on values give what those on slices of one element do.
func TestValues(t *testing.T) {
	everywhere(t, 5, func(c *mpi.Comm) error {
		x := float64(c.Rank() + 1)
		sum, err1 := mpi.AllReduceValue(c, x, mpi.Sum)
		most, err2 := mpi.ReduceValue(c, 2, x, mpi.Max)
		before, err3 := mpi.ScanValue(c, c.Rank(), mpi.Sum)
		roots, err4 := mpi.BroadcastValue(c, 3, c.Rank())
		one, err5 := mpi.GatherValue(c, 1, int32(c.Rank()))
		all, err6 := mpi.AllGatherValue(c, c.Rank() == 4)
		if err := firstError(err1, err2, err3, err4, err5, err6); err != nil {
			return err
		}
		wantMost, wantOne := 0.0, []int32(nil)
		if c.Rank() == 2 {
			wantMost = 5
		}
		if c.Rank() == 1 {
			wantOne = []int32{0, 1, 2, 3, 4}
		}
		if sum != 15 || most != wantMost || before != c.Rank()*(c.Rank()+1)/2 || roots != 3 || !slices.Equal(one, wantOne) || !slices.Equal(all, []bool{false, false, false, false, true}) {
			return fmt.Errorf("got %v %v %v %v %v %v", sum, most, before, roots, one, all)
		}
		return nil
	})
}

func TestValuesOfNoCommunicatorAreRefused(t *testing.T) {
	_, err1 := mpi.AllGatherValue(nil, 1)
	_, err2 := mpi.GatherValue(nil, 0, 1)
	_, err3 := mpi.AllReduceValue(nil, 1, mpi.Sum)
	_, err4 := mpi.AllToAllVNew(nil, [][]int{{1}})
	for _, err := range []error{err1, err2, err3, err4} {
		if !errors.Is(err, mpi.ErrComm) {
			t.Errorf("error %v; expected ErrComm", err)
		}
	}
}

// Ranks get as much as others send, without knowing before.
func TestAllToAllVNew(t *testing.T) {
	everywhere(t, 4, func(c *mpi.Comm) error {
		in := make([][]int, c.Size())
		counts, flat := make([]int, c.Size()), []int{}
		for to := range in {
			for i := range c.Rank() * to {
				in[to] = append(in[to], 100*c.Rank()+10*to+i)
			}
			counts[to] = len(in[to])
			flat = append(flat, in[to]...)
		}
		out, err := mpi.AllToAllVNew(c, in)
		if err != nil {
			return err
		}
		var want []int
		for from, part := range out {
			for i := range from * c.Rank() {
				want = append(want, 100*from+10*c.Rank()+i)
			}
			if len(part) != from*c.Rank() {
				return fmt.Errorf("%d elements from rank %d; expected %d", len(part), from, from*c.Rank())
			}
		}
		if got := slices.Concat(out...); !slices.Equal(got, want) {
			return fmt.Errorf("got %v; expected %v", got, want)
		}
		into := make([]int, len(flat)) // what comes is as much as what goes
		if err := mpi.AllToAllVCounts(c, flat, counts, into, counts); err != nil || !slices.Equal(into, want) {
			return fmt.Errorf("by counts %v, %w; expected %v", into, err, want)
		}
		return nil
	})
}

func TestParts(t *testing.T) {
	data := []int{0, 1, 2, 3, 4, 5}
	parts, err := mpi.Parts(data, []int{2, 0, 3}, []int{4, 6, 1})
	if err != nil || fmt.Sprint(parts) != "[[4 5] [] [1 2 3]]" {
		t.Errorf("parts %v, %v", parts, err)
	}
	for _, wrong := range []struct{ counts, displacements []int }{
		{[]int{7}, nil}, {[]int{-1}, nil}, {[]int{1}, []int{6}}, {[]int{1}, []int{-1}}, {[]int{3, 4}, nil}, {[]int{1, 1}, []int{0}},
	} {
		if _, err := mpi.Parts(data, wrong.counts, wrong.displacements); !errors.Is(err, mpi.ErrCount) {
			t.Errorf("%v: error %v; expected ErrCount", wrong, err)
		}
	}
}

// Each request is yielded once, with what it has received, and statuses are in the order of requests.
func TestCompletions(t *testing.T) {
	everywhere(t, 3, func(c *mpi.Comm) error {
		for _, iterate := range []bool{true, false} {
			var requests []*mpi.Request
			into := make([][]int, c.Size())
			for from := range c.Size() {
				into[from] = make([]int, 3)
				r, err := mpi.IReceive(c, from, 1, into[from])
				if err != nil {
					return err
				}
				requests = append(requests, r)
			}
			for to := range c.Size() {
				r, err := mpi.ISend(c, to, 1, make([]int, 1+c.Rank()))
				if err != nil {
					return err
				}
				requests = append(requests, r)
			}
			statuses := make([]mpi.Status, len(requests))
			if iterate {
				seen := 0
				for i, done := range mpi.Completions(requests...) {
					if done.Err != nil {
						return done.Err
					}
					statuses[i] = done.Status
					seen++
				}
				if seen != len(requests) {
					return fmt.Errorf("%d completions of %d requests", seen, len(requests))
				}
			} else {
				var err error
				if statuses, err = mpi.WaitAllStatuses(requests...); err != nil {
					return err
				}
			}
			for from, s := range statuses[:c.Size()] {
				if s.From != from || mpi.Count[int](s) != 1+from {
					return fmt.Errorf("status %d is %+v", from, s)
				}
			}
		}
		return nil
	})
}
