package dma

import (
	"fmt"

	"musubi/nic/cmdq"
	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/units"
)

// Queues registers the model of interfaces with command queues.
var Queues = host.Entry{
	Model:  machine.Model{Name: "queues", Tables: tables, Section: func() machine.Section { return &Section{} }},
	Traits: queuesTraits, New: newQueues,
}

func queuesTraits(m *machine.Machine) host.Traits {
	t, s := dmaTraits(m), sectionOf(m)
	t.LoopsBack, t.Queues = false, true
	t.RanksPerHost, t.Limit, t.Processes, t.Engines, t.Barriers = s.Queue.Processes, "queue.processes", s.Queue.Processes, s.Queue.Engines, s.Barrier.Channels > 0
	return t
}

func newQueues(c *host.Env) (host.Model, error) {
	d := newDMA(c)
	d.queues = newQueueTable(d.interfaces, &d.Queue)
	d.transfers.queues, d.commands.queues = d.queues, d.queues
	d.groups = newGroups(d)
	return d, nil
}

// commander is a rank of a machine whose interfaces have command queues.
type commander struct {
	*host.Process
	d *dma
}

var _ rma.QueueCoster = (*commander)(nil)

// Engines implements rma.Commander.
func (r *commander) Engines() int { return r.d.interfaces.engines }

// QueueCosts implements rma.QueueCoster.
func (r *commander) QueueCosts() rma.QueueCosts {
	m, q := r.d.Machine, &r.d.Queue
	whole := units.Bytes(m.PacketFlits(m.Packet.Payload)) * m.Link.Flit
	rate := m.Link.Rate / units.Rate(whole) * units.Rate(m.Packet.Payload)
	if m.Bus.Rate > 0 {
		rate = min(rate, m.Bus.Rate)
	}
	return rma.QueueCosts{
		Command: m.NIC.Start, Rate: rate, Self: m.NIC.Start + q.Self + q.Arrive, Look: m.Host.Poll + m.Host.Post,
		Software: r.d.Software,
	}
}

// FreeQueues implements rma.Commander.
func (r *commander) FreeQueues() int { return r.d.queues.free(r.Rank()) }

// OpenQueue implements rma.Commander.
func (r *commander) OpenQueue(cfg rma.QueueConfig) (rma.Queue, error) {
	most := r.d.Queue.Entries
	switch {
	case cfg.Engine != rma.Any && (cfg.Engine < 0 || cfg.Engine >= r.d.interfaces.engines):
		return nil, fmt.Errorf("rma: command queue on engine %d; expected 0 to %d", cfg.Engine, r.d.interfaces.engines-1)
	case cfg.Entries < 0 || cfg.Entries > most:
		return nil, fmt.Errorf("rma: command queue of %d entries; expected 0 to %d", cfg.Entries, most)
	case cfg.Entries == 0:
		cfg.Entries = most
	}
	state, err := cmdq.NewQueue[queued](cmdq.QueueConfig{
		Session: cfg.Session, Lead: cfg.Lead, Entries: cfg.Entries, Notices: r.d.Queue.Notices,
	})
	if err != nil {
		return nil, fmt.Errorf("rma: %w", err)
	}
	q := &queue{r: r.Process, d: r.d, state: state, ways: map[int32]int32{}}
	if err := r.d.commands.open(q, cfg.Engine); err != nil {
		return nil, fmt.Errorf("rma: %w: %w", err, rma.ErrNoQueue)
	}
	return q, nil
}

// queue is a command queue of a rank.
type queue struct {
	r              *host.Process
	d              *dma
	number, engine int
	port           int32
	state          *cmdq.Queue[queued]
	batch          []queued        // of the present Post
	watchers       []*host.Process // other ranks of the node that look at what is complete

	ways map[int32]int32 // ports that its last put to each rank has gone to
}

// queued is a command of a queue.
type queued struct {
	rma.Command
	of *queue // nil: the interface's own, see Release
}

// acts reports whether a put asks for more than to be written.
func (c *queued) acts() bool { return c.TargetQueue.Queue > 0 && (c.Advance > 0 || c.Notice) }

// Number, Engine and Entries implement rma.Queue.
func (q *queue) Number() int  { return q.number }
func (q *queue) Engine() int  { return q.engine }
func (q *queue) Entries() int { return q.state.Entries() }

// Post implements rma.Queue. The processor writes each command to memory, and then tells
// the engine once.
func (q *queue) Post(commands ...rma.Command) error {
	switch room := q.state.Room(); {
	case q.state.Closed():
		return q.isClosed("Post")
	case len(commands) > room:
		return fmt.Errorf("rma: %d commands to queue %d of rank %d, which has %d entries and room for %d: %w",
			len(commands), q.number, q.r.Rank(), q.Entries(), room, rma.ErrQueueFull)
	case len(commands) == 0:
		return nil
	}
	q.batch = q.batch[:0]
	for i := range commands {
		if err := q.check(&commands[i]); err != nil {
			return err
		}
		q.batch = append(q.batch, queued{commands[i], q})
	}
	q.r.Sleep(units.Time(len(commands))*q.d.Queue.Command + q.d.Machine.Host.Post)
	q.state.Post(q.batch...)
	clear(q.batch)
	q.d.commands.next(uint32(q.port))
	return nil
}

// check fails if a command is wrong by itself.
func (q *queue) check(c *rma.Command) error {
	ranks := len(q.d.Ranks)
	switch {
	case !c.Put:
	case c.TargetQueue.Rank < 0 || c.TargetQueue.Rank >= ranks:
		return fmt.Errorf("rma: put that rank %d takes; there are ranks 0 to %d", c.TargetQueue.Rank, ranks-1)
	case len(c.Data) > 0 && c.To.Rank != c.TargetQueue.Rank:
		return fmt.Errorf("rma: put to %v that rank %d takes; expected a queue of the rank that it goes to", c.To, c.TargetQueue.Rank)
	case c.TargetQueue.Queue < 0:
		return fmt.Errorf("rma: put to command queue %d of rank %d; expected one that is open, or 0", c.TargetQueue.Queue, c.TargetQueue.Rank)
	case c.Advance < 0:
		return fmt.Errorf("rma: put that advances a queue by %d commands; expected at least 0", c.Advance)
	}
	return nil
}

// HasEvent implements rma.Queue.
func (q *queue) HasEvent() bool { return q.state.HasEvent() }

// Completion implements rma.Queue.
func (q *queue) Completion() (bool, error) {
	if q.state.Closed() {
		return false, q.isClosed("Completion")
	}
	q.r.Sleep(q.d.Queue.Take)
	return q.state.Completion()
}

// Notice implements rma.Queue.
func (q *queue) Notice() (rma.Notice, bool) {
	q.r.Sleep(q.d.Queue.Take)
	n, ok := q.state.Notice()
	if ok {
		q.d.Released(q.r)
	}
	return rma.Notice(n), ok
}

// Close implements rma.Queue.
func (q *queue) Close() error {
	if q.state.Closed() {
		return q.isClosed("Close")
	}
	if err := q.state.Close(); err != nil {
		return fmt.Errorf("rma: Close of queue %d of rank %d: %w", q.number, q.r.Rank(), err)
	}
	q.d.commands.close(q)
	q.d.Released(q.r)
	return nil
}

func (q *queue) isClosed(call string) error {
	return fmt.Errorf("rma: %s of queue %d of rank %d, which is closed", call, q.number, q.r.Rank())
}
