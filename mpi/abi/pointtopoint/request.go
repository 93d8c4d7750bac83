package pointtopoint

import (
	"errors"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Wait":                    wait,
		"MPI_Test":                    test,
		"MPI_Waitall":                 waitAll,
		"MPI_Testall":                 testAll,
		"MPI_Waitany":                 func(c *abi.Call) error { return any(c, true) },
		"MPI_Testany":                 func(c *abi.Call) error { return any(c, false) },
		"MPI_Waitsome":                func(c *abi.Call) error { return some(c, true) },
		"MPI_Testsome":                func(c *abi.Call) error { return some(c, false) },
		"MPI_Request_free":            requestFree,
		"MPI_Cancel":                  cancel,
		"MPI_Start":                   func(c *abi.Call) error { return start(c, c.Words[0]) },
		"MPI_Startall":                startAll,
		"MPI_Request_get_status":      requestGetStatus,
		"MPI_Request_get_status_all":  getStatusOfAll,
		"MPI_Request_get_status_some": getStatusOfEach,
		"MPI_Request_get_status_any":  getStatusOfAny,
	})
}

// isIdle reports whether there is nothing to wait for: no request, or a persistent one that is not
// started.
func isIdle(r *abi.Request) bool { return r == nil || r.Again != nil && !r.Active }

// poll looks whether a request is complete. The engine has made progress.
func poll(r *abi.Request) bool {
	if r.Done {
		return true
	}
	if r.Own != nil {
		return r.Own.Complete
	}
	if r.Parts != nil {
		return completeParts(r.Parts)
	}
	return openMessage(r) == nil
}

// openMessage returns a message that has to be complete before the request is, nil if there is none.
func openMessage(r *abi.Request) *core.Request {
	switch {
	case r.Parts != nil:
		return openParts(r.Parts)
	case r.Core != nil && !r.Core.Complete:
		return r.Core
	case r.Also != nil && !r.Also.Complete:
		return r.Also
	}
	for _, s := range r.Flushes {
		if !s.Complete {
			return s.Request
		}
	}
	return nil
}

// block waits until a request is complete.
func block(c *abi.Call, r *abi.Request) error {
	for !poll(r) {
		waited := openMessage(r)
		switch {
		case waited != nil:
			if _, err := waited.Wait(); err != nil && !waited.Complete {
				return err
			}
		case r.Parts != nil && c.Threads == nil:
			if err := checkReady(r.Parts); err != nil {
				return err
			}
		default: // one that the program completes itself, in another thread
			c.LetOthers()
			if err := c.Engine.Progress(); err != nil {
				return err
			}
		}
	}
	if r.Core != nil && !r.IsReceive { // a program that only sends may not run ahead without bounds
		return c.Engine.MakeRoom()
	}
	return nil
}

// finish puts what a complete request has received into place. After that done is set.
func finish(c *abi.Call, r *abi.Request) {
	if r.Done {
		return
	}
	r.Done = true
	for _, part := range []*core.Request{r.Core, r.Also} {
		if part != nil {
			c.Engine.RecordEnd(part)
		}
	}
	switch {
	case r.Own != nil:
		query(c, r)
		return
	case r.Parts != nil:
		r.Status, r.Failed = endParts(r.Parts, c.Process)
		return
	case r.Core == nil:
		return
	}
	r.Status, r.Failed = r.Core.Status, r.Core.Err
	if !r.IsReceive {
		r.Status = abi.EmptyStatus
		r.Status.Bytes = 0
		r.Status.Cancelled = r.Core.Status.Cancelled
	}
	if r.Failed != nil && !isOf(r.Failed, fault.Truncate) {
		return
	}
	for i := range r.Lands {
		l := &r.Lands[i]
		n := len(l.Data)
		if r.IsReceive && r.Failed == nil {
			n = r.Status.Bytes
		}
		if r.Status.Cancelled {
			n = 0
		}
		l.Put(c.Process, n)
	}
	if r.IsReceive && r.Failed != nil {
		r.Status.Bytes = len(r.Lands[0].Data)
	}
}

