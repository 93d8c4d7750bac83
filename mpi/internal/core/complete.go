package core

import (
	"musubi/mpi/internal/fault"
	"musubi/units"
)

// WaitAll waits until all requests are complete, and returns the first error of them
// in their order. If the machine fails it waits no longer. Requests that are nil it
// passes over.
func WaitAll(requests []*Request) error {
	var first error
	for _, r := range requests {
		if r == nil {
			continue
		}
		err := r.Err
		if r.Complete && (r.IsReceive || !r.Comm.Engine.isFull()) { // Wait would return at once
			r.report()
		} else {
			_, err = r.Wait()
		}
		if err != nil && first == nil {
			first = err
		}
		if !r.Complete {
			return first
		}
	}
	return first
}

// WaitAny waits until one of the requests is complete that no call has reported before, and
// returns its index with status and error. If there is none to wait for, the index is -1.
func WaitAny(requests []*Request) (int, Status, error) {
	for {
		open := -1
		for i, r := range requests {
			switch {
			case r == nil || r.reported:
			case r.Complete:
				status, err := r.Wait()
				return i, status, err
			default:
				open = i
			}
		}
		if open < 0 {
			return -1, Status{}, nil
		}
		r := requests[open]
		if err := r.Comm.Engine.BlockFor(r); err != nil {
			return -1, Status{}, r.Comm.failWait(r.Call, err)
		}
	}
}

// WaitSome waits until one of the requests is complete that no call has reported before, and
// returns the indices of all such requests. Wait returns at once for each of them, with its status
// and error. If there is none to wait for, there are no indices. An error is of the machine.
func WaitSome(requests []*Request) ([]int, error) {
	for {
		some, open, err := reportComplete(requests)
		if len(some) > 0 || open == nil || err != nil {
			return some, err
		}
		if err := open.Comm.Engine.BlockFor(open); err != nil {
			return nil, open.Comm.failWait(open.Call, err)
		}
	}
}

// WaitSomeBefore is WaitSome that waits no longer than to a time. It may return nothing earlier.
func WaitSomeBefore(end units.Time, requests []*Request) ([]int, error) {
	some, open, err := reportComplete(requests)
	if len(some) > 0 || open == nil || err != nil {
		return some, err
	}
	if err := open.Comm.Engine.BlockBefore(end); err != nil {
		return nil, open.Comm.Fail(fault.Other, open.Call, err)
	}
	some, _, err = reportComplete(requests)
	return some, err
}

// TestSome makes progress once, and returns what WaitSome would return without waiting.
func TestSome(requests []*Request) ([]int, error) {
	if err := progressOnce(requests); err != nil {
		return nil, err
	}
	some, open, err := reportComplete(requests)
	if len(some) == 0 && open != nil {
		open.Comm.Engine.EndIdlePoll()
	}
	return some, err
}

// reportComplete returns the indices of the requests that are complete and not reported before,
// and marks them as reported. open is a request that is not complete, nil if there is none.
func reportComplete(requests []*Request) (some []int, open *Request, err error) {
	for i, r := range requests {
		switch {
		case r == nil || r.reported:
		case !r.Complete:
			open = r
		default:
			if err := r.wait(); err != nil {
				return some, open, r.Comm.Fail(fault.Other, r.Call, err)
			}
			r.report()
			some = append(some, i)
		}
	}
	return some, open, nil
}

// TestAll makes progress once and reports whether all requests are complete; then its error is
// that of WaitAll.
func TestAll(requests []*Request) (bool, error) {
	if err := progressOnce(requests); err != nil {
		return false, err
	}
	for _, r := range requests {
		if r != nil && !r.Complete {
			r.Comm.Engine.EndIdlePoll()
			return false, nil
		}
	}
	return true, WaitAll(requests)
}

// progressOnce makes progress once, if one of the requests is not complete.
func progressOnce(requests []*Request) error {
	for _, r := range requests {
		if r == nil || r.Complete {
			continue
		}
		if err := r.Comm.Engine.Progress(); err != nil {
			return r.Comm.Fail(fault.Other, r.Call, err)
		}
		return nil
	}
	return nil
}

// ReleaseAll recycles those of the requests that are complete, and sets them to nil.
// NewPooledRequest may return them again, so nobody else may use them any more.
func ReleaseAll(requests []*Request) {
	for i, r := range requests {
		if r == nil || !r.Complete {
			continue
		}
		if r.pooled {
			r.Comm.Engine.Recycle(r)
		}
		requests[i] = nil
	}
}
