package mpi

import "iter"

// Completion is what has become of a request.
type Completion struct {
	Status Status
	Err    error
}

// WaitAllStatuses is WaitAll that returns the status of each request; that of a send, and of a
// request that is nil, is the zero value.
func WaitAllStatuses(requests ...*Request) ([]Status, error) {
	err := WaitAll(requests...)
	statuses := make([]Status, len(requests))
	for i, r := range requests {
		if r != nil && r.request.Complete {
			statuses[i] = Status(r.request.Status)
		}
	}
	return statuses, err
}

// Completions waits for the requests, and yields the index of each when it is complete, in the order
// in which they complete. If the machine fails it yields index -1 with the error, and ends.
//
//	for i, done := range mpi.Completions(requests...) {
//		if done.Err != nil { ... }
//	}
func Completions(requests ...*Request) iter.Seq2[int, Completion] {
	return func(yield func(int, Completion) bool) {
		for {
			some, err := WaitSome(requests...)
			if err != nil {
				yield(-1, Completion{Err: err})
				return
			}
			if len(some) == 0 {
				return
			}
			for _, i := range some {
				status, err := requests[i].Wait()
				if !yield(i, Completion{status, err}) {
					return
				}
			}
		}
	}
}
