package abi

import (
	"errors"

	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
)

// request is a request of the program.
type request struct {
	m         *comm
	core      *core.Request // nil: it is done, or not started
	also      *core.Request // of the send of a send and receive
	lands     []landing
	isReceive bool
	done      bool
	status    core.Status
	failed    error

	again  func(c *call) (*request, error) // starts a persistent one
	active bool                            // a persistent one is started
	own    *generalized
	parts  *parts // of one in partitions
}

// newRequest returns a request, recycled if possible.
func (p *Process) newRequest(m *comm) *request {
	if last := len(p.spare) - 1; last >= 0 {
		r := p.spare[last]
		p.spare = p.spare[:last]
		r.m = m
		return r
	}
	return &request{m: m}
}

// recycle takes back a request that is complete and has no handle any more.
func (p *Process) recycle(r *request) {
	if r.core != nil {
		one := [1]*core.Request{r.core}
		core.ReleaseAll(one[:])
	}
	lands := r.lands[:0]
	clear(r.lands)
	*r = request{lands: lands}
	p.spare = append(p.spare, r)
}

func (p *Process) doneRequest(m *comm) int64 {
	r := p.newRequest(m)
	r.done, r.status = true, emptyStatus
	return p.requests.Add(r)
}

// persistent makes a persistent request, and returns its handle.
func (p *Process) persistent(m *comm, again func(c *call) (*request, error)) int64 {
	return p.requests.Add(&request{m: m, again: again, done: true, status: emptyStatus})
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Wait":                    (*call).wait,
		"MPI_Test":                    (*call).test,
		"MPI_Waitall":                 (*call).waitAll,
		"MPI_Testall":                 (*call).testAll,
		"MPI_Waitany":                 func(c *call) error { return c.any(true) },
		"MPI_Testany":                 func(c *call) error { return c.any(false) },
		"MPI_Waitsome":                func(c *call) error { return c.some(true) },
		"MPI_Testsome":                func(c *call) error { return c.some(false) },
		"MPI_Request_free":            (*call).requestFree,
		"MPI_Cancel":                  (*call).cancel,
		"MPI_Start":                   func(c *call) error { return c.start(c.a[0]) },
		"MPI_Startall":                (*call).startAll,
		"MPI_Request_get_status":      (*call).requestGetStatus,
		"MPI_Request_get_status_all":  (*call).getStatusOfAll,
		"MPI_Request_get_status_some": (*call).getStatusOfEach,
		"MPI_Request_get_status_any":  (*call).getStatusOfAny,
	})
}

func (c *call) requestAt(h int64) (*request, error) {
	if h == standard.RequestNull {
		return nil, nil
	}
	if r := c.requests.Get(h); r != nil {
		return r, nil
	}
	return nil, wrong(standard.ErrRequest, "%#x is no request", h)
}

// isIdle reports whether there is nothing to wait for: no request, or a persistent one that is not
// started.
func (r *request) isIdle() bool { return r == nil || r.again != nil && !r.active }

// poll looks whether a request is complete. The engine has made progress.
func (r *request) poll() bool {
	if r.done {
		return true
	}
	if r.own != nil {
		return r.own.complete
	}
	if r.parts != nil {
		return r.parts.complete()
	}
	if r.core != nil && !r.core.Complete || r.also != nil && !r.also.Complete {
		return false
	}
	return true
}

// open returns a message that has to be complete before the request is, nil if there is none.
func (r *request) open() *core.Request {
	switch {
	case r.parts != nil:
		return r.parts.open()
	case r.core != nil && !r.core.Complete:
		return r.core
	case r.also != nil && !r.also.Complete:
		return r.also
	}
	return nil
}

