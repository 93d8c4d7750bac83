package queue

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"net"

	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/nic/cmdq"
	"musubi/rma"
	"musubi/units"
)

// Queues is what a rank has to do with command queues.
type Queues struct {
	job     *shm.Region
	number  int     // of the rank
	near    []int   // ranks of its group
	direct  bool    // the ranks of the group may copy from each other's memory
	host    Host    // the rank
	changes *uint64 // goes up when others may have written to memory of the rank

	state    *shm.Progress
	runner   *runner
	seen     uint64          // events that it has looked at
	queues   []*commandQueue // by number less 1; nil if it was never open
	progress *progress
	posted   shm.Order // of the queues and data of commands before these are carried out
}

// Host is the rank that has the queues. Its methods are called seldom.
type Host interface {
	// Problem returns why the rank cannot go on, nil if it can.
	Problem() error
	// ErrorOf makes an error of a report about an access of n bytes.
	ErrorOf(p wire.Report, at rma.Address, n int) error
	// AwaitClose waits, in Close, until something is so.
	AwaitClose(ready func() bool) error
	// HasOthers reports whether there are ranks of other groups.
	HasOthers() bool
	// DialQueue connects to a rank of another group, for commands. It is called beside the rank.
	DialQueue(ctx context.Context, to int) (net.Conn, error)
	// CutQueues says that the connection with another rank is lost. If nobody says why, the job
	// fails with that. It is called beside the rank.
	CutQueues(peer int)
}

// neverSeen is a number that events do not have.
const neverSeen = math.MaxUint64

func New(job *shm.Region, number int, near []int, of Host, changes *uint64) *Queues {
	c := &Queues{
		job: job, number: number, near: near, host: of, changes: changes, state: &job.Progress[number], seen: neverSeen,
		queues: make([]*commandQueue, shm.QueuesFor(job.Size())),
	}
	c.progress, c.runner = newProgress(c), newRunner(c, &job.Tables[number].Reaching)
	return c
}

// AllowCopies says that the ranks of the group may copy from each other's memory.
func (c *Queues) AllowCopies() { c.direct = true }

// Attend does what there is to do with command queues, and reports whether there
// was anything: others may have written to memory of this rank, too.
func (c *Queues) Attend() bool { return c.state.Events.Load() != c.seen && c.attend() }

// attend is Attend of a rank that something has happened to, and returns true.
func (c *Queues) attend() bool {
	events := c.state.Events.Load()
	if c.seen == neverSeen {
		c.progress.Begin()
	}
	c.seen = events
	*c.changes++
	c.runner.runAsked()
	return true
}

// LookAlone lets the progress goroutine rest as long as the rank is in a call that waits, until lookNoMore.
func (c *Queues) LookAlone() { c.progress.lookAlone() }

func (c *Queues) LookNoMore() { c.progress.lookNoMore(c.seen) }

// IsLinked reports whether goroutines serve connections for commands, which may need a processor.
func (c *Queues) IsLinked() bool { return c.progress.linked.Load() }

// IsBusy reports whether goroutines carry out commands.
func (c *Queues) IsBusy() bool { return c.progress.busy.Load() > 0 }

// Packets returns how many puts have been sent to other groups, and answers that have come.
func (c *Queues) Packets() (sent, received uint64) {
	return c.progress.sent.Load(), c.progress.received.Load()
}

// End ends all that goroutines do for the queues.
func (c *Queues) End() { c.progress.Close() }

// Push writes data to a segment of another rank of the group, and reports whether it has.
func (c *Queues) Push(to rma.Address, data []byte) bool {
	x := c.runner
	target, refused := x.enter(to.Rank, to.Segment, uint64(to.Offset), uint64(len(data)))
	written := refused.Code == 0 && x.copy(target, side{memory: data}, len(data))
	x.leave(to.Rank, to.Segment)
	return written
}

