package rank

import (
	"musubi/live/wire"
	"musubi/onesided"
)

// takeModify changes a word, and tells who has asked for it what it was.
func (r *taker) takeModify(from int, body []byte) {
	f := wire.DecodeModify(body)
	change, err := onesided.ParseAtomic(body[wire.ModifyBytes:])
	if err != nil {
		return // cannot be: a rank of this group has written it, or it was checked
	}
	was, refused := r.modifyOwn(f.Segment, f.Offset, &change)
	if refused.Code == 0 {
		refused.Hint = uint64(was)
	}
	r.send(from, &wire.Transfer{Kind: wire.Result, Slot: f.Slot, Failed: refused})
}

// takeResult takes what a word was.
func (r *taker) takeResult(body []byte) {
	f := wire.DecodeResult(body)
	e := &r.ops.entries[f.Slot]
	if f.Failed.Code != 0 {
		e.failed = f.Failed
		return
	}
	e.take(0, body[wire.ResultBytes-onesided.WordSize:])
}
