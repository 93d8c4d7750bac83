package ring

import (
	"fmt"
	"slices"
)

// twins is a receiver and its naive twin, if it has one. They must agree in
// everything that they say.
type twins struct {
	Receiver
	naive *naiveReceiver
	held  map[uint64]*naiveRecord // by Number
}

func newTwins(c Config) (twins, error) {
	r, err := NewReceiver(c)
	if err != nil {
		return twins{}, err
	}
	return twins{*r, newNaive(c), map[uint64]*naiveRecord{}}, nil
}

func (t *twins) place(h *Packet) (Placement, Result, error) {
	p, result := t.Place(h)
	if t.naive == nil {
		return p, result, nil
	}
	want, wantResult := t.naive.place(h)
	if result != wantResult {
		return p, result, fmt.Errorf("Place(%+v): %v; the naive receiver says: %v", *h, result, wantResult)
	}
	if result == Accepted && !slices.Equal(placesOf(p.At), want.bytes) {
		return p, result, fmt.Errorf("Place(%+v) gives %+v; the naive receiver says: bytes %d", *h, p, want.bytes)
	}
	return p, result, t.agree()
}

// placesOf lists the bytes of spans.
func placesOf(spans [2]Span) []int {
	var bytes []int
	for _, s := range spans {
		for i := range s.Bytes {
			bytes = append(bytes, s.Offset+i)
		}
	}
	return bytes
}

func (t *twins) write(h *Packet, p Placement) error {
	t.Written(h, p)
	if t.naive == nil {
		return nil
	}
	t.naive.written(p.Ring)
	return t.agree()
}

func (t *twins) next() (Record, bool, error) {
	record, ok := t.Next()
	if t.naive == nil {
		return record, ok, nil
	}
	if ok != (len(t.naive.unread) > 0) {
		return record, ok, fmt.Errorf("Next says %v with %d records unread", ok, len(t.naive.unread))
	}
	if !ok {
		return record, ok, nil
	}
	want := pop(&t.naive.unread)
	var bytes []int
	for _, p := range want.packets {
		bytes = append(bytes, p.bytes...)
	}
	end := want.packets[len(want.packets)-1]
	if record.From != end.From || record.Ring != want.ring || record.Bytes != len(bytes) ||
		record.Last != (end.Flags&EndOfMessage != 0) || !slices.Equal(placesOf(record.At), bytes) {
		return record, ok, fmt.Errorf("Next gives %+v; the naive receiver says: ring %d, bytes %d, %+v", record, want.ring, bytes, end.Packet)
	}
	t.held[record.Number] = want
	return record, ok, nil
}

func (t *twins) release(record Record) error {
	if err := t.Release(record); err != nil || t.naive == nil {
		return err
	}
	t.naive.release(t.held[record.Number])
	delete(t.held, record.Number)
	if t.Release(record) == nil {
		return fmt.Errorf("record %+v could be released twice", record)
	}
	return t.agree()
}

// agree compares what can be asked about the state.
func (t *twins) agree() error {
	if got, want := t.Counters(), t.naive.counters; got != want {
		return fmt.Errorf("counters are %+v; the naive receiver says %+v", got, want)
	}
	for i := range t.naive.rings {
		g := &t.naive.rings[i]
		if got, want := t.Used(i), t.naive.config.Rings[i].Size-t.naive.free(i); got != want {
			return fmt.Errorf("ring %d has %d bytes in use; the naive receiver says %d", i, got, want)
		}
		if got := t.Waiting(i); got != g.waiting {
			return fmt.Errorf("a packet waits for ring %d: %v; the naive receiver says %v", i, got, g.waiting)
		}
	}
	return nil
}
