package neighbour

import (
	"errors"

	"musubi/rma"
)

// station is a command queue and the edges that it serves. In each round it has, in this
// order,
//
//   - what tells senders that this rank is ready (RTR), for each edge to it;
//   - if it sends along more than one edge, a gate: each receiver that is ready steps over
//     one entry, the last one releases a put to the queue itself, and that one the rest;
//   - the data of each edge (SD) and, where no notice tells that it is there, a word that
//     follows it (EOD).
//
// The scheduling pointer starts at the end of the first part, and what opens the rest, the
// gate or the only receiver, also releases the first part of the next round. So that is
// carried out as soon as Start posts it, and nothing before. A receiver without queues
// cannot release anything; the processor sends to it. Queues that only tell senders are in
// normal mode.
type station struct {
	queue     rma.Queue
	ins, outs []int
	commands  []rma.Command // of each round
	left      int           // of these, not complete
	expected  int           // notices in each round
	notices   int           // that have not come in this round
}

// isGated reports whether receivers open a gate.
func (s *station) isGated() bool { return len(s.outs) > 1 }

// entries is the most commands of a round.
func (s *station) entries() int { return len(s.ins) + max(0, len(s.outs)-1) + 1 + 2*len(s.outs) }

// prepare makes the commands of a round, when partners have told how they work.
func (s *station) prepare(x *exchange) {
	s.commands, s.expected = s.commands[:0], 0
	var data []rma.Command
	released := 0
	for _, i := range s.outs {
		if out := &x.outs[i]; out.byCommand() {
			data = x.appendData(data, out)
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
		if x.ins[i].byNotice() {
			s.expected++
		}
	}
	if s.isGated() && released > 0 {
		s.commands = append(s.commands, make([]rma.Command, released-1)...)
		itself.Advance = len(data) + len(s.ins)
		s.commands = append(s.commands, itself)
	}
	s.commands = append(s.commands, data...)
}

// tellReady is the command that tells the sender of an edge that this rank is ready.
func (x *exchange) tellReady(in *inEdge) rma.Command {
	rank := int(x.c.Process(in.rank))
	if in.far.Queue == 0 {
		return rma.Command{Put: true, To: x.far(in.rank, in.far.Ready), Data: x.own, TargetQueue: rma.QueueAddress{Rank: rank}}
	}
	advance := 1
	if in.far.Gated == 0 {
		advance = int(in.far.Next) + dataCommands(min(len(in.into), int(in.far.Bytes)), in.notice)
	}
	return rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: rank, Queue: int(in.far.Queue)}, Advance: advance}
}

// dataCommands is how many commands the data of an edge takes.
func dataCommands(bytes int, notice bool) int {
	if notice || bytes == 0 {
		return 1
	}
	return 2
}

// appendData appends the commands that send the data of an edge.
func (x *exchange) appendData(list []rma.Command, out *outEdge) []rma.Command {
	data := out.toSend()
	taker := rma.QueueAddress{Rank: int(x.c.Process(out.rank)), Queue: int(out.far.TargetQueue)}
	send := rma.Command{Put: true, To: x.far(out.rank, out.far.Data), Data: data, TargetQueue: taker}
	if out.far.Notice == 1 {
		send.Notice = true
		return append(list, send)
	}
	if len(data) > 0 {
		list = append(list, send)
	}
	return append(list, rma.Command{Put: true, To: x.far(out.rank, out.far.Done), Data: x.own, TargetQueue: taker})
}

// post starts a round.
func (s *station) post() error {
	if len(s.commands) == 0 {
		return nil
	}
	if err := s.queue.Post(s.commands...); err != nil {
		return err
	}
	s.left, s.notices = len(s.commands), s.expected
	return nil
}

// busy reports whether something is missing in a round.
func (s station) busy() bool { return s.left+s.notices > 0 }

// closeStations gives the queues back.
func (x *exchange) closeStations() error {
	var err error
	for i := range x.stations {
		err = errors.Join(err, x.stations[i].queue.Close())
	}
	x.stations = nil
	return err
}
