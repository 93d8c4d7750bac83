package rank

import (
	"slices"

	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/onesided"
)

// accumulation is a change of many words that has begun and of which operands are still to
// come.
type accumulation struct {
	open    bool
	segment int
	change  wire.Combination
	slot    uint32 // of the operation of who asks
	words   []int64
	at      int // bytes of operands that have come
	total   int
	refused wire.Report
}

// beginAccumulation notes which words are to be changed by what comes next.
func (r *taker) beginAccumulation(in *inlet, a address, slot uint32, change wire.Combination) {
	next := accumulation{open: true, segment: a.segment, change: change, slot: slot, total: int(a.total)}
	next.words, next.refused = r.ownWords(a.segment, a.offset, a.total)
	in.accumulation = next
}

// accumulate changes the words that further operands are for, and tells who has asked for
// that what they were. That they are not to be changed it tells at the end: until then the
// operands are under way.
func (r *taker) accumulate(in *inlet, operands []byte) {
	a := &in.accumulation
	answer := wire.Transfer{Kind: wire.Answer, Slot: a.slot, Segment: tcp.NoSegment, Failed: a.refused}
	if a.refused.Code == 0 {
		words := a.words[a.at/onesided.WordSize:][:len(operands)/onesided.WordSize]
		if a.change.Wants {
			r.found = slices.Grow(r.found[:0], len(operands))[:len(operands)]
			answer.Data, answer.Fleeting, answer.Offset, answer.Total = r.found, true, a.at, len(operands)
		}
		modifyWords(words, a.change.By, operands, answer.Data)
	}
	a.at += len(operands)
	ends := a.at == a.total
	if ends {
		r.pushes++
		*a = accumulation{}
	}
	if ends || answer.Total > 0 {
		r.send(in.from, &answer)
	}
}

// takeAccumulate begins to change words as a record or packet says.
func (r *taker) takeAccumulate(in *inlet, body []byte) {
	f := wire.DecodeAccumulate(body)
	change, err := wire.DecodeCombination(f.Change)
	if err != nil {
		return // cannot be: a rank of this group has written it, or it was checked
	}
	r.beginAccumulation(in, address{segment: f.Segment, offset: f.Offset, total: f.Total}, f.Slot, change)
	r.accumulate(in, body[wire.AccumulateBytes:])
}