// block waits until a request is complete.
func (c *call) block(r *request) error {
	for !r.poll() {
		waited := r.open()
		switch {
		case waited != nil:
			if _, err := waited.Wait(); err != nil && !waited.Complete {
				return err
			}
		case r.parts != nil && c.threads == nil:
			if err := r.parts.checkReady(); err != nil {
				return err
			}
		default: // one that the program completes itself, in another thread
			c.letOthers()
			if err := c.engine.Progress(); err != nil {
				return err
			}
		}
	}
	if r.core != nil && !r.isReceive { // a program that only sends may not run ahead without bounds
		return c.engine.MakeRoom()
	}
	return nil
}

// finish puts what a complete request has received into place. After that done is set.
func (c *call) finish(r *request) {
	if r.done {
		return
	}
	r.done = true
	for _, part := range []*core.Request{r.core, r.also} {
		if part != nil {
			c.engine.RecordEnd(part)
		}
	}
	switch {
	case r.own != nil:
		c.query(r)
		return
	case r.parts != nil:
		r.status, r.failed = r.parts.end(c.Process)
		return
	case r.core == nil:
		return
	}
	r.status, r.failed = r.core.Status, r.core.Err
	if !r.isReceive {
		r.status = emptyStatus
		r.status.Bytes = 0
		r.status.Cancelled = r.core.Status.Cancelled
	}
	if r.failed != nil && !isOf(r.failed, fault.Truncate) {
		return
	}
	for i := range r.lands {
		l := &r.lands[i]
		n := len(l.data)
		if r.isReceive && r.failed == nil {
			n = r.status.Bytes
		}
		if r.status.Cancelled {
			n = 0
		}
		l.put(c.Process, n)
	}
	if r.isReceive && r.failed != nil {
		r.status.Bytes = len(r.lands[0].data)
	}
}

// end takes a complete request from the program, which gets the status of it.
func (c *call) end(r *request, handleAt int64) (core.Status, error) {
	c.finish(r)
	status, err := r.status, r.failed
	if r.again != nil {
		r.active, r.status, r.failed = false, emptyStatus, nil
		if r.core != nil {
			one := [1]*core.Request{r.core}
			core.ReleaseAll(one[:])
			r.core = nil
		}
		return status, err
	}
	c.requests.Remove(c.word(handleAt))
	c.putWord(handleAt, standard.RequestNull)
	if r.own != nil {
		if code, _ := c.ask(Release, r.own.free, r.own.extra); int32(code) != standard.Success && err == nil {
			err = &failure{int(int32(code)), "the function that frees a request has failed"}
		}
	}
	c.recycle(r)
	return status, err
}

func (c *call) setOn(r *request) {
	if r != nil && r.m != nil {
		c.on = &r.m.handled
	}
}

func (c *call) wait() error {
	r, err := c.requestAt(c.word(c.a[0]))
	if err != nil {
		return err
	}
	if r.isIdle() {
		c.putStatus(c.a[1], &emptyStatus)
		return nil
	}
	c.setOn(r)
	if err := c.block(r); err != nil {
		return err
	}
	s, err := c.end(r, c.a[0])
	c.putStatus(c.a[1], &s)
	return err
}

func (c *call) test() error {
	r, err := c.requestAt(c.word(c.a[0]))
	if err != nil {
		return err
	}
	if r.isIdle() {
		c.putInt(c.a[1], 1)
		c.putStatus(c.a[2], &emptyStatus)
		return nil
	}
	c.setOn(r)
	if err := c.progress(r.poll()); err != nil {
		return err
	}
	if !r.poll() {
		c.engine.EndIdlePoll()
		c.putInt(c.a[1], 0)
		return nil
	}
	s, err := c.end(r, c.a[0])
	c.putInt(c.a[1], 1)
	c.putStatus(c.a[2], &s)
	return err
}

// progress makes progress once, unless all is done already.
func (c *call) progress(done bool) error {
	if done {
		return nil
	}
	return c.engine.Progress()
}

