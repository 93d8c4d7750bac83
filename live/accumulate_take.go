package live

import (
	"encoding/binary"
	"slices"

	"musubi/nic"
	"musubi/onesided"
)

// accumulation is a change of many words that has begun and of which operands are still to
// come.
type accumulation struct {
	open    bool
	segment int
	change  combination
	slot    uint32 // of the operation of who asks
	words   []int64
	at      int // bytes of operands that have come
	total   int
	refused report
}

// beginAccumulation notes which words are to be changed by what comes next.
func (r *rank) beginAccumulation(in *inlet, a address, slot uint32, change combination) {
	next := accumulation{open: true, segment: a.segment, change: change, slot: slot, total: int(a.total)}
	next.words, next.refused = r.ownWords(a.segment, a.offset, a.total)
	in.accumulation = next
}

// accumulate changes the words that further operands are for, and tells who has asked for
// that what they were. That they are not to be changed it tells at the end: until then the
// operands are under way.
func (r *rank) accumulate(in *inlet, operands []byte) {
	a := &in.accumulation
	answer := transfer{kind: kindAnswer, slot: a.slot, segment: noSegment, failed: a.refused}
	if a.refused.code == 0 {
		words := a.words[a.at/onesided.WordSize:][:len(operands)/onesided.WordSize]
		if a.change.wants {
			r.found = slices.Grow(r.found[:0], len(operands))[:len(operands)]
			answer.data, answer.fleeting, answer.offset, answer.total = r.found, true, a.at, len(operands)
		}
		modifyWords(words, a.change.by, operands, answer.data)
	}
	a.at += len(operands)
	ends := a.at == a.total
	if ends {
		r.pushes++
		*a = accumulation{}
	}
	if ends || answer.total > 0 {
		r.send(in.from, &answer)
	}
}

// takeAccumulate begins to change words as a record says.
func (r *rank) takeAccumulate(in *inlet, body []byte) {
	a := readAddress(body, pullHead)
	change, err := decodeCombination(binary.LittleEndian.Uint64(body[24:]))
	if err != nil {
		return // cannot be: a rank of this group has written it
	}
	r.beginAccumulation(in, a, uint32(binary.LittleEndian.Uint64(body[32:])), change)
	r.accumulate(in, a.rest)
}

// takeAccumulatePacket changes words as a packet says.
func (r *rank) takeAccumulatePacket(s *stream, h *nic.Header, data []byte) error {
	in := &r.in[s.peer]
	a := &in.accumulation
	starts, ends := h.Flags&nic.StartOfMessage != 0, h.Flags&nic.EndOfMessage != 0
	if starts == a.open || starts != h.Long {
		return errForm
	}
	if starts {
		total, change, err := readAccumulateHead(data)
		if err != nil {
			return err
		}
		r.beginAccumulation(in, address{segment: int(int32(h.Word)), offset: h.Address, total: total}, uint32(h.Word>>32), change)
		data = data[accumulateHead:]
	}
	left := a.total - a.at
	if len(data) == 0 || len(data) != wholeWords(len(data)) || len(data) > left || ends != (len(data) == left) {
		return errForm
	}
	r.accumulate(in, data)
	return nil
}
