package rank

import (
	"errors"
	"math"

	"musubi/live/wire"
	"musubi/onesided"
)

// What comes over a stream is checked before it is done: though its sender has proved that it
// belongs to the job, it does not share memory with this rank, and must not reach what is not
// exposed. What records of rings say is taken as it is.

var (
	errForm     = errors.New("its fields do not fit each other")
	errNoPull   = errors.New("it does not belong to a pull from that rank, or not to that place of it")
	errNoLayout = errors.New("its layout has another number of bytes than it says")
)

// TakePacket implements tcp.Receiver.
func (in *inlet) TakePacket(k wire.Kind, body []byte, long bool) (bool, error) {
	if err := in.check(k, body, long); err != nil {
		return false, err
	}
	if k == wire.Message && in.rank.receiveFromFrame(in, body) {
		return true, nil
	}
	if !in.rank.handle(in.from, in, k, body) {
		return false, nil
	}
	if k == wire.Packet {
		f := wire.DecodePacket(body)
		in.parts = parts{open: !f.Last, total: f.Total, have: in.partsBefore(&f) + uint64(len(body)-wire.PacketBytes)}
	}
	return true, nil
}

// parts is how much has come of a message that is sent in parts.
type parts struct {
	open        bool
	total, have uint64
}

func (in *inlet) partsBefore(f *wire.PacketFields) uint64 {
	if f.First {
		return 0
	}
	return in.parts.have
}

// check fails if a packet says what cannot be.
func (in *inlet) check(k wire.Kind, body []byte, long bool) error {
	data := body[k.FieldBytes():]
	switch k {
	case wire.Whole:
		return failIf(in.push.open, errForm)
	case wire.Push:
		return in.checkPush(body, data)
	case wire.More:
		left := in.push.total - in.push.at
		return failIf(!in.push.open || len(data) == 0 || len(data) > left, errForm)
	case wire.Message:
		n := len(data)
		return failIf(in.parts.open || n > wire.Part && !long || n > wire.LongData, errForm)
	case wire.Packet:
		return in.checkPacket(body, data)
	case wire.Pull:
		f := wire.DecodePull(body)
		if f.Layout != len(data) || f.Total > math.MaxInt {
			return errForm
		}
		return checkLayout(data, f.Total)
	case wire.Answer, wire.Result:
		return in.checkAnswer(k, body, data)
	case wire.Modify:
		_, err := onesided.ParseAtomic(data)
		return err
	case wire.Accumulate, wire.Operands:
		return in.checkOperands(k, body, data)
	}
	return errForm
}

func failIf(wrong bool, err error) error {
	if wrong {
		return err
	}
	return nil
}

func (in *inlet) checkPush(body, data []byte) error {
	f := wire.DecodePush(body)
	if in.push.open || f.Total > math.MaxInt || f.Layout > len(data) {
		return errForm
	}
	layout, data := data[:f.Layout], data[f.Layout:]
	if n := uint64(len(data)); n > f.Total || n == 0 && f.Total > 0 {
		return errForm
	}
	if _, err := onesided.DecodeLayout(layout); err != nil {
		return nil // it is refused as one that does not fit
	}
	return checkLayout(layout, f.Total)
}

// checkLayout fails if a layout has another number of bytes than its transfer. What is no layout is
// refused as one that does not fit.
func checkLayout(encoded []byte, total uint64) error {
	layout, err := onesided.DecodeLayout(encoded)
	return failIf(err == nil && !layout.IsContiguous() && uint64(layout.Bytes()) != total, errNoLayout)
}

func (in *inlet) checkPacket(body, data []byte) error {
	f, n := wire.DecodePacket(body), uint64(len(data))
	if f.First == in.parts.open || !f.First && f.Total != in.parts.total {
		return errForm
	}
	left := f.Total - in.partsBefore(&f)
	return failIf(n == 0 || n > wire.Part || n > left || f.Last != (n == left), errForm)
}