// end takes a complete request from the program, which gets the status of it.
func end(c *abi.Call, r *abi.Request, handleAt int64) (core.Status, error) {
	finish(c, r)
	status, err := r.Status, r.Failed
	if r.Again != nil {
		r.Active, r.Status, r.Failed = false, abi.EmptyStatus, nil
		if r.Core != nil {
			one := [1]*core.Request{r.Core}
			core.ReleaseAll(one[:])
			r.Core = nil
		}
		return status, err
	}
	c.Requests.Remove(c.Word(handleAt))
	c.PutWord(handleAt, standard.RequestNull)
	if r.Own != nil {
		if code, _ := c.Ask(abi.Release, r.Own.Free, r.Own.Extra); int32(code) != standard.Success && err == nil {
			err = &abi.Failure{Class: int(int32(code)), Text: "the function that frees a request has failed"}
		}
	}
	c.Recycle(r)
	return status, err
}

func setOn(c *abi.Call, r *abi.Request) {
	if r != nil && r.Comm != nil {
		c.Use(r.Comm)
	}
}

func wait(c *abi.Call) error {
	r, err := c.RequestAt(c.Word(c.Words[0]))
	if err != nil {
		return err
	}
	if isIdle(r) {
		c.PutStatus(c.Words[1], &abi.EmptyStatus)
		return nil
	}
	setOn(c, r)
	if err := block(c, r); err != nil {
		return err
	}
	s, err := end(c, r, c.Words[0])
	c.PutStatus(c.Words[1], &s)
	return err
}

func test(c *abi.Call) error {
	r, err := c.RequestAt(c.Word(c.Words[0]))
	if err != nil {
		return err
	}
	if isIdle(r) {
		c.PutInt(c.Words[1], 1)
		c.PutStatus(c.Words[2], &abi.EmptyStatus)
		return nil
	}
	setOn(c, r)
	if err := progress(c, poll(r)); err != nil {
		return err
	}
	if !poll(r) {
		c.Engine.EndIdlePoll()
		c.PutInt(c.Words[1], 0)
		return nil
	}
	s, err := end(c, r, c.Words[0])
	c.PutInt(c.Words[1], 1)
	c.PutStatus(c.Words[2], &s)
	return err
}

// progress makes progress once, unless all is done already.
func progress(c *abi.Call, done bool) error {
	if done {
		return nil
	}
	return c.Engine.Progress()
}

// requestsAt reads an array of requests.
func requestsAt(c *abi.Call, at int64, n int) ([]*abi.Request, error) {
	if n < 0 {
		return nil, abi.Wrong(standard.ErrArg, "%d requests; expected at least 0", n)
	}
	list := make([]*abi.Request, n)
	for i, h := range c.Ints(at, n, true) {
		r, err := c.RequestAt(int64(h))
		if err != nil {
			return nil, err
		}
		list[i] = r
		setOn(c, r)
	}
	return list, nil
}

// endAll ends requests, of which all are complete, and writes the status of each. An error of one
// makes that of the call MPI_ERR_IN_STATUS.
func endAll(c *abi.Call, list []*abi.Request, at int64, statuses int64) error {
	var first error
	codes := make([]int, len(list))
	all := make([]core.Status, len(list))
	for i, r := range list {
		all[i] = abi.EmptyStatus
		if isIdle(r) {
			continue
		}
		var err error
		all[i], err = end(c, r, at+8*int64(i))
		if codes[i] = abi.CodeOf(err); err != nil && first == nil {
			first = err
			c.LastText[codes[i]] = err.Error()
		}
	}
	if statuses != 0 {
		for i := range all {
			if first != nil {
				c.PutStatusOf(statuses+int64(abi.StatusBytes*i), &all[i], codes[i])
			} else {
				c.PutStatus(statuses+int64(abi.StatusBytes*i), &all[i])
			}
		}
	}
	return inStatus(first)
}

func inStatus(err error) error {
	if err == nil {
		return nil
	}
	return abi.Wrong(standard.ErrInStatus, "%v", err)
}

