package rank

import (
	"musubi/live/wire"
)

// write writes the next part of a transfer, if there is room. It looks once whether it goes over a
// stream; the ring is not behind an interface, as a call through that costs a short record a tenth.
func (o *outlet) write(t *wire.Transfer) bool {
	if s := o.stream; s != nil {
		o.travelling = *t // what an interface is given a pointer to is on the heap, and t is to stay off it
		written := s.Write(&o.travelling)
		*t, o.travelling = o.travelling, wire.Transfer{}
		o.Head = s.Position()
		return written
	}
	k := t.Next(o.Most)
	before := t.HeadBytes(k)
	n := t.DataBytes(k, o.Most-before)
	body := o.Reserve(before + n)
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
		o.copier.Copy(body, t.Data[t.Sent:][:len(body)])
		return
	}
	t.GatherInto(body)
}
