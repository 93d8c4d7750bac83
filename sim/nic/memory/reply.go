package memory

import (
	"musubi/nic/mbc"
	"musubi/sim/engine"
)

// reply sends a frame that answers another one, when there is room in the send ring.
func (m *memoryBased) reply(number uint32) {
	s := &m.stations[m.frames.list[number].from]
	s.sender.replies.Push(number)
	s.sender.sendReplies()
}

// acknowledge lets the initiator of an operation know that an access is done, or refused.
func (m *memoryBased) acknowledge(f *frame) {
	t := mbc.Ack
	switch f.h.Type {
	case mbc.Read:
		t = mbc.Answer
	case mbc.FetchOp, mbc.CompareSwap:
		t = mbc.Result
	case mbc.Sequence:
		t = mbc.Results
	}
	number, _ := m.frames.back(f, t, 0)
	m.Clock.Push(engine.Event{At: m.Clock.Now() + m.Machine.NIC.Reply, Kind: evReply, A: number})
}

func (s *sender) sendReplies() {
	for s.sender.replies.Len() > 0 {
		number := *s.sender.replies.Front()
		f := s.m.frames.list[number]
		if !s.sender.ring.admits(replies, s.m.frames.ringBytes(f), s.m.SRAM.Send, s.m.SRAM.Reserve) {
			return
		}
		s.sender.replies.Pop()
		s.sender.ring[replies] += s.m.frames.ringBytes(f)
		s.launch(number)
	}
}

// prepareAnswer forms the answer to a frame, if there is room for it in the send ring.
func (s *sender) prepareAnswer(f *frame, t mbc.Type, size int) bool {
	number, answer := s.m.frames.back(f, t, size)
	if s.sender.replies.Len() > 0 || !s.sender.ring.admits(replies, s.m.frames.ringBytes(answer), s.m.SRAM.Send, s.m.SRAM.Reserve) {
		s.m.frames.drop(number)
		return false
	}
	s.sender.ring[replies] += s.m.frames.ringBytes(answer)
	f.answer = number
	return true
}
