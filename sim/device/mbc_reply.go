package device

import "musubi/sim/engine"

// reply sends a frame that answers another one, when there is room in the send ring.
func (m *memoryBased) reply(number uint32) {
	s := &m.stations[m.frames.list[number].from]
	s.sender.replies.push(number)
	m.sendReplies(s)
}

func (m *memoryBased) sendReplies(s *station) {
	for s.sender.replies.len() > 0 {
		number := *s.sender.replies.front()
		f := m.frames.list[number]
		if !s.sender.ring.admits(replies, m.ringBytes(f), m.m.SRAM.Send, m.m.SRAM.Reserve) {
			return
		}
		s.sender.replies.pop()
		s.sender.ring[replies] += m.ringBytes(f)
		m.launch(s, number)
	}
}

// acknowledge lets the initiator of an operation know that all of it is done.
func (m *memoryBased) acknowledge(f *frame) {
	number, ack := m.frames.take()
	ack.kind, ack.op, ack.from, ack.to = frameAck, f.op, f.to, f.from
	m.measure(ack)
	m.q.Push(engine.Event{At: m.q.Now() + m.m.NIC.Reply, Kind: evReply, A: number})
}

// prepareAnswer forms the answer to a frame that asks for data, if there is room for it
// in the send ring.
func (m *memoryBased) prepareAnswer(s *station, f *frame) (uint32, bool) {
	number, answer := m.frames.take()
	answer.kind, answer.op, answer.from, answer.to = frameAnswer, f.op, f.to, f.from
	answer.offset, answer.bytes, answer.last = f.offset, f.bytes, f.last
	m.measure(answer)
	if s.sender.replies.len() > 0 || !s.sender.ring.admits(replies, m.ringBytes(answer), m.m.SRAM.Send, m.m.SRAM.Reserve) {
		m.frames.drop(number)
		return 0, false
	}
	s.sender.ring[replies] += m.ringBytes(answer)
	return number, true
}
