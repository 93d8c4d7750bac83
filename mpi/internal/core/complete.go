package core

import "musubi/mpi/internal/fault"

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
		if r.Complete && (r.IsReceive || !r.Comm.Engine.isCrowded()) { // Wait would not wait
			r.told = true
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

// WaitAny waits until one of the requests is complete that neither it nor Wait or
// Test has told of before, and returns its index with status and error. If there is
// none to wait for, the index is -1.
func WaitAny(requests []*Request) (int, Status, error) {
	for {
		open := -1
		for i, r := range requests {
			switch {
			case r == nil || r.told:
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
			return -1, Status{}, r.Comm.Fail(fault.Other, r.Call, err)
		}
	}
}

// WaitSome waits until one of the requests is complete that nothing has told of before, and
// returns the indices of all that are by then; a Wait of each, which does not wait, gives its
// status and its error. If there is none to wait for, there are no indices. An error is of the
// machine.
func WaitSome(requests []*Request) ([]int, error) {
	for {
		some, open, err := tellOf(requests)
		if len(some) > 0 || open == nil || err != nil {
			return some, err
		}
		if err := open.Comm.Engine.BlockFor(open); err != nil {
			return nil, open.Comm.Fail(fault.Other, open.Call, err)
		}
	}
}

// TestSome is WaitSome that does not wait, after it has made what progress is possible.
func TestSome(requests []*Request) ([]int, error) {
	if err := look(requests); err != nil {
		return nil, err
	}
	some, open, err := tellOf(requests)
	if len(some) == 0 && open != nil {
		open.Comm.Engine.EndIdlePoll()
	}
	return some, err
}

// tellOf tells of the requests that are complete and that nothing has told of before, and
// returns their indices, and one that is not complete, if there is such a one.
func tellOf(requests []*Request) (some []int, open *Request, err error) {
	for i, r := range requests {
		switch {
		case r == nil || r.told:
		case !r.Complete:
			open = r
		default:
			if err := r.wait(); err != nil {
				return some, open, r.Comm.Fail(fault.Other, r.Call, err)
			}
			r.told = true
			some = append(some, i)
		}
	}
	return some, open, nil
}

// TestAll reports whether all requests are complete, after it has made what progress
// is possible without waiting; then its error is that of WaitAll.
func TestAll(requests []*Request) (bool, error) {
	if err := look(requests); err != nil {
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

// look makes progress once, if one of the requests is not complete.
func look(requests []*Request) error {
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

// ReleaseAll forgets those of the requests that are complete, and sets them to nil. It is
// for programs that start very many: what ISend, ISendSync and IReceive return next may
// be the same requests, which then need not be allocated. Whoever else knows them must not
// use them any more.
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
