package neighbour

import (
	"errors"
	"fmt"
	"slices"

	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/schedule"
	"musubi/rma"
)

// An agent is the rank of a host whose command queues send the data of all ranks of the
// communicator there: one agent per node that serves several processes, which Hatanaka et al. (2016,
// section 6) leave to future work. In each of its queues the commands of a round are, in this order,
//
//   - a gate: NOPs and a put to the queue itself, together one for each receiver and for each other
//     rank of the host that the queue serves. A receiver that is ready advances the scheduling
//     pointer by one entry, and so does a rank of the host that starts the round: from then on its
//     data may be sent. The last one releases the put, which releases the rest;
//   - SD and EOD of each edge.
//
// The agent posts them when it starts the round. The rank that sends along an edge does the work of the
// library for its commands, so the ranks of a host do it at the same time. The gate opens when all
// ranks of the host have started and all receivers are ready, in whatever order, and no processor is
// needed for it. Nobody tells the gate of the next round before this one has opened: a receiver has the
// data of this round then, and a rank of the host has seen that the queue is through with it.
//
// A rank sees by the words of its edges that data has come, and by the completed commands of the
// agent's queues that its own has been sent. It needs no queue: what it tells is a put of the
// interface itself (rma.HostCommander.Release).
type agent struct {
	process  rma.HostCommander
	handed   [][]handedEdge // of the members; at others than the agent, of this rank
	lengths  []uint64       // at the agent: commands of a round in each queue
	serving  []servingQueue // at others than the agent, queues that send data of this rank
	sending  bool           // these are not through with its data of the round
	prepares int            // commands in them that this rank does the work of the library for
}

// mostAgentQueues is how many queues an agent can have.
const mostAgentQueues = 16

// itself is the target queue of a receiver that has none, but can release those of others.
const itself = -1

// handedEdge is an edge that a rank hands to the agent of its host.
type handedEdge struct {
	From  location // of the data, at that rank
	Bytes int64
	To    int32 // the receiver, in the communicator
	Queue int32 // of the agent, from 1 on; 0: the processor of the rank sends the data
	Far   receiverInfo
}

// servingQueue is a queue of the agent that sends data of this rank.
type servingQueue struct {
	address   rma.QueueAddress
	length    int           // word for the number of commands in a round
	completed func() uint64 // since the queue was opened
}

// planAgent opens the queues, if this rank is the agent of its host. They have as many entries as
// they can: how many a round takes, only the other members know.
func (x *exchange) planAgent(p rma.HostCommander) {
	x.agent = &agent{process: p}
	x.plan = plan{Protocol: Agent, Reason: fmt.Sprintf("rank %d is the agent of the %d ranks of this host", x.host.members[0], len(x.host.members))}
	if !x.isFirstOfHost() {
		return
	}
	for i := range min(max(1, x.options.Queues), mostAgentQueues) {
		q, err := p.OpenQueue(rma.QueueConfig{Session: true, Engine: i % p.Engines()})
		if errors.Is(err, rma.ErrNoQueue) {
			q, err = p.OpenQueue(rma.QueueConfig{Session: true, Engine: rma.Any})
		}
		if err != nil {
			x.plan.Reason += fmt.Sprintf("; it could open %d command queues: %v", i, err)
			break
		}
		x.queues = append(x.queues, commandQueue{queue: q})
	}
}

// divideEdges gives the edges of all members to the agent's queues in turn, if these have enough
// entries for a round.
func (x *exchange) divideEdges() {
	if len(x.queues) == 0 {
		return
	}
	queues := agentQueues{Count: int32(len(x.queues))}
	for i := range x.queues {
		queues.Numbers[i] = int32(x.queues[i].queue.Number())
	}
	edges := 0
	for i := range x.host.joins {
		x.host.given[i].agentQueues = queues
		x.host.given[i].First = int32(edges) % queues.Count
		edges += int(x.host.joins[i].Outs)
	}
	each := (edges + len(x.queues) - 1) / len(x.queues)
	most := each + len(x.host.members) - 1 + 2*each // see prepareQueue
	for i := range x.queues {
		if entries := x.queues[i].queue.Entries(); entries < most {
			x.plan.Reason += fmt.Sprintf("; a queue has %d entries, and a round takes up to %d", entries, most)
			x.note(x.closeQueues())
			for i := range x.host.given {
				x.host.given[i].Count = 0
			}
			return
		}
	}
}

// shareQueues gives the edges of this rank to the agent's queues.
func (x *exchange) shareQueues() {
	q := &x.host.given[0]
	if q.Count == 0 {
		x.plan.Protocol = PRDMA
		if !x.isFirstOfHost() {
			x.plan.Reason += ", which has no command queues for them"
		}
		return
	}
	x.plan.Queues, x.plan.Engines = len(x.queues), x.engines()
	for i := range x.outs {
		x.outs[i].agentQueue = 1 + (int(q.First)+i)%int(q.Count)
	}
}