// requestsAt reads an array of requests.
func (c *call) requestsAt(at int64, n int) ([]*request, error) {
	if n < 0 {
		return nil, wrong(standard.ErrArg, "%d requests; expected at least 0", n)
	}
	list := make([]*request, n)
	for i, h := range c.ints(at, n, true) {
		r, err := c.requestAt(int64(h))
		if err != nil {
			return nil, err
		}
		list[i] = r
		c.setOn(r)
	}
	return list, nil
}

// endAll ends requests, of which all are complete, and writes the status of each. An error of one
// makes that of the call MPI_ERR_IN_STATUS.
func (c *call) endAll(list []*request, at int64, statuses int64) error {
	var first error
	codes := make([]int, len(list))
	all := make([]core.Status, len(list))
	for i, r := range list {
		all[i] = emptyStatus
		if r.isIdle() {
			continue
		}
		var err error
		all[i], err = c.end(r, at+8*int64(i))
		if codes[i] = codeOf(err); err != nil && first == nil {
			first = err
			c.lastText[codes[i]] = err.Error()
		}
	}
	if statuses != 0 {
		for i := range all {
			if first != nil {
				c.putStatusOf(statuses+int64(statusBytes*i), &all[i], codes[i])
			} else {
				c.putStatus(statuses+int64(statusBytes*i), &all[i])
			}
		}
	}
	return inStatus(first)
}

func inStatus(err error) error {
	if err == nil {
		return nil
	}
	return wrong(standard.ErrInStatus, "%v", err)
}

func (c *call) waitAll() error {
	list, err := c.requestsAt(c.a[1], c.at(0))
	if err != nil {
		return err
	}
	for _, r := range list {
		if r.isIdle() {
			continue
		}
		if err := c.block(r); err != nil {
			return err
		}
	}
	return c.endAll(list, c.a[1], c.a[2])
}

func (c *call) testAll() error {
	list, err := c.requestsAt(c.a[1], c.at(0))
	if err != nil {
		return err
	}
	if err := c.progress(allDone(list)); err != nil {
		return err
	}
	if !allDone(list) {
		c.engine.EndIdlePoll()
		c.putInt(c.a[2], 0)
		return nil
	}
	c.putInt(c.a[2], 1)
	return c.endAll(list, c.a[1], c.a[3])
}

func allDone(list []*request) bool {
	for _, r := range list {
		if !r.isIdle() && !r.poll() {
			return false
		}
	}
	return true
}

// complete returns the indices of the requests that are complete. If there are none to wait for,
// idle is set; one that is not complete is open.
func complete(list []*request) (some []int, open *request, idle bool) {
	idle = true
	for i, r := range list {
		if r.isIdle() {
			continue
		}
		idle = false
		if r.poll() {
			some = append(some, i)
		} else if open == nil || open.open() == nil {
			open = r
		}
	}
	return some, open, idle
}

// awaitSome waits until one of the requests is complete, or makes progress once.
func (c *call) awaitSome(list []*request, wait bool) (some []int, idle bool, err error) {
	some, open, idle := complete(list)
	if len(some) > 0 || idle {
		return some, idle, nil
	}
	if !wait {
		if err := c.engine.Progress(); err != nil {
			return nil, false, err
		}
		if some, _, _ = complete(list); len(some) == 0 {
			c.engine.EndIdlePoll()
		}
		return some, false, nil
	}
	for len(some) == 0 {
		switch waited := open.open(); {
		case waited != nil:
			err = c.engine.BlockFor(waited)
		case open.parts != nil && c.threads == nil:
			err = open.parts.checkReady()
		default:
			c.letOthers()
			err = c.engine.Progress()
		}
		if err != nil {
			return nil, false, err
		}
		some, open, _ = complete(list)
	}
	return some, false, nil
}

