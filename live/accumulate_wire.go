package live

import (
	"encoding/binary"
	"math"

	"musubi/nic"
	"musubi/onesided"
)

// combination is what is to be done to many words.
type combination struct {
	by    onesided.Reduction
	wants bool // what the words were
}

// wantsBit is that of wants in a combination as it travels; the reduction is below.
const wantsBit = 1 << 8

func (c combination) encode() uint64 {
	if c.wants {
		return uint64(c.by) | wantsBit
	}
	return uint64(c.by)
}

// decodeCombination reads a combination. It fails if there is no such.
func decodeCombination(b uint64) (combination, error) {
	c := combination{by: onesided.Reduction(b), wants: b&wantsBit != 0}
	if c.by > onesided.Replace || c.encode() != b {
		return combination{}, errForm
	}
	return c, nil
}

// writeOperands writes a record with operands, the first of them with an address.
func (o *outlet) writeOperands(t *transfer) bool {
	k, head := kindOperands, 0
	if !t.begun {
		k, head = kindAccumulate, pullHead
	}
	n := min(t.total-t.sent, wholeWords(o.most-head))
	body := o.reserve(head + n)
	if body == nil {
		return false
	}
	if head > 0 {
		t.address(body)
		binary.LittleEndian.PutUint64(body[24:], t.change.encode())
		binary.LittleEndian.PutUint64(body[32:], uint64(t.slot))
	}
	o.copier.copy(body[head:], t.data[t.sent:][:n])
	o.publish(k, head+n)
	t.sent += n
	return true
}

// accumulateHead is the length of what stands before the first operands in a packet: how many
// bytes they are, and what is to be done.
const accumulateHead = 2 * onesided.WordSize

// writeAccumulate adds a packet with operands.
func (s *stream) writeAccumulate(o *outlet, t *transfer) {
	h := nic.Header{Operation: nic.Accumulate}
	head := 0
	if !t.begun {
		head = accumulateHead
		h.Address, h.Long, h.Word = packetAddress(t.offset), true, words(uint32(t.segment), t.slot)
	}
	n := min(t.total-t.sent, wholeWords(streamPayload-head))
	h.Flags = t.flags(n)
	data := t.data[t.sent:][:n]
	if head > 0 {
		b := s.room[:head+n]
		binary.LittleEndian.PutUint64(b, uint64(t.total))
		binary.LittleEndian.PutUint64(b[onesided.WordSize:], t.change.encode())
		copy(b[head:], data)
		data = b
	}
	s.addNumbered(o, &h, data)
	t.sent += n
}

// readAccumulateHead reads what stands before the first operands.
func readAccumulateHead(data []byte) (total uint64, change combination, err error) {
	if len(data) < accumulateHead {
		return 0, combination{}, errForm
	}
	if total = binary.LittleEndian.Uint64(data); total > math.MaxInt || total%onesided.WordSize != 0 {
		return 0, combination{}, errForm
	}
	change, err = decodeCombination(binary.LittleEndian.Uint64(data[onesided.WordSize:]))
	return total, change, err
}

// wholeWords returns how many of n bytes are in whole words.
func wholeWords(n int) int { return n &^ (onesided.WordSize - 1) }
