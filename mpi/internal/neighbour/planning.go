package neighbour

import (
	"errors"
	"fmt"

	"musubi/mpi/internal/queueplan"
	"musubi/rma"
	"musubi/units"
)

// usualCosts are about what commands cost on Tofu2, for machines that do not report theirs.
var usualCosts = rma.QueueCosts{
	Command: 100 * units.Nanosecond, Rate: 10 * units.GBPerSecond, Self: 500 * units.Nanosecond, Look: units.Microsecond,
}

// planAll plans together all operations that are prepared and not planned yet, and opens their
// queues.
func (l *exchanges) planAll() {
	var list []*exchange
	var demands []queueplan.Demand
	for _, x := range l.all {
		if x.plan.Protocol == auto {
			list, demands = append(list, x), append(demands, x.demand())
		}
	}
	if len(list) == 0 {
		return
	}
	p, ok := list[0].e.Process.(rma.Commander)
	if !ok {
		for _, x := range list {
			d := x.demand()
			x.useNone(usualCosts, &d, "the machine has no command queues")
		}
		return
	}
	costs := usualCosts
	if known, ok := p.(rma.QueueCoster); ok {
		costs = known.QueueCosts()
	}
	for _, x := range list {
		x.software = costs.Software
	}
	if host, ok := p.(rma.HostCommander); ok {
		list, demands = planAgents(host, list)
	}
	free := p.FreeQueues()
	for i, x := range list {
		x.preferEager(costs, p.Engines(), free, &demands[i])
	}
	for i, s := range queueplan.Divide(costs, p.Engines(), free, demands) {
		list[i].use(p, costs, &demands[i], s, list[i].reason(&demands[i], free, len(list)))
	}
}

// planAgents plans the operations for which the program asks for an agent, and returns the others.
func planAgents(p rma.HostCommander, list []*exchange) (others []*exchange, demands []queueplan.Demand) {
	for _, x := range list {
		x.findHost(p)
		if x.options.Protocol == Agent {
			x.planAgent(p)
			continue
		}
		others, demands = append(others, x), append(demands, x.demand())
	}
	return others, demands
}

// demand returns the input of the operation for the planner.
func (x *exchange) demand() queueplan.Demand {
	d := queueplan.Demand{In: len(x.ins), Queues: queueplan.AnyQueues}
	for i := range x.outs {
		d.Out = append(d.Out, len(x.outs[i].from))
	}
	switch x.options.Protocol {
	case auto:
		d.Limit = x.options.Queues
	case PRDMA, Eager, Agent: // an agent has been planned where there can be one
		d.Queues, d.Eager = 0, x.options.Protocol == Eager
	case FAST:
		d.Queues = d.Most()
	case MRC:
		d.Queues = 1
	case Shared:
		if x.options.Queues > 0 {
			d.Queues = x.options.Queues
		}
	}
	return d
}

// reason returns why the operation gets its queues, for Plan.
func (x *exchange) reason(d *queueplan.Demand, free, operations int) string {
	switch {
	case d.Most() == 0:
		return "this rank has no neighbours"
	case d.Eager && x.options.Protocol == auto:
		return "predicted to take the least time, as the neighbours share memory"
	case d.Queues == queueplan.AnyQueues:
		text := fmt.Sprintf("predicted to take the least time with the %d command queues that are free", free)
		if operations > 1 {
			text += fmt.Sprintf(" for %d operations together", operations)
		}
		return text
	case x.options.Protocol == Agent:
		return "command queues of this machine serve only the process that has opened them"
	case d.Queues > d.Most():
		return fmt.Sprintf("the program asks for %v with %d command queues; there are %d neighbours to send to", x.options.Protocol, d.Queues, len(d.Out))
	case d.Queues > free:
		return fmt.Sprintf("the program asks for %v, which needs %d of the command queues, and %d are free", x.options.Protocol, d.Queues, free)
	}
	if x.options.Protocol == Shared {
		return fmt.Sprintf("the program asks for %d command queues", d.Queues)
	}
	return fmt.Sprintf("the program asks for %v", x.options.Protocol)
}

