package abi

import (
	"slices"

	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
)

// Comm is a communicator of the program.
type Comm struct {
	Handled
	Inner  *collective.Comm // of the local group
	Point  *core.Comm       // for messages between two ranks
	Remote []int32          // processes of the remote group; nil: it is an intracommunicator

	Made *collective.Duplicate // by MPI_Comm_idup, while c is nil

	Name       string
	Attributes Attributes
	Topology   *Topology
	Buffer     *AttachedBuffers
	Info       *Info
	Fixed      bool // the program cannot free it
}

// IsInter reports whether it is an intercommunicator.
func (c *Comm) IsInter() bool { return c.Remote != nil }

// Processes returns the processes of the local group.
func (c *Comm) Processes() []int32 {
	all := make([]int32, c.Inner.Size())
	for rank := range all {
		all[rank] = c.Inner.Process(rank)
	}
	return all
}

// Peers returns how many ranks messages can go to.
func (c *Comm) Peers() int { return c.Point.Size() }

// is sets what a communicator is in package collective.
func (c *Comm) is(x *collective.Comm) { c.Inner, c.Point = x, &x.Comm }

// Between returns both groups of an intercommunicator.
func (c *Comm) Between() *collective.Intercomm {
	return &collective.Intercomm{Own: c.Inner, Bridge: c.Point, Remote: c.Remote}
}

// NewComm makes a communicator of one of package collective; nil: there is none yet.
func (p *Process) NewComm(c *collective.Comm, from *Comm) *Comm {
	n := &Comm{}
	if c != nil {
		n.is(c)
	}
	n.Errhandler = standard.ErrorsAreFatal
	if from != nil {
		n.Errhandler = from.Errhandler
		p.UseErrhandler(n.Errhandler)
	}
	n.Handle = p.comms.Add(n)
	return n
}

// CommAt returns the communicator of a handle, nil if there is none.
func (p *Process) CommAt(h int64) *Comm {
	switch h {
	case standard.CommWorld:
		return p.WorldComm
	case standard.CommSelf:
		return p.SelfComm
	}
	m := p.comms.Get(h)
	if m != nil && m.Inner == nil {
		x := m.Made.Comm()
		if x == nil {
			return nil // it is being made
		}
		m.is(x)
		if m.Made = nil; m.IsInter() {
			m.Point = x.Across(m.Remote)
		}
	}
	return m
}

// Comm returns the communicator that a word names. Errors of the call are its errors.
func (c *Call) Comm(i int) (*Comm, error) {
	m := c.CommAt(c.Words[i])
	if m == nil {
		if c.Words[i] == standard.CommNull {
			return nil, Wrong(standard.ErrComm, "MPI_COMM_NULL; expected a communicator")
		}
		if c.comms.Get(c.Words[i]) != nil {
			return nil, Wrong(standard.ErrComm, "a communicator whose MPI_Comm_idup is not complete")
		}
		return nil, Wrong(standard.ErrComm, "%#x is no communicator", c.Words[i])
	}
	c.Use(m)
	return m, nil
}

// NewOrMade is Comm that takes communicators that MPI_Comm_idup is still making, too: for what they have without others.
func (c *Call) NewOrMade(i int) (*Comm, error) {
	if m := c.comms.Get(c.Words[i]); m != nil && c.CommAt(c.Words[i]) == nil {
		c.On = &m.Handled
		return m, nil
	}
	return c.Comm(i)
}

// Use notes which communicator a call is about. Errors of the call are its errors.
func (c *Call) Use(m *Comm) { c.On, c.used = &m.Handled, m }

// Intra is comm that refuses intercommunicators.
func (c *Call) Intra(i int) (*Comm, error) {
	m, err := c.Comm(i)
	if err == nil && m.IsInter() {
		return nil, Wrong(standard.ErrComm, "an intercommunicator; expected an intracommunicator")
	}
	return m, err
}

// Inter returns the intercommunicator at a word.
func (c *Call) Inter(i int) (*Comm, error) {
	m, err := c.Comm(i)
	if err == nil && !m.IsInter() {
		return nil, Wrong(standard.ErrComm, "an intracommunicator; expected an intercommunicator")
	}
	return m, err
}

// DropComm frees a communicator if nothing is under way there, and nothing can be started again. What is and can,
// as MPI allows, keeps its number until the end.
func (p *Process) DropComm(m *Comm) {
	if p.Lanes != nil {
		p.Lanes.Close(m)
	}
	p.comms.Remove(m.Handle)
	p.UnuseErrhandler(m.Errhandler)
	persistent := slices.ContainsFunc(p.Requests.Objects, func(r *Request) bool { return r != nil && r.Again != nil && r.Comm == m })
	if !persistent && len(p.Engine.Pending(&m.Inner.Comm)) == 0 && len(p.Engine.NotReceived(&m.Inner.Comm)) == 0 {
		m.Inner.Free("MPI_Comm_free") // its error would be one of what is under way
	}
}
