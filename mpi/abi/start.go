package abi

import (
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
)

// Session is a session of the program.
type Session struct{ Handled }

// Session returns the session of a handle.
func (c *Call) Session(h int64) (*Session, error) {
	s := c.Sessions.Get(h)
	if s == nil {
		return nil, Wrong(standard.ErrSession, "%#x is no session", h)
	}
	c.On = &s.Handled
	return s, nil
}

// JoinWorld makes this process a rank, unless it is one.
func (c *Call) JoinWorld() error {
	if c.RMA != nil {
		return nil
	}
	process, leave, err := c.Host.Join()
	if err != nil {
		return Wrong(standard.ErrOther, "%v", err)
	}
	c.LeaveJob = leave
	if c.Engine, err = core.NewEngine(process, core.Options{Check: core.CheckIfAsked()}); err != nil {
		return Wrong(standard.ErrOther, "%v", err)
	}
	c.RMA = process
	if c.Threads != nil {
		c.Engine.Share = c.LetOthers
	}
	c.World = collective.NewWorld(c.Engine)
	self := c.World.Self()
	c.WorldComm, c.SelfComm = c.fixedComm(c.World, standard.CommWorld, "MPI_COMM_WORLD"), c.fixedComm(self, standard.CommSelf, "MPI_COMM_SELF")
	return nil
}

func (p *Process) fixedComm(c *collective.Comm, handle int64, name string) *Comm {
	m := &Comm{Inner: c, Point: &c.Comm, Name: name, Fixed: true}
	m.Handle, m.Errhandler = handle, standard.ErrorsAreFatal
	return m
}