func (c *call) any(wait bool) error {
	indexAt, flagAt, statusAt := c.a[2], int64(0), c.a[3]
	if !wait {
		flagAt, statusAt = c.a[3], c.a[4]
	}
	list, err := c.requestsAt(c.a[1], c.at(0))
	if err != nil {
		return err
	}
	some, idle, err := c.awaitSome(list, wait)
	switch {
	case err != nil:
		return err
	case idle:
		c.putInt(indexAt, standard.Undefined)
		c.putFlag(flagAt, true)
		c.putStatus(statusAt, &emptyStatus)
		return nil
	case len(some) == 0:
		c.putInt(indexAt, standard.Undefined)
		c.putFlag(flagAt, false)
		return nil
	}
	i := some[0]
	c.setOn(list[i])
	s, err := c.end(list[i], c.a[1]+8*int64(i))
	c.putInt(indexAt, i)
	c.putFlag(flagAt, true)
	c.putStatus(statusAt, &s)
	return err
}

func (c *call) putFlag(at int64, v bool) {
	if at != 0 {
		c.putBool(at, v)
	}
}

func (c *call) some(wait bool) error {
	list, err := c.requestsAt(c.a[1], c.at(0))
	if err != nil {
		return err
	}
	some, idle, err := c.awaitSome(list, wait)
	if err != nil {
		return err
	}
	if idle {
		c.putInt(c.a[2], standard.Undefined)
		return nil
	}
	c.putInt(c.a[2], len(some))
	c.putInts(c.a[3], some, false)
	var first error
	codes, all := make([]int, len(some)), make([]core.Status, len(some))
	for k, i := range some {
		var err error
		all[k], err = c.end(list[i], c.a[1]+8*int64(i))
		if codes[k] = codeOf(err); err != nil && first == nil {
			first = err
		}
	}
	for k := range some {
		if c.a[4] == 0 {
			break
		}
		if at := c.a[4] + int64(statusBytes*k); first != nil {
			c.putStatusOf(at, &all[k], codes[k])
		} else {
			c.putStatus(at, &all[k])
		}
	}
	return inStatus(first)
}

func (c *call) requestFree() error {
	h := c.word(c.a[0])
	r, err := c.requestAt(h)
	if err != nil {
		return err
	}
	if r == nil {
		return wrong(standard.ErrRequest, "MPI_REQUEST_NULL; expected a request")
	}
	c.requests.Remove(h)
	c.putWord(c.a[0], standard.RequestNull)
	if r.own != nil {
		r.own.dropped = true
		if r.own.complete {
			c.ask(Release, r.own.free, r.own.extra)
		}
		return nil
	}
	if r.isIdle() && r.parts != nil && r.parts.send != nil {
		r.parts.send.Free()
	}
	if !r.isIdle() && r.isReceive && !r.poll() {
		c.buffers.abandoned = append(c.buffers.abandoned, r) // its data still arrives
	}
	return nil
}

func (c *call) cancel() error {
	r, err := c.requestAt(c.word(c.a[0]))
	if err != nil {
		return err
	}
	switch {
	case r == nil:
		return wrong(standard.ErrRequest, "MPI_REQUEST_NULL; expected a request")
	case r.own != nil:
		complete := int64(0)
		if r.own.complete {
			complete = 1
		}
		c.ask(Cancel, r.own.cancel, r.own.extra, complete)
		return nil
	case r.core == nil || !r.isReceive:
		return nil // a send cannot be cancelled, which its status says
	}
	var inner *fault.Error
	if err := r.core.Cancel(); err != nil && !errors.As(err, &inner) {
		return err
	}
	return nil
}

func (c *call) start(handleAt int64) error {
	r, err := c.requestAt(c.word(handleAt))
	if err != nil {
		return err
	}
	if r == nil || r.again == nil || r.active {
		return wrong(standard.ErrRequest, "a request that cannot be started; expected a persistent one that is not active")
	}
	c.setOn(r)
	started, err := r.again(c)
	if err != nil {
		return err
	}
	again, m := r.again, r.m
	*r = *started
	r.again, r.m, r.active = again, m, true
	return nil
}