// handOver hands the edges of this rank to the agent, when the neighbours are connected.
func (x *exchange) handOver() {
	a := x.agent
	own := make([]handedEdge, len(x.outs))
	for i := range x.outs {
		out := &x.outs[i]
		own[i] = handedEdge{From: out.location, Bytes: int64(len(out.toSend())), To: int32(out.rank), Far: out.far}
		if out.byCommand() {
			own[i].Queue = int32(out.agentQueue)
		}
	}
	a.handed = [][]handedEdge{own}
	if !x.isFirstOfHost() {
		x.startOnHost(func(s *schedule.Schedule) {
			if len(own) > 0 && x.host.given[0].Count > 0 {
				s.Send(x.host.members[0], elements.Memory(own))
			}
		})
		return
	}
	for _, join := range x.host.joins[1:] {
		a.handed = append(a.handed, make([]handedEdge, join.Outs))
	}
	x.startOnHost(func(s *schedule.Schedule) {
		for i, member := range x.host.members[1:] {
			if edges := a.handed[i+1]; len(edges) > 0 && x.host.given[0].Count > 0 {
				s.Receive(member, elements.Memory(edges))
			}
		}
	})
}

// handedOver starts the first round, when the agent knows all edges.
func (x *exchange) handedOver() {
	if x.failsToConnect() {
		return
	}
	if x.isFirstOfHost() {
		x.prepareAgent()
	} else {
		x.findServing()
	}
	x.begin()
}

// prepareAgent makes the commands of the agent's queues, and tells the other members how many a
// round has.
func (x *exchange) prepareAgent() {
	a := x.agent
	if len(x.queues) == 0 {
		return
	}
	a.lengths = make([]uint64, len(x.queues))
	for i := range x.queues {
		x.note(x.prepareQueue(i))
	}
	x.exposeMemory(elements.Memory(a.lengths))
	for i, member := range x.host.members[1:] {
		x.push(x.far(member, x.host.joins[i+1].Lengths), elements.Memory(a.lengths))
	}
}

// findServing finds the queues of the agent that send data of this rank.
func (x *exchange) findServing() {
	a := x.agent
	given := &x.host.given[0]
	for i := range x.outs {
		if out := &x.outs[i]; out.byCommand() {
			a.prepares += 1 + dataCommands(len(out.toSend()), out.far.Notice == 1)
		}
	}
	for i, number := range given.Numbers[:given.Count] {
		serves := func(out outEdge) bool { return out.agentQueue == 1+i && out.byCommand() }
		if !slices.ContainsFunc(x.outs, serves) {
			continue
		}
		q := servingQueue{address: rma.QueueAddress{Rank: x.agentProcess(), Queue: int(number)}, length: x.lengthWord(i)}
		var err error
		if q.completed, err = a.process.ProgressOf(q.address); err != nil {
			x.note(err)
			continue
		}
		a.serving = append(a.serving, q)
	}
}

// prepareQueue makes the commands of a round in one of the agent's queues.
func (x *exchange) prepareQueue(number int) error {
	a, s := x.agent, &x.queues[number]
	var data []rma.Command
	arrivals, others := 0, 0
	for i, edges := range a.handed {
		before := len(data) + arrivals
		for j := range edges {
			e := &edges[j]
			if int(e.Queue) != 1+number {
				continue
			}
			arrivals++
			var memory []byte
			if e.Bytes > 0 {
				var err error
				if memory, err = a.process.MemoryOf(x.far(x.host.members[i], e.From), int(e.Bytes)); err != nil {
					return err
				}
			}
			data = x.appendData(data, memory, int(e.To), &e.Far)
		}
		if commands := len(data) + arrivals - before; i > 0 && commands > 0 {
			others += commands
			arrivals++
		}
	}
	if arrivals == 0 {
		return nil
	}
	itself := rma.QueueAddress{Rank: x.e.Process.Rank(), Queue: s.queue.Number()}
	s.commands = append(make([]rma.Command, arrivals-1), rma.Command{Put: true, TargetQueue: itself, Advance: len(data)})
	s.commands = append(s.commands, data...)
	a.lengths[number] = uint64(len(s.commands))
	s.prepares = len(s.commands) - others
	return nil
}

// tellAgents tells all senders that this rank is ready, and the queues of the agent that its data
// may be sent.
func (x *exchange) tellAgents() {
	for i := range x.ins {
		ready := x.tellReady(&x.ins[i])
		if ready.TargetQueue.Queue == 0 {
			x.push(ready.To, ready.Data)
			continue
		}
		x.release(ready.TargetQueue, ready.Advance)
	}
	a := x.agent
	a.sending = len(a.serving) > 0
	x.spendSoftware(a.prepares)
	for i := range a.serving {
		x.release(a.serving[i].address, 1)
	}
}

func (x *exchange) release(q rma.QueueAddress, steps int) {
	x.spendSoftware(1)
	op, err := x.agent.process.Release(q, steps)
	x.addOp(op, err)
}

// hasSent reports whether the agent's queues are through with this rank's data of the round, and that
// is not noticed yet. It only reads memory.
func (x *exchange) hasSent() bool {
	if x.agent == nil || !x.agent.sending {
		return false
	}
	for i := range x.agent.serving {
		q := &x.agent.serving[i]
		if length := x.word(q.length); length == 0 || q.completed() < x.round*length {
			return false
		}
	}
	return true
}

// agentProcess returns the agent's rank in the job.
func (x *exchange) agentProcess() int { return int(x.c.Process(x.host.members[0])) }

// lengthWord returns the number of the word for the length of a round in an agent's queue.
func (x *exchange) lengthWord(queue int) int { return len(x.ins) + len(x.outs) + queue }