func waitAll(c *abi.Call) error {
	list, err := requestsAt(c, c.Words[1], c.At(0))
	if err != nil {
		return err
	}
	for _, r := range list {
		if isIdle(r) {
			continue
		}
		if err := block(c, r); err != nil {
			return err
		}
	}
	return endAll(c, list, c.Words[1], c.Words[2])
}

func testAll(c *abi.Call) error {
	list, err := requestsAt(c, c.Words[1], c.At(0))
	if err != nil {
		return err
	}
	if err := progress(c, allDone(list)); err != nil {
		return err
	}
	if !allDone(list) {
		c.Engine.EndIdlePoll()
		c.PutInt(c.Words[2], 0)
		return nil
	}
	c.PutInt(c.Words[2], 1)
	return endAll(c, list, c.Words[1], c.Words[3])
}

func allDone(list []*abi.Request) bool {
	for _, r := range list {
		if !isIdle(r) && !poll(r) {
			return false
		}
	}
	return true
}

// complete returns the indices of the requests that are complete. If there are none to wait for,
// idle is set; one that is not complete is open.
func complete(list []*abi.Request) (some []int, open *abi.Request, idle bool) {
	idle = true
	for i, r := range list {
		if isIdle(r) {
			continue
		}
		idle = false
		if poll(r) {
			some = append(some, i)
		} else if open == nil || openMessage(open) == nil {
			open = r
		}
	}
	return some, open, idle
}

// awaitSome waits until one of the requests is complete, or makes progress once.
func awaitSome(c *abi.Call, list []*abi.Request, wait bool) (some []int, idle bool, err error) {
	some, open, idle := complete(list)
	if len(some) > 0 || idle {
		return some, idle, nil
	}
	if !wait {
		if err := c.Engine.Progress(); err != nil {
			return nil, false, err
		}
		if some, _, _ = complete(list); len(some) == 0 {
			c.Engine.EndIdlePoll()
		}
		return some, false, nil
	}
	for len(some) == 0 {
		switch waited := openMessage(open); {
		case waited != nil:
			err = c.Engine.BlockFor(waited)
		case open.Parts != nil && c.Threads == nil:
			err = checkReady(open.Parts)
		default:
			c.LetOthers()
			err = c.Engine.Progress()
		}
		if err != nil {
			return nil, false, err
		}
		some, open, _ = complete(list)
	}
	return some, false, nil
}

func any(c *abi.Call, wait bool) error {
	indexAt, flagAt, statusAt := c.Words[2], int64(0), c.Words[3]
	if !wait {
		flagAt, statusAt = c.Words[3], c.Words[4]
	}
	list, err := requestsAt(c, c.Words[1], c.At(0))
	if err != nil {
		return err
	}
	some, idle, err := awaitSome(c, list, wait)
	switch {
	case err != nil:
		return err
	case idle:
		c.PutInt(indexAt, standard.Undefined)
		putFlag(c, flagAt, true)
		c.PutStatus(statusAt, &abi.EmptyStatus)
		return nil
	case len(some) == 0:
		c.PutInt(indexAt, standard.Undefined)
		putFlag(c, flagAt, false)
		return nil
	}
	i := some[0]
	setOn(c, list[i])
	s, err := end(c, list[i], c.Words[1]+8*int64(i))
	c.PutInt(indexAt, i)
	putFlag(c, flagAt, true)
	c.PutStatus(statusAt, &s)
	return err
}

func putFlag(c *abi.Call, at int64, v bool) {
	if at != 0 {
		c.PutBool(at, v)
	}
}

func some(c *abi.Call, wait bool) error {
	list, err := requestsAt(c, c.Words[1], c.At(0))
	if err != nil {
		return err
	}
	some, idle, err := awaitSome(c, list, wait)
	if err != nil {
		return err
	}
	if idle {
		c.PutInt(c.Words[2], standard.Undefined)
		return nil
	}
	c.PutInt(c.Words[2], len(some))
	c.PutInts(c.Words[3], some, false)
	var first error
	codes, all := make([]int, len(some)), make([]core.Status, len(some))
	for k, i := range some {
		var err error
		all[k], err = end(c, list[i], c.Words[1]+8*int64(i))
		if codes[k] = abi.CodeOf(err); err != nil && first == nil {
			first = err
		}
	}
	for k := range some {
		if c.Words[4] == 0 {
			break
		}
		if at := c.Words[4] + int64(abi.StatusBytes*k); first != nil {
			c.PutStatusOf(at, &all[k], codes[k])
		} else {
			c.PutStatus(at, &all[k])
		}
	}
	return inStatus(first)
}

