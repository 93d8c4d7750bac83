package live

import (
	"encoding/binary"
	"math"
	"unsafe"

	"musubi/nic"
)

// Sizes of what stands before the data in the body of a record.
const (
	wholeHead  = 16
	pushHead   = 24
	farHead    = 32
	packetHead = 16
	pullHead   = 40
	answerHead = 24
)

// write writes the next record of a transfer, if there is room.
func (o *outlet) write(t *transfer) bool {
	switch {
	case o.stream != nil:
		return o.stream.write(o, t)
	case t.kind == kindPush && t.target == nil && !t.begun && wholeHead+t.total <= o.most:
		return o.writeData(t, kindWhole)
	case t.kind == kindPush && t.begun:
		return o.writeData(t, kindMore)
	case t.kind == kindPush, t.kind == kindAnswer:
		return o.writeData(t, t.kind)
	case t.kind == kindPacket && t.total <= o.most:
		return o.writeMessage(t)
	case t.kind == kindPacket:
		return o.writePacket(t)
	case t.kind == kindResult:
		return o.writeResult(t)
	case t.kind == kindAccumulate:
		return o.writeOperands(t)
	}
	return o.writeFar(t)
}

// writeData writes a record with a head and as much data as fits.
func (o *outlet) writeData(t *transfer, k kind) bool {
	before := t.headBytes(k)
	n := min(t.total-t.sent, o.most-before)
	body := o.reserve(before + n)
	if body == nil {
		return false
	}
	switch k {
	case kindWhole:
		t.wholeHead(body)
	case kindPush:
		t.pushHead(body)
	case kindAnswer:
		t.answerHead(body)
	}
	o.gather(body[before:], t)
	o.publish(k, before+n)
	t.sent += n
	return true
}

func (t *transfer) headBytes(k kind) int {
	switch k {
	case kindWhole:
		return wholeHead
	case kindPush:
		return pushHead + len(t.target)
	case kindAnswer:
		return answerHead
	}
	return 0
}

// gather copies the data of a transfer that is next to the ring.
func (o *outlet) gather(body []byte, t *transfer) {
	if t.gather == nil {
		o.copier.copy(body, t.data[t.sent:][:len(body)])
		return
	}
	t.gatherInto(body)
}

// gatherInto copies the data that is next.
func (t *transfer) gatherInto(body []byte) {
	if t.gather == nil {
		copy(body, t.data[t.sent:])
		return
	}
	t.gather.Gather(body, t.data, t.sent)
}

// address writes the words that all records with an address begin with.
func (t *transfer) address(body []byte) {
	binary.LittleEndian.PutUint32(body, uint32(t.segment))
	binary.LittleEndian.PutUint32(body[4:], uint32(len(t.target)))
	binary.LittleEndian.PutUint64(body[8:], uint64(t.offset))
	binary.LittleEndian.PutUint64(body[16:], uint64(t.total))
}

func (t *transfer) wholeHead(body []byte) {
	binary.LittleEndian.PutUint64(body, uint64(uint32(t.segment)))
	binary.LittleEndian.PutUint64(body[8:], uint64(t.offset))
}

func readWhole(body []byte) (segment int, offset uint64, data []byte) {
	return int(int32(binary.LittleEndian.Uint32(body))), binary.LittleEndian.Uint64(body[8:]), body[wholeHead:]
}

func (t *transfer) pushHead(body []byte) {
	t.address(body)
	copy(body[pushHead:], t.target)
}

func (t *transfer) answerHead(body []byte) {
	binary.LittleEndian.PutUint32(body, t.slot)
	binary.LittleEndian.PutUint32(body[4:], uint32(t.failed.code))
	binary.LittleEndian.PutUint64(body[8:], t.failed.hint)
	binary.LittleEndian.PutUint64(body[16:], uint64(t.offset+t.sent))
}

// writeMessage writes a message in one record.
func (o *outlet) writeMessage(t *transfer) bool {
	body := o.reserve(t.total)
	if body == nil {
		return false
	}
	o.copier.copy(body, t.data)
	o.publish(kindMessage, t.total)
	t.sent = t.total
	return true
}

// writePacket writes a packet of a message that is longer than records: whether it is
// the first and the last, the length of the message, and data.
func (o *outlet) writePacket(t *transfer) bool {
	n := min(t.total-t.sent, min(Packet, o.most-packetHead))
	body := o.reserve(packetHead + n)
	if body == nil {
		return false
	}
	flags := nic.Flags(0)
	if t.sent == 0 {
		flags |= nic.StartOfMessage
	}
	if t.sent+n == t.total {
		flags |= nic.EndOfMessage
	}
	binary.LittleEndian.PutUint64(body, uint64(flags))
	binary.LittleEndian.PutUint64(body[8:], uint64(t.total))
	o.copier.copy(body[packetHead:], t.data[t.sent:][:n])
	o.publish(kindPacket, packetHead+n)
	t.sent += n
	return true
}

// writeFar writes a record that says where data is, or is to go, or that asks for an answer.
func (o *outlet) writeFar(t *transfer) bool {
	head, asks := farHead, t.kind == kindPull || t.kind == kindModify
	if asks {
		head = pullHead
	}
	body := o.reserve(head + len(t.target))
	if body == nil {
		return false
	}
	t.address(body)
	binary.LittleEndian.PutUint64(body[24:], uint64(uintptr(unsafe.Pointer(unsafe.SliceData(t.data)))))
	if asks {
		binary.LittleEndian.PutUint64(body[32:], uint64(t.slot))
		copy(body[pullHead:], t.target)
	}
	o.publish(t.kind, head+len(t.target))
	t.sent = t.total
	return true
}

// segmentNumber returns a number as it fits a record: -1, which no segment has, for
// what does not.
func segmentNumber(n int) int {
	if n < 0 || n > math.MaxInt32 {
		return -1
	}
	return n
}

// address is what begins the body of a record with an address.
type address struct {
	segment       int
	offset, total uint64
	access        []byte // encoded, what is left behind the head
	rest          []byte
}

// readAddress reads an address with a head of some bytes.
func readAddress(body []byte, head int) address {
	n := head + int(binary.LittleEndian.Uint32(body[4:]))
	return address{
		segment: int(int32(binary.LittleEndian.Uint32(body))),
		offset:  binary.LittleEndian.Uint64(body[8:]),
		total:   binary.LittleEndian.Uint64(body[16:]),
		access:  body[head:n],
		rest:    body[n:],
	}
}
