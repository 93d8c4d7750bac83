package live

import (
	"fmt"
	"math"
	"math/bits"

	"musubi/live/wire"
	"musubi/nic/cmdq"
	"musubi/rma"
	"musubi/units"
)

// commands is what a rank has to do with command queues.
type commands struct {
	desk   *desk
	runner *runner
	seen   uint64          // events that it has looked at
	queues []*commandQueue // by number less 1; nil if it was never open
	deputy *deputy         // nil as long as none is needed
	posted order           // of the queues and data of commands before these are carried out
}

// neverSeen is a number that events do not have.
const neverSeen = math.MaxUint64

func newCommands(r *rank) commands {
	desk := &r.job.desks[r.number]
	return commands{
		desk:   desk,
		seen:   neverSeen,
		deputy: newDeputy(r, desk),
		runner: newRunner(r, &r.job.tables[r.number].reaching),
		queues: make([]*commandQueue, queuesFor(r.job.size())),
	}
}

func (g *region) queueOf(n queueName) *queueState {
	return &g.queues[n.rank*queuesFor(g.size())+n.number-1]
}

// isOpen reports whether there is such a queue, and it is open.
func (g *region) isOpen(n queueName) bool {
	return n.number <= mostQueues && g.desks[n.rank].open.Load()&n.bit() != 0
}

// tell lets a rank look at its desk.
func (g *region) tell(rank int) {
	g.desks[rank].events.Add(1)
	g.wake(rank)
}

// attendQueues does what there is to do with command queues, and reports whether there
// was anything: others may have written to memory of this rank, too.
func (r *rank) attendQueues() bool {
	events := r.commands.desk.events.Load()
	if events == r.commands.seen {
		return false
	}
	if r.commands.seen == neverSeen {
		r.commands.deputy.begin()
	}
	r.commands.seen = events
	r.pushes++
	r.commands.runner.runAsked()
	return true
}

// Engines is 1: which processor carries a command out, and whether another one carries out
// others meanwhile, depends on who is at hand.
func (r *rank) Engines() int { return 1 }

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
func (r *rank) QueueCosts() rma.QueueCosts {
	costs := stagedCosts
	if r.direct {
		costs = directCosts
	}
	if r.job.header.sleeps == 0 {
		costs.Shared = aloneShared
	}
	return costs
}

func (r *rank) FreeQueues() int {
	return len(r.commands.queues) - bits.OnesCount64(r.commands.desk.open.Load())
}

func (r *rank) OpenQueue(c rma.QueueConfig) (rma.Queue, error) {
	switch {
	case r.FreeQueues() == 0:
		return nil, fmt.Errorf("rma: rank %d has %d command queues open: %w", r.number, len(r.commands.queues), rma.ErrNoQueue)
	case c.Engine != rma.Any && c.Engine != 0:
		return nil, fmt.Errorf("rma: command queue on engine %d; expected 0, the only one", c.Engine)
	case c.Entries < 0 || c.Entries > maxEntries:
		return nil, fmt.Errorf("rma: command queue of %d entries; expected 0 to %d", c.Entries, maxEntries)
	case c.Lead < 0:
		return nil, fmt.Errorf("rma: command queue with a lead of %d entries; expected at least 0", c.Lead)
	}
	entries := c.Entries
	if entries == 0 {
		entries = maxEntries
	}
	number := bits.TrailingZeros64(^r.commands.desk.open.Load()) + 1
	name := queueName{r.number, number}
	q := &commandQueue{rank: r, name: name, state: r.job.queueOf(name), data: make([][]byte, entries)}
	q.state.format(entries, cmdq.OpenPointers(c.Session, c.Lead))
	r.commands.queues[number-1] = q
	r.commands.desk.open.Or(name.bit())
	r.commands.deputy.begin()
	r.commands.deputy.engage()
	return q, nil
}

// dataOf returns the data of a command that is not complete. wasRead must follow.
func (c *commands) dataOf(n queueName, position uint64) []byte {
	c.posted.acquire()
	data := c.queues[n.number-1].data
	return data[position%uint64(len(data))]
}

// wasRead ends the use of what dataOf has returned, before others may complete the command.
func (c *commands) wasRead(n queueName) { c.queues[n.number-1].read.release() }

// commandQueue is an open command queue in the hands of its owner. Those who carry out its
// commands in this process read data.
type commandQueue struct {
	rank   *rank
	name   queueName
	state  *queueState
	data   [][]byte // by slot, so that it is held
	read   order    // of the data before the completion of its command
	closed bool
}

func (q *commandQueue) Number() int  { return q.name.number }
func (q *commandQueue) Engine() int  { return 0 }
func (q *commandQueue) Entries() int { return len(q.data) }

