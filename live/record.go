package live

import (
	"math"

	"musubi/live/wire"
)

// write writes the next part of a transfer, if there is room. It looks once whether it goes over a
// stream; the ring is not behind an interface, as a call through that costs a short record a tenth.
func (o *outlet) write(t *wire.Transfer) bool {
	if s := o.stream; s != nil {
		written := s.write(t)
		o.head = s.head
		return written
	}
	k := t.Next(o.most)
	before := t.HeadBytes(k)
	n := t.DataBytes(k, o.most-before)
	body := o.reserve(before + n)
	if body == nil {
		return false
	}
	if before > 0 {
		t.PutHead(k, body, n)
	}
	if n > 0 {
		o.gather(body[before:], t)
	}
	o.publish(k, before+n)
	t.Advance(k, n)
	return true
}

// gather copies the data of a transfer that is next to the ring.
func (o *outlet) gather(body []byte, t *wire.Transfer) {
	if t.Gather == nil {
		o.copier.copy(body, t.Data[t.Sent:][:len(body)])
		return
	}
	t.GatherInto(body)
}

// segmentNumber returns a number as it fits a record: -1, which no segment has, for
// what does not.
func segmentNumber(n int) int {
	if n < 0 || n > math.MaxInt32 {
		return -1
	}
	return n
}