// use opens the queues of a plan. If not all can be opened, it plans again with those that can.
func (x *exchange) use(p rma.Commander, costs rma.QueueCosts, d *queueplan.Demand, s queueplan.Share, reason string) {
	for len(s.EngineOf) > 0 {
		x.place(&s)
		err := x.openQueues(p, s.EngineOf)
		if err == nil {
			x.plan = plan{x.protocolOf(&s), len(s.EngineOf), x.engines(), s.Time, reason}
			return
		}
		opened := len(x.queues)
		reason = fmt.Sprintf("%d command queues could not be opened: %v", len(s.EngineOf), err)
		if closing := x.closeQueues(); closing != nil || !errors.Is(err, rma.ErrNoQueue) {
			break
		}
		s = queueplan.Assign(costs, p.Engines(), opened, d)
	}
	x.useNone(costs, d, reason)
}

// useNone plans without queues: the processor sends all data.
func (x *exchange) useNone(costs rma.QueueCosts, d *queueplan.Demand, reason string) {
	for i := range x.ins {
		x.ins[i].queue = -1
	}
	for i := range x.outs {
		x.outs[i].queue = -1
	}
	x.plan = plan{Protocol: PRDMA, Time: queueplan.WithoutQueues(costs, d), Reason: reason}
	if d.Eager {
		x.plan.Protocol, x.plan.Time = Eager, eagerTime(costs, d)
		x.beEager()
	}
}

// place assigns each edge to a queue: an edge to this rank to the queue of an edge to the same
// neighbour, if there is one, else to the least loaded queue.
func (x *exchange) place(s *queueplan.Share) {
	x.queues = make([]commandQueue, len(s.EngineOf))
	taken := make([]bool, len(x.outs))
	for i := range x.outs {
		q := s.QueueOf[i]
		x.outs[i].queue = q
		x.queues[q].outs = append(x.queues[q].outs, i)
	}
	for i := range x.ins {
		q := -1
		for o := range x.outs {
			if !taken[o] && x.outs[o].rank == x.ins[i].rank {
				taken[o], q = true, x.outs[o].queue
				break
			}
		}
		if q < 0 {
			q = x.leastLoaded()
		}
		x.ins[i].queue = q
		x.queues[q].ins = append(x.queues[q].ins, i)
	}
}

// leastLoaded returns the queue with the fewest edges to this rank.
func (x *exchange) leastLoaded() int {
	best := 0
	for q := range x.queues {
		if len(x.queues[q].ins) < len(x.queues[best].ins) {
			best = q
		}
	}
	return best
}

// openQueues opens the queues, each on the planned engine if that has one left. If it fails,
// x.queues are those that are open.
func (x *exchange) openQueues(p rma.Commander, engines []int) error {
	for i := range x.queues {
		s := &x.queues[i]
		config := rma.QueueConfig{Session: len(s.outs) > 0, Lead: len(s.ins), Engine: engines[i], Entries: s.entries()}
		if x.paired != nil {
			config.Engine = rma.Any // a plan of one edge does not know those of the others
		}
		if !config.Session {
			config.Lead = 0
		}
		q, err := p.OpenQueue(config)
		if errors.Is(err, rma.ErrNoQueue) {
			config.Engine = rma.Any
			q, err = p.OpenQueue(config)
		}
		if err == nil && q.Entries() < config.Entries {
			err = fmt.Errorf("a queue has %d entries; a round takes %d", q.Entries(), config.Entries)
			err = errors.Join(err, q.Close())
		}
		if err != nil {
			x.queues = x.queues[:i]
			return err
		}
		s.queue = q
	}
	return nil
}

func (x *exchange) engines() (list []int) {
	for i := range x.queues {
		list = append(list, x.queues[i].queue.Engine())
	}
	return list
}

// protocolOf returns the protocol that a share of queues amounts to.
func (x *exchange) protocolOf(s *queueplan.Share) Protocol {
	switch n := len(s.EngineOf); {
	case n == len(x.outs) && x.options.Protocol != MRC || len(x.outs) == 0:
		return FAST
	case n == 1:
		return MRC
	}
	return Shared
}
