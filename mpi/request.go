package mpi

import (
	"unsafe"

	"musubi/mpi/internal/core"
	"musubi/units"
)

// Request is a send, a receive or a collective operation under way. It is complete when the
// program may use its data again; Wait and Test report that, as often as they are called. A
// request makes progress in any call of this package, whether it is waited for or not.
type Request struct{ request core.Request }

// requestFor wraps a request of package core, nil as nil.
func requestFor(r *core.Request) *Request { return (*Request)(unsafe.Pointer(r)) }

// requestOr wraps a request of package core, and passes an error on.
func requestOr(r *core.Request, err error) (*Request, error) { return requestFor(r), err }

// inner returns the request of package core, nil if there is none.
func (r *Request) inner() *core.Request { return (*core.Request)(unsafe.Pointer(r)) }

// innerOf returns the requests of package core, in the same memory.
func innerOf(requests []*Request) []*core.Request {
	return unsafe.Slice((**core.Request)(unsafe.Pointer(unsafe.SliceData(requests))), len(requests))
}

// enterFor is core.Engine.Enter of the engine of requests.
func enterFor(requests []*Request, call string) core.Call {
	for _, r := range requests {
		if r != nil {
			return r.inner().Enter(call)
		}
	}
	return core.Call{}
}

// Wait waits until the request is complete. It returns the status of a receive.
func (r *Request) Wait() (Status, error) {
	call := r.inner().Enter("Wait")
	status, err := r.inner().Wait()
	call.Leave()
	return Status(status), err
}

// Test makes progress without waiting, and reports whether the request is complete. If so,
// status and error are those of the request; else the error is of the machine.
func (r *Request) Test() (Status, bool, error) {
	call := r.inner().Enter("Test")
	status, complete, err := r.inner().Test()
	call.Leave()
	return Status(status), complete, err
}

// Complete reports whether the request is complete, without making progress.
func (r *Request) Complete() bool { return r != nil && r.request.Complete }

// Cancel takes back a receive if no message has matched it yet. It is then complete,
// and its status says that it was cancelled. Of a receive that has been matched, or
// is complete, Cancel changes nothing. Nothing else can be cancelled.
func (r *Request) Cancel() error { return r.inner().Cancel() }

// WaitAll waits until all requests are complete, and returns the first error of them
// in their order. If the machine fails it waits no longer. Requests that are nil it
// passes over.
func WaitAll(requests ...*Request) error {
	return enterFor(requests, "WaitAll").Returns(core.WaitAll(innerOf(requests)))
}

// WaitAny waits until one of the requests is complete that no call has reported before, and
// returns its index with status and error. If there is none to wait for, the index is -1.
func WaitAny(requests ...*Request) (int, Status, error) {
	defer enterFor(requests, "WaitAny").Leave()
	i, status, err := core.WaitAny(innerOf(requests))
	return i, Status(status), err
}

// WaitSome waits until one of the requests is complete that no call has reported before, and
// returns the indices of all such requests. Wait returns at once for each of them, with its
// status and error. If there is none to wait for, there are no indices. An error is of the
// machine.
func WaitSome(requests ...*Request) ([]int, error) {
	defer enterFor(requests, "WaitSome").Leave()
	return core.WaitSome(innerOf(requests))
}

// TestSome makes progress without waiting, and returns what WaitSome would return at once.
func TestSome(requests ...*Request) ([]int, error) {
	defer enterFor(requests, "TestSome").Leave()
	return core.TestSome(innerOf(requests))
}

// WaitSomeBefore is like WaitSome, and waits no longer than to a time of the process's clock: it then returns no index. It may
// also return none earlier, as soon as anything has arrived. For programs that have other work at a time.
func WaitSomeBefore(end units.Time, requests ...*Request) ([]int, error) {
	defer enterFor(requests, "WaitSomeBefore").Leave()
	return core.WaitSomeBefore(end, innerOf(requests))
}

// TestAll makes progress without waiting, and reports whether all requests are complete; then
// its error is that of WaitAll.
func TestAll(requests ...*Request) (bool, error) {
	defer enterFor(requests, "TestAll").Leave()
	return core.TestAll(innerOf(requests))
}

// Release recycles those of the requests that are complete, and sets them to nil. It saves
// allocations in programs that start very many: ISend, ISendSync, IReceive and collective operations
// may return the same requests again. So the program may not use other copies of the pointers any more.
func Release(requests ...*Request) { core.ReleaseAll(innerOf(requests)) }
