package pointtopoint

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Start":    func(c *abi.Call) error { return start(c, c.Words[0]) },
		"MPI_Startall": startAll,
	})
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
	c.MayNotStart(r)
	again, m, l := r.Again, r.Comm, r.InLane
	*r = *started
	r.Again, r.Comm, r.InLane, r.Active = again, m, l, true
	return nil
}

func startAll(c *abi.Call) error {
	for i := c.DoneAlready(); i < c.At(0); i++ {
		if err := start(c, c.Words[1]+8*int64(i)); err != nil {
			return err
		}
	}
	return nil
}
