package pointtopoint

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
)

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
			if r.Own.Dropped {
				c.Requests.Remove(c.Words[0])
				return release(c, r)
			}
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
	r.Failed = failed(code, "the function that queries a request has failed")
}

// release lets the program free what it has of its own request.
func release(c *abi.Call, r *abi.Request) error {
	code, _ := c.Ask(abi.Release, r.Own.Free, r.Own.Extra)
	return failed(code, "the function that frees a request has failed")
}

// failed is the error of a function of the program, nil if its code is that of success.
func failed(code int64, text string) error {
	if int32(code) == standard.Success {
		return nil
	}
	return &abi.Failure{Class: int(int32(code)), Text: text}
}
