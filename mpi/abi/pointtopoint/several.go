package pointtopoint

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Waitall":  waitAll,
		"MPI_Testall":  testAll,
		"MPI_Waitany":  func(c *abi.Call) error { return any(c, true) },
		"MPI_Testany":  func(c *abi.Call) error { return any(c, false) },
		"MPI_Waitsome": func(c *abi.Call) error { return some(c, true) },
		"MPI_Testsome": func(c *abi.Call) error { return some(c, false) },
	})
}

// requestsAt reads an array of requests.
func requestsAt(c *abi.Call, at int64, n int) ([]*abi.Request, error) {
	if n < 0 {
		return nil, abi.Wrong(standard.ErrArg, "%d requests; expected at least 0", n)
	}
	lists := c.Lists
	lists.Ints = c.IntsInto(lists.Ints, at, n, true)
	lists.Requests = lists.Requests[:0]
	for _, h := range lists.Ints {
		r, err := c.RequestAt(int64(h))
		if err != nil {
			return nil, err
		}
		lists.Requests = append(lists.Requests, r)
		setOn(c, r)
	}
	return lists.Requests, nil
}

// ending ends complete requests one by one. An error of one makes that of the call MPI_ERR_IN_STATUS.
type ending struct {
	c     *abi.Call
	first error
}

func newEnding(c *abi.Call) ending {
	c.Lists.Codes, c.Lists.Statuses = c.Lists.Codes[:0], c.Lists.Statuses[:0]
	return ending{c: c}
}

// add ends the next request, whose handle is at an address.
func (e *ending) add(r *abi.Request, at int64) {
	status, code := abi.EmptyStatus, standard.Success
	if !isIdle(r) {
		var err error
		status, err = end(e.c, r, at)
		if code = abi.CodeOf(err); err != nil && e.first == nil {
			e.first = err
			e.c.LastText[code] = err.Error()
		}
	}
	e.c.Lists.Codes, e.c.Lists.Statuses = append(e.c.Lists.Codes, code), append(e.c.Lists.Statuses, status)
}

// put writes the status of each to an array, unless that is null.
func (e *ending) put(at int64) error {
	for i := range e.c.Lists.Statuses {
		if at == 0 {
			break
		}
		s := &e.c.Lists.Statuses[i]
		if e.first != nil {
			e.c.PutStatusOf(at, s, e.c.Lists.Codes[i])
		} else {
			e.c.PutStatus(at, s)
		}
		at += int64(abi.StatusBytes)
	}
	return inStatus(e.first)
}

// endAll ends requests, of which all are complete, and writes the status of each.
func endAll(c *abi.Call, list []*abi.Request, at int64, statuses int64) error {
	e := newEnding(c)
	for i, r := range list {
		e.add(r, at+8*int64(i))
	}
	return e.put(statuses)
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
func complete(c *abi.Call, list []*abi.Request) (some []int, open *abi.Request, idle bool) {
	idle, some = true, c.Lists.Ints[:0]
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
	some, open, idle := complete(c, list)
	if len(some) > 0 || idle {
		return some, idle, nil
	}
	if !wait {
		if err := c.Engine.Progress(); err != nil {
			return nil, false, err
		}
		if some, _, _ = complete(c, list); len(some) == 0 {
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
			c.LetOthers(never)
			err = c.Engine.Progress()
		}
		if err != nil {
			return nil, false, err
		}
		some, open, _ = complete(c, list)
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

// tellSome tells the program which requests of its array are complete, and returns these by their places in the array.
func tellSome(c *abi.Call, wait bool) (list []*abi.Request, some []int, err error) {
	if list, err = requestsAt(c, c.Words[1], c.At(0)); err != nil {
		return nil, nil, err
	}
	some, idle, err := awaitSome(c, list, wait)
	switch {
	case err != nil:
		return nil, nil, err
	case idle:
		c.PutInt(c.Words[2], standard.Undefined)
		return list, nil, nil
	}
	c.PutInt(c.Words[2], len(some))
	c.PutInts(c.Words[3], some, false)
	return list, some, nil
}

func some(c *abi.Call, wait bool) error {
	list, some, err := tellSome(c, wait)
	if err != nil {
		return err
	}
	e := newEnding(c)
	for _, i := range some {
		e.add(list[i], c.Words[1]+8*int64(i))
	}
	return e.put(c.Words[4])
}
