package live

import (
	"encoding/binary"

	"musubi/nic"
	"musubi/onesided"
)

// resultBytes is the length of the record that answers a change: slot, code, and what the
// word was, or the hint.
const resultBytes = 16

// parseChange reads what is to be done to a word. Its length tells which kind it is.
func parseChange(b []byte) (onesided.Atomic, error) {
	return onesided.ParseAtomic(b)
}

// takeModify changes a word as a record says.
func (r *rank) takeModify(from int, body []byte) {
	a := readAddress(body, pullHead)
	change, err := parseChange(a.access)
	if err != nil {
		return // cannot be: a rank of this group has written it
	}
	r.answerModify(from, uint32(binary.LittleEndian.Uint64(body[32:])), a, &change)
}

// answerModify changes a word, and tells who has asked for it what it was.
func (r *rank) answerModify(from int, slot uint32, a address, change *onesided.Atomic) {
	was, refused := r.modifyOwn(a.segment, a.offset, change)
	if refused.code == 0 {
		refused.hint = uint64(was)
	}
	r.send(from, &transfer{kind: kindResult, slot: slot, failed: refused})
}

// writeResult writes a record that says what a word was.
func (o *outlet) writeResult(t *transfer) bool {
	body := o.reserve(resultBytes)
	if body == nil {
		return false
	}
	binary.LittleEndian.PutUint32(body, t.slot)
	binary.LittleEndian.PutUint32(body[4:], uint32(t.failed.code))
	binary.LittleEndian.PutUint64(body[8:], t.failed.hint)
	o.publish(kindResult, resultBytes)
	return true
}

// takeResult takes what a word was.
func (r *rank) takeResult(body []byte) {
	e := &r.ops.entries[binary.LittleEndian.Uint32(body)]
	if why := code(binary.LittleEndian.Uint32(body[4:])); why != 0 {
		e.failed = report{why, binary.LittleEndian.Uint64(body[8:])}
		return
	}
	e.take(0, body[8:resultBytes])
}

// writeModify adds a packet that asks for a change of a word.
func (s *stream) writeModify(o *outlet, t *transfer) {
	h := nic.Header{Operation: nic.Modify, Address: packetAddress(t.offset), Long: true, Word: words(uint32(t.segment), t.slot)}
	s.addNumbered(o, &h, t.target)
}

// takeModifyPacket changes a word as a packet says.
func (r *rank) takeModifyPacket(s *stream, h *nic.Header, data []byte) error {
	change, err := parseChange(data)
	if err != nil {
		return err
	}
	if !h.Long {
		return errForm
	}
	r.answerModify(s.peer, uint32(h.Word>>32), address{segment: int(int32(h.Word)), offset: h.Address}, &change)
	return nil
}

// writeResult adds an Answer that says what a word was.
func (s *stream) writeResult(o *outlet, t *transfer) {
	h := nic.Header{Operation: nic.Answer, Long: true, Word: words(t.slot, uint32(t.failed.code))}
	if t.failed.code != 0 {
		h.Address = t.failed.hint & nic.MaxAddress
		s.addNumbered(o, &h, nil)
		return
	}
	binary.LittleEndian.PutUint64(s.room[:], t.failed.hint)
	s.addNumbered(o, &h, s.room[:onesided.WordSize])
}