func requestFree(c *abi.Call) error {
	h := c.Word(c.Words[0])
	r, err := c.RequestAt(h)
	if err != nil {
		return err
	}
	if r == nil {
		return abi.Wrong(standard.ErrRequest, "MPI_REQUEST_NULL; expected a request")
	}
	c.Requests.Remove(h)
	c.PutWord(c.Words[0], standard.RequestNull)
	if r.Own != nil {
		r.Own.Dropped = true
		if r.Own.Complete {
			c.Ask(abi.Release, r.Own.Free, r.Own.Extra)
		}
		return nil
	}
	if isIdle(r) && r.Parts != nil && r.Parts.Send != nil {
		r.Parts.Send.Free()
	}
	if !isIdle(r) && r.IsReceive && !poll(r) {
		c.Buffers.Abandoned = append(c.Buffers.Abandoned, r) // its data still arrives
	}
	return nil
}

func cancel(c *abi.Call) error {
	h := c.Word(c.Words[0])
	r, err := c.RequestAt(h)
	if err != nil {
		return err
	}
	switch {
	case r == nil:
		return abi.Wrong(standard.ErrRequest, "MPI_REQUEST_NULL; expected a request")
	case r.Own != nil:
		complete := int64(0)
		if r.Own.Complete {
			complete = 1
		}
		c.Ask(abi.Cancel, r.Own.Cancel, r.Own.Extra, complete)
		return nil
	case !r.IsReceive:
		err := cancelSend(c, r)
		if !r.Done && c.Requests.Get(h) == nil { // one that the front has sent has no handle of its own yet
			c.PutWord(c.Words[0], c.Requests.Add(r))
		}
		return err
	case r.Core == nil:
		return nil
	}
	var inner *fault.Error
	if err := r.Core.Cancel(); err != nil && !errors.As(err, &inner) {
		return err
	}
	return nil
}

// cancelSend takes a send back if no receive has matched it.
func cancelSend(c *abi.Call, r *abi.Request) error {
	if r.Buffered != nil && !r.Buffered.Complete {
		unkeep(bufferFor(c.Process, r.Comm), r.Buffered)
		r.Core, r.Done = r.Buffered, false
	}
	if r.Core != nil && !r.Core.Complete {
		c.Forget(r.Sent)
		return r.Core.Revoke()
	}
	sent, ok := c.Forget(r.Sent)
	if !ok || sent.To == core.None {
		return nil
	}
	revoke, err := sent.Comm.Point.RevokeEager(c.Function.Name, sent.To, sent.Tag, sent.Later)
	if err != nil {
		return err
	}
	if r.Core != nil {
		core.ReleaseAll([]*core.Request{r.Core})
	}
	r.Core, r.Done = revoke, false
	return nil
}

func start(c *abi.Call, handleAt int64) error {
	r, err := c.RequestAt(c.Word(handleAt))
	if err != nil {
		return err
	}
	if r == nil || r.Again == nil || r.Active {
		return abi.Wrong(standard.ErrRequest, "a request that cannot be started; expected a persistent one that is not active")
	}
	setOn(c, r)
	started, err := r.Again(c)
	if err != nil {
		return err
	}
	again, m := r.Again, r.Comm
	*r = *started
	r.Again, r.Comm, r.Active = again, m, true
	return nil
}

func startAll(c *abi.Call) error {
	for i := range c.At(0) {
		if err := start(c, c.Words[1]+8*int64(i)); err != nil {
			return err
		}
	}
	return nil
}

