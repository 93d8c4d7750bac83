package mpi

import (
	"unsafe"

	"musubi/mpi/internal/core"
)

// Request is a send, a receive or a collective operation under way. It is complete
// when the data that was given may be used again; Wait and Test tell that, as often
// as they are called. A request that nobody waits for takes place too, while the
// process is in a call of this package.
type Request struct{ request core.Request }

// requestFor returns a request for programs, nil of none.
func requestFor(r *core.Request) *Request { return (*Request)(unsafe.Pointer(r)) }

// requestOr is requestFor of what has been started, or the error.
func requestOr(r *core.Request, err error) (*Request, error) { return requestFor(r), err }

// inner returns the request without its methods for programs, nil if there is none.
func (r *Request) inner() *core.Request { return (*core.Request)(unsafe.Pointer(r)) }

// innerOf is inner of each of some requests, in the same memory.
func innerOf(requests []*Request) []*core.Request {
	return unsafe.Slice((**core.Request)(unsafe.Pointer(unsafe.SliceData(requests))), len(requests))
}

// Wait waits until the request is complete. It returns the status of a receive.
func (r *Request) Wait() (Status, error) {
	status, err := r.inner().Wait()
	return Status(status), err
}

// Test reports whether the request is complete, after it has made what progress is
// possible without waiting. Status and error are those of a complete one, or the
// error is of the machine.
func (r *Request) Test() (Status, bool, error) {
	status, complete, err := r.inner().Test()
	return Status(status), complete, err
}

// Cancel takes back a receive if no message has matched it yet. It is then complete,
// and its status says that it was cancelled. Of a receive that has been matched, or
// is complete, Cancel changes nothing. Nothing else can be cancelled.
func (r *Request) Cancel() error { return r.inner().Cancel() }

// WaitAll waits until all requests are complete, and returns the first error of them
// in their order. If the machine fails it waits no longer. Requests that are nil it
// passes over.
func WaitAll(requests ...*Request) error { return core.WaitAll(innerOf(requests)) }

// WaitAny waits until one of the requests is complete that neither it nor Wait or
// Test has told of before, and returns its index with status and error. If there is
// none to wait for, the index is -1.
func WaitAny(requests ...*Request) (int, Status, error) {
	i, status, err := core.WaitAny(innerOf(requests))
	return i, Status(status), err
}

// WaitSome waits until one of the requests is complete that nothing has told of before, and
// returns the indices of all that are by then; a Wait of each, which does not wait, gives its
// status and its error. If there is none to wait for, there are no indices. An error is of the
// machine.
func WaitSome(requests ...*Request) ([]int, error) { return core.WaitSome(innerOf(requests)) }

// TestSome is WaitSome that does not wait, after it has made what progress is possible.
func TestSome(requests ...*Request) ([]int, error) { return core.TestSome(innerOf(requests)) }

// TestAll reports whether all requests are complete, after it has made what progress
// is possible without waiting; then its error is that of WaitAll.
func TestAll(requests ...*Request) (bool, error) { return core.TestAll(innerOf(requests)) }

// Release forgets those of the requests that are complete, and sets them to nil. It is
// for programs that start very many: what ISend, ISendSync and IReceive return next may
// be the same requests, which then need not be allocated. Whoever else knows them must not
// use them any more.
func Release(requests ...*Request) { core.ReleaseAll(innerOf(requests)) }
