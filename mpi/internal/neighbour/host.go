package neighbour

import (
	"slices"

	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/schedule"
	"musubi/rma"
)

// host is the ranks of the communicator on this rank's host, where one of them could be the agent of
// all. Before the first round they tell the lowest one what they have chosen, and hear from it whether
// they agree: an agent serves all ranks of its host, so it would wait for one that has chosen another
// protocol for ever.
type host struct {
	members []int        // the first is the agent, if they have one
	joins   []memberJoin // of the members; at others than the first, of this rank
	given   []hostAnswer // likewise
}

// memberJoin is what a rank tells the first member before the first round.
type memberJoin struct {
	Protocol int64    // that the program asks for
	Outs     int64    // edges from the rank
	Lengths  location // of words for agent.lengths
}

// hostAnswer is what the first member answers.
type hostAnswer struct {
	Odd    int32    // member that does not agree with the first; 0: all agree
	Chosen [2]int32 // protocols of the first and of that one
	agentQueues
}

// agentQueues is the queues of an agent.
type agentQueues struct {
	Count   int32                  // 0: it has none
	First   int32                  // takes the first edge of the rank, from 0 on; others follow in turn
	Numbers [mostAgentQueues]int32 // see rma.Queue
}

// findHost finds the ranks of this host, if it can have an agent and there are others to agree with.
func (x *exchange) findHost(p rma.HostCommander) {
	if x.paired != nil {
		return
	}
	var members []int
	for _, process := range p.HostRanks() {
		if rank := x.c.RankOf(int32(process)); rank >= 0 {
			members = append(members, rank)
		}
	}
	if len(members) > 1 || x.options.Protocol == Agent {
		slices.Sort(members)
		x.host = &host{members: members}
	}
}

func (x *exchange) isFirstOfHost() bool { return x.host.members[0] == x.c.Rank() }

// join tells the first member what this rank has chosen, and how many edges it has, and waits for the
// answer.
func (x *exchange) join() {
	h := x.host
	own := memberJoin{Protocol: int64(x.options.Protocol), Outs: int64(len(x.outs))}
	if x.isFirstOfHost() {
		h.joins, h.given = make([]memberJoin, len(h.members)), make([]hostAnswer, len(h.members))
		h.joins[0] = own
		x.startOnHost(func(s *schedule.Schedule) {
			for i, member := range h.members[1:] {
				s.Receive(member, elements.Memory(h.joins[i+1:][:1]))
			}
		})
		return
	}
	if x.agent != nil {
		own.Lengths = x.locationOfWord(x.lengthWord(0))
	}
	h.joins, h.given = []memberJoin{own}, make([]hostAnswer, 1)
	x.startOnHost(func(s *schedule.Schedule) {
		s.Send(h.members[0], elements.Memory(h.joins))
		s.Receive(h.members[0], elements.Memory(h.given))
	})
}

// startOnHost starts messages between the members.
func (x *exchange) startOnHost(part func(s *schedule.Schedule)) {
	x.connection = connection{}
	x.connection.told.Complete = true
	x.startConnect(x.tags.hear, &x.connection.heard, part)
}

// joined goes on to connect, when all members agree. Otherwise the operation fails at all of them.
func (x *exchange) joined() {
	if x.failsToConnect() {
		return
	}
	if !x.isFirstOfHost() {
		if err := x.disagreement(); err != nil {
			x.fail(err)
			return
		}
		x.connectByHost()
		return
	}
	x.host.findOdd()
	if x.disagreement() != nil {
		x.stage = refusing
		x.startOnHost(x.answer)
		return
	}
	if x.agent != nil {
		x.divideEdges()
	}
	x.connectByHost(x.answer)
}

// refused ends the operation at the first member, when it has told the others.
func (x *exchange) refused() {
	if !x.failsToConnect() {
		x.fail(x.disagreement())
	}
}

// connectByHost connects, with the agent's queues if this rank has one.
func (x *exchange) connectByHost(first ...func(s *schedule.Schedule)) {
	if x.agent != nil {
		x.shareQueues()
	}
	x.connect(first...)
}

// answer adds the answers to the members.
func (x *exchange) answer(s *schedule.Schedule) {
	for i, member := range x.host.members[1:] {
		s.Send(member, elements.Memory(x.host.given[i+1:][:1]))
	}
}

// findOdd finds the first member that does not agree with the first one on an agent.
func (h *host) findOdd() {
	first := h.joins[0].Protocol
	for i := range h.joins {
		own := h.joins[i].Protocol
		if (own == int64(Agent)) == (first == int64(Agent)) {
			continue
		}
		for j := range h.given {
			h.given[j].Odd, h.given[j].Chosen = int32(i), [2]int32{int32(first), int32(own)}
		}
		return
	}
}

// disagreement returns the error that a member does not agree; nil if all agree.
func (x *exchange) disagreement() error {
	h := x.host
	a := &h.given[0]
	if a.Odd == 0 {
		return nil
	}
	return x.c.Failf(fault.Argument, x.call, "rank %d has chosen %v, and rank %d on its host %v; expected all ranks of a host to choose %v, or none",
		h.members[a.Odd], Protocol(a.Chosen[1]), h.members[0], Protocol(a.Chosen[0]), Agent)
}
