package card

import (
	"musubi/nic/dimmnet"
	"musubi/nic/ring"
)

// packet is a packet of a card, as long as a SWIF may have to send it again or a
// copy of it is somewhere.
type packet struct {
	from, to int32 // cards
	op       uint32
	offset   int // of its data in the operation
	lines    [maxCardLines]dimmnet.Line
	length   int   // in lines
	copies   int32 // in the network and at the receiver
	kept     bool  // until it is acknowledged
	place    ring.Placement
	flow     *flow  // of a message that was matched, or not; nil: it is of another
	next     uint32 // in the list of free packets
}

// Limits of packets: a header, and a Write Window of the largest size.
const (
	maxHeaderLines = 3
	maxCardData    = maxWindow // in bytes
	maxCardLines   = maxHeaderLines + maxCardData/dimmnet.LineSize
)

// encode makes a packet of a header and data.
func (p *packet) encode(h *dimmnet.Header, data []byte) {
	n := h.Encode(p.lines[:])
	p.length = n + dimmnet.EncodeData(p.lines[n:], data)
}

// number gives a packet its sequence number.
func (p *packet) number(sequence uint16) {
	h := p.header()
	h.Sequence = sequence
	h.Encode(p.lines[:])
}

// header returns the header as the other side reads it.
func (p *packet) header() dimmnet.Header {
	h, _, err := dimmnet.DecodeHeader(p.lines[:p.length])
	if err != nil {
		panic(err) // the simulated link delivers what was sent, or nothing
	}
	return h
}

// data returns the data as the other side reads it, in a buffer.
func (p *packet) data(buffer []byte) []byte {
	h, n, err := dimmnet.DecodeHeader(p.lines[:p.length])
	if err == nil {
		err = dimmnet.DecodeData(&h, p.lines[n:p.length], buffer)
	}
	if err != nil {
		panic(err) // the simulated link changes nothing
	}
	return buffer[:h.Data]
}

// packetPool holds packets by number; 0 is not used.
type packetPool struct {
	list   []*packet
	unused uint32
}

func (pool *packetPool) take() uint32 {
	id := pool.unused
	if id == 0 {
		if len(pool.list) == 0 {
			pool.list = append(pool.list, nil)
		}
		pool.list = append(pool.list, new(packet))
		id = uint32(len(pool.list) - 1)
	}
	p := pool.list[id]
	pool.unused = p.next
	p.next, p.kept, p.copies, p.flow = 0, false, 1, nil
	return id
}

// drop gives up a copy of a packet.
func (pool *packetPool) drop(id uint32) {
	p := pool.list[id]
	p.copies--
	if p.copies == 0 && !p.kept {
		p.next, pool.unused = pool.unused, id
	}
}