// Pull reads data of a segment of another rank of the group, and reports whether it has.
func (c *Queues) Pull(from rma.Address, into []byte) bool {
	x := c.runner
	source, refused := x.enter(from.Rank, from.Segment, uint64(from.Offset), uint64(len(into)))
	read := refused.Code == 0 && x.copy(side{memory: into}, source, len(into))
	x.leave(from.Rank, from.Segment)
	return read
}

// Engines is 1: which processor carries a command out, and whether another one carries out
// others meanwhile, depends on who is at hand.
func (c *Queues) Engines() int { return 1 }

// Costs of commands, as measured between two processes of a host: a copy from process to
// process takes a system call, and as a rule the processor that comes last does those of
// both; where the system forbids that, both have to do something.
var (
	directCosts = rma.QueueCosts{
		Command: units.Microsecond, Rate: 10 * units.GBPerSecond, Self: 500 * units.Nanosecond, Look: 100 * units.Nanosecond,
		Shared: 12 * units.GBPerSecond,
	}
	stagedCosts = rma.QueueCosts{
		Command: 2 * units.Microsecond, Rate: 3 * units.GBPerSecond, Self: 100 * units.Nanosecond, Look: 2 * units.Microsecond,
		Shared: 12 * units.GBPerSecond,
	}
)

// aloneShared is QueueCosts.Shared of ranks that have a processor each: while one copies, so
// does the other.
const aloneShared = 24 * units.GBPerSecond

// QueueCosts implements rma.QueueCoster.
func (c *Queues) QueueCosts() rma.QueueCosts {
	costs := stagedCosts
	if c.direct {
		costs = directCosts
	}
	if c.job.Header.Sleeps == 0 {
		costs.Shared = aloneShared
	}
	return costs
}

// FreeQueues implements rma.Commander.
func (c *Queues) FreeQueues() int {
	return len(c.queues) - bits.OnesCount64(c.state.Open.Load())
}

// OpenQueue implements rma.Commander.
func (c *Queues) OpenQueue(cfg rma.QueueConfig) (rma.Queue, error) {
	switch {
	case c.FreeQueues() == 0:
		return nil, fmt.Errorf("rma: rank %d has %d command queues open: %w", c.number, len(c.queues), rma.ErrNoQueue)
	case cfg.Engine != rma.Any && cfg.Engine != 0:
		return nil, fmt.Errorf("rma: command queue on engine %d; expected 0, the only one", cfg.Engine)
	case cfg.Entries < 0 || cfg.Entries > shm.MaxEntries:
		return nil, fmt.Errorf("rma: command queue of %d entries; expected 0 to %d", cfg.Entries, shm.MaxEntries)
	case cfg.Lead < 0:
		return nil, fmt.Errorf("rma: command queue with a lead of %d entries; expected at least 0", cfg.Lead)
	}
	entries := cfg.Entries
	if entries == 0 {
		entries = shm.MaxEntries
	}
	number := bits.TrailingZeros64(^c.state.Open.Load()) + 1
	name := shm.QueueName{Rank: c.number, Number: number}
	q := &commandQueue{c: c, name: name, state: c.job.QueueOf(name), data: make([][]byte, entries)}
	q.state.Format(entries, cmdq.OpenPointers(cfg.Session, cfg.Lead))
	c.queues[number-1] = q
	c.state.Open.Or(name.Bit())
	c.progress.Begin()
	c.progress.engage()
	return q, nil
}

// dataOf returns the data of a command that is not complete. wasRead must follow.
func (c *Queues) dataOf(n shm.QueueName, position uint64) []byte {
	c.posted.Acquire()
	data := c.queues[n.Number-1].data
	return data[position%uint64(len(data))]
}

// wasRead ends the use of what dataOf has returned, before others may complete the command.
func (c *Queues) wasRead(n shm.QueueName) { c.queues[n.Number-1].read.Release() }

// checkRank fails if there is no such rank.
func (c *Queues) checkRank(number int) error {
	if number < 0 || number >= c.job.Size() {
		return fmt.Errorf("rma: no rank %d; there are ranks 0 to %d", number, c.job.Size()-1)
	}
	return nil
}