func requestGetStatus(c *abi.Call) error {
	r, err := c.RequestAt(c.Words[0])
	if err != nil {
		return err
	}
	if isIdle(r) {
		c.PutInt(c.Words[1], 1)
		c.PutStatus(c.Words[2], &abi.EmptyStatus)
		return nil
	}
	if err := progress(c, poll(r)); err != nil {
		return err
	}
	if !poll(r) {
		c.Engine.EndIdlePoll()
		c.PutInt(c.Words[1], 0)
		return nil
	}
	finish(c, r)
	c.PutInt(c.Words[1], 1)
	c.PutStatus(c.Words[2], &r.Status)
	return nil
}

func getStatusOfAll(c *abi.Call) error {
	list, err := requestsAt(c, c.Words[1], c.At(0))
	if err != nil {
		return err
	}
	if err := progress(c, allDone(list)); err != nil {
		return err
	}
	done := allDone(list)
	c.PutBool(c.Words[2], done)
	for i, r := range list {
		if !done {
			break
		}
		s := &abi.EmptyStatus
		if !isIdle(r) {
			finish(c, r)
			s = &r.Status
		}
		if c.Words[3] != 0 {
			c.PutStatus(c.Words[3]+int64(abi.StatusBytes*i), s)
		}
	}
	return nil
}

func getStatusOfAny(c *abi.Call) error {
	list, err := requestsAt(c, c.Words[1], c.At(0))
	if err != nil {
		return err
	}
	some, idle, err := awaitSome(c, list, false)
	if err != nil {
		return err
	}
	c.PutBool(c.Words[3], idle || len(some) > 0)
	switch {
	case idle:
		c.PutInt(c.Words[2], standard.Undefined)
		c.PutStatus(c.Words[4], &abi.EmptyStatus)
	case len(some) > 0:
		finish(c, list[some[0]])
		c.PutInt(c.Words[2], some[0])
		c.PutStatus(c.Words[4], &list[some[0]].Status)
	default:
		c.PutInt(c.Words[2], standard.Undefined)
	}
	return nil
}

// getStatusOfEach tells which requests are complete, with their statuses.
func getStatusOfEach(c *abi.Call) error {
	list, err := requestsAt(c, c.Words[1], c.At(0))
	if err != nil {
		return err
	}
	some, idle, err := awaitSome(c, list, false)
	if err != nil {
		return err
	}
	if idle {
		c.PutInt(c.Words[2], standard.Undefined)
		return nil
	}
	c.PutInt(c.Words[2], len(some))
	c.PutInts(c.Words[3], some, false)
	for k, i := range some {
		finish(c, list[i])
		if c.Words[4] != 0 {
			c.PutStatus(c.Words[4]+int64(abi.StatusBytes*k), &list[i].Status)
		}
	}
	return nil
}

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Grequest_start": func(c *abi.Call) error {
			r := &abi.Request{Own: &abi.Generalized{Query: c.Words[0], Free: c.Words[1], Cancel: c.Words[2], Extra: c.Words[3]}}
			c.PutWord(c.Words[4], c.Requests.Add(r))
			return nil
		},
		"MPI_Grequest_complete": func(c *abi.Call) error {
			r, err := c.RequestAt(c.Words[0])
			if err != nil {
				return err
			}
			if r == nil || r.Own == nil {
				return abi.Wrong(standard.ErrRequest, "a request of another kind; expected a generalized one")
			}
			r.Own.Complete = true
			return nil
		},
	})
}

// query lets the program fill the status of its own request.
func query(c *abi.Call, r *abi.Request) {
	at := c.ScratchFor(0, abi.StatusBytes)
	c.PutStatusOf(at, &abi.EmptyStatus, 0)
	code, _ := c.Ask(abi.Query, r.Own.Query, r.Own.Extra, at)
	r.Status = core.Status{From: c.Int(at), Tag: c.Int(at + 4), Bytes: int(c.Word(at + abi.StatusBytesAt)), Cancelled: c.Int(at+abi.StatusCancelled) != 0}
	if r.Status.Tag == standard.AnyTag {
		r.Status.Tag = abi.EmptyStatus.Tag
	}
	if int32(code) != standard.Success {
		r.Failed = &abi.Failure{Class: int(int32(code)), Text: "the function that queries a request has failed"}
	}
}
