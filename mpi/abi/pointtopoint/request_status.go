package pointtopoint

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Request_get_status":      requestGetStatus,
		"MPI_Request_get_status_all":  getStatusOfAll,
		"MPI_Request_get_status_some": getStatusOfEach,
		"MPI_Request_get_status_any":  getStatusOfAny,
	})
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
	list, some, err := tellSome(c, false)
	if err != nil {
		return err
	}
	for k, i := range some {
		finish(c, list[i])
		if c.Words[4] != 0 {
			c.PutStatus(c.Words[4]+int64(abi.StatusBytes*k), &list[i].Status)
		}
	}
	return nil
}