func (c *call) startAll() error {
	for i := range c.at(0) {
		if err := c.start(c.a[1] + 8*int64(i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) requestGetStatus() error {
	r, err := c.requestAt(c.a[0])
	if err != nil {
		return err
	}
	if r.isIdle() {
		c.putInt(c.a[1], 1)
		c.putStatus(c.a[2], &emptyStatus)
		return nil
	}
	if err := c.progress(r.poll()); err != nil {
		return err
	}
	if !r.poll() {
		c.engine.EndIdlePoll()
		c.putInt(c.a[1], 0)
		return nil
	}
	c.finish(r)
	c.putInt(c.a[1], 1)
	c.putStatus(c.a[2], &r.status)
	return nil
}

func (c *call) getStatusOfAll() error {
	list, err := c.requestsAt(c.a[1], c.at(0))
	if err != nil {
		return err
	}
	if err := c.progress(allDone(list)); err != nil {
		return err
	}
	done := allDone(list)
	c.putBool(c.a[2], done)
	for i, r := range list {
		if !done {
			break
		}
		s := &emptyStatus
		if !r.isIdle() {
			c.finish(r)
			s = &r.status
		}
		if c.a[3] != 0 {
			c.putStatus(c.a[3]+int64(statusBytes*i), s)
		}
	}
	return nil
}

func (c *call) getStatusOfAny() error {
	list, err := c.requestsAt(c.a[1], c.at(0))
	if err != nil {
		return err
	}
	some, idle, err := c.awaitSome(list, false)
	if err != nil {
		return err
	}
	c.putBool(c.a[3], idle || len(some) > 0)
	switch {
	case idle:
		c.putInt(c.a[2], standard.Undefined)
		c.putStatus(c.a[4], &emptyStatus)
	case len(some) > 0:
		c.finish(list[some[0]])
		c.putInt(c.a[2], some[0])
		c.putStatus(c.a[4], &list[some[0]].status)
	default:
		c.putInt(c.a[2], standard.Undefined)
	}
	return nil
}

// getStatusOfEach tells which requests are complete, with their statuses.
func (c *call) getStatusOfEach() error {
	list, err := c.requestsAt(c.a[1], c.at(0))
	if err != nil {
		return err
	}
	some, idle, err := c.awaitSome(list, false)
	if err != nil {
		return err
	}
	if idle {
		c.putInt(c.a[2], standard.Undefined)
		return nil
	}
	c.putInt(c.a[2], len(some))
	c.putInts(c.a[3], some, false)
	for k, i := range some {
		c.finish(list[i])
		if c.a[4] != 0 {
			c.putStatus(c.a[4]+int64(statusBytes*k), &list[i].status)
		}
	}
	return nil
}

// generalized is a request that the program completes itself.
type generalized struct {
	query, free, cancel int64
	extra               int64
	complete, dropped   bool
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Grequest_start": func(c *call) error {
			r := &request{own: &generalized{query: c.a[0], free: c.a[1], cancel: c.a[2], extra: c.a[3]}}
			c.putWord(c.a[4], c.requests.Add(r))
			return nil
		},
		"MPI_Grequest_complete": func(c *call) error {
			r, err := c.requestAt(c.a[0])
			if err != nil {
				return err
			}
			if r == nil || r.own == nil {
				return wrong(standard.ErrRequest, "a request of another kind; expected a generalized one")
			}
			r.own.complete = true
			return nil
		},
	})
}

// query lets the program fill the status of its own request.
func (c *call) query(r *request) {
	at := c.scratchFor(0, statusBytes)
	c.putStatusOf(at, &emptyStatus, 0)
	code, _ := c.ask(Query, r.own.query, r.own.extra, at)
	r.status = core.Status{From: c.int(at), Tag: c.int(at + 4), Bytes: int(c.word(at + statusBytesAt)), Cancelled: c.int(at+statusCancelled) != 0}
	if r.status.Tag == standard.AnyTag {
		r.status.Tag = emptyStatus.Tag
	}
	if int32(code) != standard.Success {
		r.failed = &failure{int(int32(code)), "the function that queries a request has failed"}
	}
}