func (q *commandQueue) Post(list ...rma.Command) error {
	p := q.state.pointers()
	switch {
	case q.closed:
		return q.errClosed("Post")
	case len(list) > p.Room(len(q.data)):
		return fmt.Errorf("rma: %d commands to queue %d of rank %d, which has %d entries and room for %d: %w",
			len(list), q.name.number, q.name.rank, len(q.data), p.Room(len(q.data)), rma.ErrQueueFull)
	}
	for i := range list {
		if err := q.check(&list[i]); err != nil {
			return err
		}
	}
	for i := range list {
		at := p.Write + uint64(i)
		q.data[at%uint64(len(q.data))] = list[i].Data
		q.encode(q.state.command(at), &list[i])
	}
	q.rank.commands.posted.release()
	q.state.write.Store(p.Write + uint64(len(list)))
	q.rank.commands.runner.run(q.name)
	return q.rank.failed(0)
}

// check fails if a command is wrong by itself.
func (q *commandQueue) check(c *rma.Command) error {
	if !c.Put {
		return nil
	}
	if err := q.rank.checkRank(c.TargetQueue.Rank); err != nil {
		return err
	}
	switch {
	case len(c.Data) > 0 && c.To.Rank != c.TargetQueue.Rank:
		return fmt.Errorf("rma: put to %v that rank %d takes; expected a queue of the rank that it goes to", c.To, c.TargetQueue.Rank)
	case c.TargetQueue.Queue < 0 || c.TargetQueue.Queue > math.MaxUint16:
		return fmt.Errorf("rma: put to command queue %d of rank %d; expected one that is open", c.TargetQueue.Queue, c.TargetQueue.Rank)
	case c.Advance < 0 || c.Advance > math.MaxInt32:
		return fmt.Errorf("rma: put that advances a queue by %d commands; expected at least 0 and no more than there can be", c.Advance)
	}
	return nil
}

// encode writes a command to its entry.
func (q *commandQueue) encode(e *command, c *rma.Command) {
	*e = command{
		address: addressOf(c.Data), bytes: uint64(len(c.Data)), offset: uint64(c.To.Offset), word: c.Word,
		segment: int32(segmentNumber(c.To.Segment)), advance: uint32(c.Advance), to: uint16(c.TargetQueue.Rank), taker: uint16(c.TargetQueue.Queue),
	}
	if c.Put {
		e.flags |= isPut
	}
	if c.Notice {
		e.flags |= withNotice
	}
	arena := q.rank.job.arenas
	if at := e.address - addressOf(arena); len(c.Data) > 0 && at < uint64(len(arena)) {
		e.flags |= inArena
		e.address = at
	}
}

// HasEvent looks at memory only.
func (q *commandQueue) HasEvent() bool {
	return q.state.done.Load() != q.state.taken.Load() || q.state.hasNotice()
}

func (q *commandQueue) Completion() (bool, error) {
	if q.closed {
		return false, q.errClosed("Completion")
	}
	if q.state.done.Load() == q.state.taken.Load() && (!q.rank.attendQueues() || q.state.done.Load() == q.state.taken.Load()) {
		return false, q.rank.failed(0)
	}
	at := q.state.taken.Load()
	c := q.state.command(at)
	q.read.acquire()
	q.data[at%uint64(len(q.data))] = nil
	var err error
	if c.code != 0 {
		to := rma.Address{Rank: int(c.to), Segment: int(c.segment), Offset: int(c.offset)}
		err = q.rank.errorOf(wire.Report{Code: wire.Code(c.code), Hint: c.hint}, to, int(c.bytes))
	}
	q.state.taken.Store(at + 1)
	return true, err
}

func (q *commandQueue) Notice() (rma.Notice, bool) {
	if q.closed || !q.state.hasNotice() && (!q.rank.attendQueues() || !q.state.hasNotice()) {
		return rma.Notice{}, false
	}
	n, wanted := q.state.takeNotice()
	if wanted {
		x := q.rank.commands.runner
		x.markWaiting()
		x.runMarked()
		q.rank.commands.deputy.makeRoom()
	}
	return n, true
}

func (q *commandQueue) Close() error {
	if q.closed {
		return q.errClosed("Close")
	}
	if err := q.rank.await(inClose, q.state.enter); err != nil {
		return err
	}
	p := q.state.pointers()
	if p.Idle() {
		q.closed = true
		q.rank.commands.desk.open.And(^q.name.bit())
	}
	for q.state.leave() {
	}
	if !q.closed {
		q.rank.commands.runner.run(q.name)
		return fmt.Errorf("rma: Close of command queue %d of rank %d, of which %d commands are not complete", q.name.number, q.name.rank, p.Ready()+p.Running())
	}
	clear(q.data)
	return nil
}

func (q *commandQueue) errClosed(call string) error {
	return fmt.Errorf("rma: %s of command queue %d of rank %d, which is closed", call, q.name.number, q.name.rank)
}