func (in *inlet) checkAnswer(k wire.Kind, body, data []byte) error {
	f := wire.DecodeResult(body) // an answer begins with the same
	e, why := in.askedFor(f.Slot), f.Failed.Code
	switch {
	case e == nil:
		return errNoPull
	case why != 0:
		return failIf(!why.IsKnown() || len(data) > 0 || e.end == 0, errForm)
	case k == wire.Result:
		return failIf(len(data) > 0 || e.checkPlace(0, onesided.WordSize) != nil, errNoPull)
	}
	return e.checkPlace(wire.DecodeAnswer(body).At, len(data))
}

// askedFor returns the operation of a number that waits for an answer of the other end, nil if
// there is none.
func (in *inlet) askedFor(slot uint32) *operation {
	if slot >= uint32(len(in.rank.ops.entries)) {
		return nil
	}
	e := &in.rank.ops.entries[slot]
	if !e.open || !e.answers || e.at.Rank != in.from || e.left == 0 || e.failed.Code != 0 {
		return nil
	}
	return e
}

// checkPlace fails unless n bytes of an answer belong at a place. The last of them cannot be there
// before all that they answer has been sent.
func (e *operation) checkPlace(at uint64, n int) error {
	bytes := e.bytes
	if e.silent {
		bytes = 0
	}
	next := max(bytes, 1) - e.left
	return failIf(at != uint64(next) || n > e.left || n == 0 && bytes > 0 || n > bytes || e.end == 0 && max(n, 1) == e.left, errNoPull)
}

func (in *inlet) checkOperands(k wire.Kind, body, data []byte) error {
	a := &in.accumulation
	left := uint64(a.total - a.at)
	if a.open != (k == wire.Operands) {
		return errForm
	}
	if k == wire.Accumulate {
		f := wire.DecodeAccumulate(body)
		if _, err := wire.DecodeCombination(f.Change); err != nil || f.Total > math.MaxInt || f.Total%onesided.WordSize != 0 {
			return errForm
		}
		left = f.Total
	}
	n := len(data)
	return failIf(n == 0 || n != wire.WholeWords(n) || uint64(n) > left, errForm)
}

// Progress implements tcp.Receiver.
func (in *inlet) Progress() int { return in.inPlace }

// Accept implements tcp.Receiver.
func (in *inlet) Accept(k wire.Kind, body []byte) (continues bool) {
	switch k {
	case wire.Push, wire.More:
		return in.push.open
	case wire.Packet:
		return in.parts.open
	case wire.Accumulate, wire.Operands:
		return in.accumulation.open
	case wire.Answer:
		e := &in.rank.ops.entries[wire.DecodeAnswer(body).Slot]
		return e.left > 0 && e.failed.Code == 0
	}
	return false
}

// Nacked implements tcp.Receiver.
func (in *inlet) Nacked(end uint64, why wire.Report) { in.rank.note(in.from, end, why) }

// Place implements tcp.Receiver.
func (in *inlet) Place(k wire.Kind, fields []byte, n int) ([]byte, error) {
	switch k {
	case wire.More:
		p := &in.push
		if !p.open || n > p.total-p.at {
			return nil, errForm
		}
		if p.refused.Code != 0 || !p.access.IsContiguous() {
			return nil, nil
		}
		return p.memory[p.at:][:n], nil
	case wire.Answer:
		f := wire.DecodeAnswer(fields)
		e := in.askedFor(f.Slot)
		if e == nil || f.Failed.Code != 0 {
			return nil, errNoPull
		}
		if err := e.checkPlace(f.At, n); err != nil || e.layout != nil {
			return nil, err
		}
		return e.memory[f.At:][:n], nil
	}
	return nil, errForm
}

// Placed implements tcp.Receiver.
func (in *inlet) Placed(k wire.Kind, fields []byte, n int) {
	if k == wire.More {
		in.rank.advancePush(in, n)
	} else {
		in.rank.ops.entries[wire.DecodeAnswer(fields).Slot].left -= n
	}
}

// Put implements tcp.Receiver.
func (in *inlet) Put(k wire.Kind, fields, data []byte) {
	if k == wire.More {
		in.rank.takeMore(in, data, 0)
		return
	}
	e := &in.rank.ops.entries[wire.DecodeAnswer(fields).Slot]
	e.take(e.bytes-e.left, data)
}

// HoldsFrame implements tcp.Receiver.
func (in *inlet) HoldsFrame() bool {
	return in.rank.zeroCopy.frame == in
}
