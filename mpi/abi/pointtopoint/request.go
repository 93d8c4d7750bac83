package pointtopoint

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Wait":         wait,
		"MPI_Test":         test,
		"MPI_Request_free": requestFree,
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
func never() bool { return false }

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
			c.LetOthers(never)
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
		r.ReleaseArgs()
		if r.Core != nil {
			one := [1]*core.Request{r.Core}
			core.ReleaseAll(one[:])
			r.Core = nil
		}
		c.MayStart(r)
		return status, err
	}
	c.Requests.Remove(c.Word(handleAt))
	c.PutWord(handleAt, standard.RequestNull)
	if r.Own != nil {
		if failure := release(c, r); err == nil {
			err = failure
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

func requestFree(c *abi.Call) error {
	h := c.Word(c.Words[0])
	r, err := c.RequestAt(h)
	if err != nil {
		return err
	}
	if r == nil {
		return abi.Wrong(standard.ErrRequest, "MPI_REQUEST_NULL; expected a request")
	}
	c.PutWord(c.Words[0], standard.RequestNull)
	if r.Own != nil && !r.Own.Complete {
		r.Own.Dropped = true // the handle is good until MPI_Grequest_complete
		return nil
	}
	c.MayNotStart(r)
	c.Requests.Remove(h)
	if r.Own != nil {
		return release(c, r)
	}
	if isIdle(r) && r.Parts != nil && r.Parts.Send != nil {
		r.Parts.Send.Free()
	}
	if !isIdle(r) && r.IsReceive && !poll(r) {
		c.Buffers.Abandoned = append(c.Buffers.Abandoned, r) // its data still arrives
	}
	return nil
}
