package neighbour

import (
	"errors"

	"musubi/rma"
)

// commandQueue is a command queue and the edges that it serves. Its commands of a round are, in this
// order,
//
//   - for each edge to this rank, a put that tells the sender that this rank is ready (RTR);
//   - if it sends along more than one edge, a gate: NOPs, one for each edge but one, and a put to
//     the queue itself. Each receiver that is ready advances the scheduling pointer by one entry;
//     the last one releases the put, which releases the rest;
//   - the data of each edge (SD) and, where no notice tells that it is there, a word behind it
//     (EOD).
//
// The scheduling pointer starts behind the RTRs. What releases the data, the gate or the only
// receiver, also releases the RTRs of the next round. So these are carried out when Start posts
// them, and not before. A receiver without queues cannot release anything; the processor sends to
// it. Queues that only send RTRs are in normal mode.
type commandQueue struct {
	queue      rma.Queue
	ins, outs  []int
	commands   []rma.Command // of each round
	prepares   int           // commands that this rank does the work of the library for
	incomplete int           // commands of this round
	expected   int           // notices in each round
	notices    int           // missing in this round
}

// isGated reports whether the queue has a gate.
func (s *commandQueue) isGated() bool { return len(s.outs) > 1 }

// entries is the largest number of commands of a round.
func (s *commandQueue) entries() int { return len(s.ins) + max(0, len(s.outs)-1) + 1 + 2*len(s.outs) }

// prepare makes the commands of a round, when the neighbours are connected.
func (s *commandQueue) prepare(x *exchange) {
	s.commands, s.expected = s.commands[:0], 0
	var data []rma.Command
	released := 0
	for _, i := range s.outs {
		if out := &x.outs[i]; out.byCommand() {
			data = x.appendData(data, out.toSend(), out.rank, &out.far)
			released++
		}
	}
	itself := rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: x.e.Rank, Queue: s.queue.Number()}}
	if len(s.outs) > 0 && len(s.ins) > 0 && released == 0 {
		// Nobody else releases the next round.
		itself.Advance = 1 + len(s.ins)
		s.commands = append(s.commands, itself)
	}
	for _, i := range s.ins {
		s.commands = append(s.commands, x.tellReady(&x.ins[i]))
		if x.ins[i].notice {
			s.expected++
		}
	}
	if s.isGated() && released > 0 {
		s.commands = append(s.commands, make([]rma.Command, released-1)...)
		itself.Advance = len(data) + len(s.ins)
		s.commands = append(s.commands, itself)
	}
	s.commands = append(s.commands, data...)
	s.prepares = len(s.commands)
}

// tellReady returns the RTR of an edge.
func (x *exchange) tellReady(in *inEdge) rma.Command {
	rank := int(x.c.Process(in.rank))
	if in.far.Queue == 0 {
		return rma.Command{Put: true, To: x.far(in.rank, in.far.Ready), Data: x.own, TargetQueue: rma.QueueAddress{Rank: rank}}
	}
	advance := 1
	if in.far.Gated == 0 {
		advance = int(in.far.Next) + dataCommands(min(len(in.into), int(in.far.Bytes)), in.notice)
	}
	return rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: int(in.far.Owner), Queue: int(in.far.Queue)}, Advance: advance}
}

// dataCommands is how many commands the data of an edge takes.
func dataCommands(bytes int, notice bool) int {
	if notice || bytes == 0 {
		return 1
	}
	return 2
}

// appendData appends the SD and the EOD of an edge to a rank.
func (x *exchange) appendData(list []rma.Command, data []byte, rank int, far *receiverInfo) []rma.Command {
	taker := rma.QueueAddress{Rank: int(x.c.Process(rank)), Queue: max(0, int(far.TargetQueue))}
	send := rma.Command{Put: true, To: x.far(rank, far.Data), Data: data, TargetQueue: taker}
	if far.Notice == 1 {
		send.Notice = true
		return append(list, send)
	}
	if len(data) > 0 {
		list = append(list, send)
	}
	return append(list, rma.Command{Put: true, To: x.far(rank, far.Done), Data: x.own, TargetQueue: taker})
}

// post starts a round.
func (s *commandQueue) post() error {
	if len(s.commands) == 0 {
		return nil
	}
	if err := s.queue.Post(s.commands...); err != nil {
		return err
	}
	s.incomplete, s.notices = len(s.commands), s.expected
	return nil
}

// busy reports whether completions or notices of the round are missing.
func (s commandQueue) busy() bool { return s.incomplete+s.notices > 0 }

// closeQueues closes all queues.
func (x *exchange) closeQueues() error {
	var err error
	for i := range x.queues {
		err = errors.Join(err, x.queues[i].queue.Close())
	}
	x.queues = nil
	return err
}
