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
		"MPI_Cancel": cancel,
	})
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
		code, _ := c.Ask(abi.Cancel, r.Own.Cancel, r.Own.Extra, complete)
		return failed(code, "the function that cancels a request has failed")
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
