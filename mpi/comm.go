package mpi

import (
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
	"musubi/rma"
)

// Options of a job. All its processes need the same.
type Options struct {
	// Rings is how each process receives: in "private" rings, one for every sender, or
	// in one that is "shared" by all. Empty: private if the machine has room for that.
	// Rings that the user of the machine has chosen take the place of either; if they
	// tell of whole messages they have to hold Eager and 32 bytes more.
	Rings string
	// RingBytes is the size of each ring in bytes. 0: as much as is usual.
	RingBytes int
	// Eager is the largest message, in bytes, that is sent without asking whether
	// somebody waits for it. 0: what the machine suggests (rma.Eager), or else 8 KiB;
	// negative: none but empty ones.
	Eager int
	// Check says whether calls are checked: CheckOn, CheckOff, or CheckAuto for programs under test,
	// programs under the race detector, and where the environment variable MUSUBI_CHECK is "on".
	//
	// Ranks then compare what each calls before every collective operation: the function, the root,
	// the type and number of elements, the reduction and the algorithm. Where these differ the
	// operation fails, and says what another rank has called. Calls from a goroutine that did not
	// call New fail, too. In simulated worlds this takes no time; between processes comparing takes two
	// messages for each rank and operation, and so CheckOn or the variable has to ask for it.
	Check Check
}

// Check says whether calls are checked; see Options.
type Check = core.Check

// Whether calls are checked.
const (
	CheckAuto = core.CheckAuto
	CheckOn   = core.CheckOn
	CheckOff  = core.CheckOff
)

// Comm is a communicator: some processes of a job, numbered from 0, whose messages
// do not mix with those of other communicators. Like the process that it is of, it
// belongs to one goroutine.
type Comm struct {
	comm  *collective.Comm
	limit *core.Limit // of its calls; nil: they wait as long as it takes
}

// New returns the communicator of all ranks of a job. It may be called once for
// each process, by all of them with the same options, before the process
// communicates otherwise; from then on arrivals belong to package mpi.
func New(p rma.Process, options ...Options) (*Comm, error) {
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	e, err := core.NewEngine(p, core.Options(o))
	if err != nil {
		return nil, &Error{Class: fault.Argument, Call: "New", Rank: p.Rank(), Err: err}
	}
	return &Comm{comm: collective.NewWorld(e)}, nil
}

// Run runs a program with the communicator of all ranks, and closes that when the
// program has returned nil. Errors are those of New, of the program and of Close.
func Run(p rma.Process, program func(c *Comm) error, options ...Options) error {
	c, err := New(p, options...)
	if err != nil {
		return err
	}
	if err := program(c); err != nil {
		return err
	}
	return c.Close()
}

// inner returns the communicator of package collective, for a call that begins: NoComm if c is nil, and one that
// refuses to be used if the call may not wait any more.
func (c *Comm) inner() *collective.Comm {
	switch {
	case c == nil:
		return collective.NoComm
	case c.limit != nil:
		return c.limited()
	}
	c.comm.Engine.Within(nil)
	return c.comm
}

// enter tells who asks for it that the program is in a call; see core.Engine.Enter.
func (c *Comm) enter(call string) core.Call { return c.inner().Engine.Enter(call) }

// commOf wraps a communicator of package collective, nil as nil.
func commOf(c *collective.Comm, err error) (*Comm, error) {
	if c == nil {
		return nil, err
	}
	return &Comm{comm: c}, err
}

// Rank returns the number of this process in the communicator, 0 to Size-1.
func (c *Comm) Rank() int { return c.comm.Rank() }

// Size returns the number of processes in the communicator.
func (c *Comm) Size() int { return c.comm.Size() }

// Process returns the process, for what the contract offers beyond messages. Its
// arrivals may not be taken.
func (c *Comm) Process() rma.Process { return c.comm.Engine.Process }

// Searched returns how many messages receives and probes of this process have looked at
// so far to find theirs, in all communicators.
func (c *Comm) Searched() uint64 { return c.comm.Searched() }

// Done returns how far this process has come in the blocking collective operation that it waits in,
// from 0 to 1; 0 if there is none. It is for those who watch a simulation: the process itself is in
// the call meanwhile.
func (c *Comm) Done() float64 { return c.comm.Done() }

// Dup returns a communicator of the same processes with the same ranks, whose
// messages do not mix with those of this one. All ranks call it.
func (c *Comm) Dup() (*Comm, error) {
	defer c.enter("Dup").Leave()
	return commOf(c.inner().Dup("Dup"))
}

// Split makes a communicator of the ranks that give the same color, for each color.
// Its ranks are in the order of their keys, and of their ranks in this one where
// keys are equal. A rank whose color is negative is in none of them and gets nil. All
// ranks call it.
func (c *Comm) Split(color, key int) (*Comm, error) {
	defer c.enter("Split").Leave()
	return commOf(c.inner().Split("Split", color, key))
}

// Groups makes a communicator of each group of ranks, in the order of the list, and without messages; nil for those that
// this rank is not in. All ranks call it with the same groups, and have made the same communicators before.
func (c *Comm) Groups(groups [][]int) ([]*Comm, error) {
	defer c.enter("Groups").Leave()
	list, err := c.inner().Groups("Groups", groups)
	if err != nil {
		return nil, err
	}
	all := make([]*Comm, len(list))
	for i, inner := range list {
		all[i], _ = commOf(inner, nil)
	}
	return all, nil
}

// Flush waits until all messages that this rank has sent have arrived.
func (c *Comm) Flush() error { return c.enter("Flush").Returns(c.inner().Flush("Flush")) }

// Free ends the use of a communicator. All of its ranks call it, each when everything that it
// has started there is complete and all messages have been received: if not, it fails with
// ErrRequest. It fails with ErrComm if the communicator is nil, has been freed before, or is
// that of New or of a window.
func (c *Comm) Free() error { return c.enter("Free").Returns(c.inner().Free("Free")) }

// Close ends the use of this package. All ranks call it, with the communicator of New,
// after their last communication. It waits for the other ranks, and until all messages of
// this rank have arrived.
//
// It fails with ErrOther if the machine could not deliver one of them, and with ErrRequest if
// a request is not complete, a message to this rank has not been received, or a window has
// not been freed; the error names them.
func (c *Comm) Close() error { return c.enter("Close").Returns(c.inner().Close("Close")) }
