package mbc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// ErrCorrupt means that the CRC of a packet is wrong: bits have changed on the way. Nothing
// in it can be relied on, not even who has sent it.
var ErrCorrupt = errors.New("mbc: the CRC of the packet is wrong; expected a packet as it was sent")

// Places of the fields behind the route.
const (
	toProcessAt  = 0
	atAt         = 2
	toAccessAt   = 6
	toNodeAt     = 8
	sizeAt       = 10
	fromIDAt     = 12
	fromAccessAt = 14
	fromNodeAt   = 16
	replyToAt    = 18
	numberAt     = 22
	fieldBytes   = 24

	frontBytes = 2 // type and flags
	crcBytes   = 4

	// routed in the byte of the flags says that a route follows; moreSteps in an element of
	// it says that another one does.
	routed    = 1 << 7
	moreSteps = 1 << 15
)

// AppendPacket appends a packet to b as it goes over the wire, little-endian:
//
//	type 1 byte, flags 1, route 2 for each switch;
//	target: process 2, address 4, access id 2, virtual node 2; size 2;
//	source: process 2, access id 2, virtual node 2, address for replies 4; sequence 2;
//	data; CRC-32 of all this 4
//
// The header has passed Check; data not of its size panics.
func AppendPacket(b []byte, h *Header, data []byte) []byte {
	if len(data) != h.Data() || h.Size > MaxData {
		panic(fmt.Sprintf("mbc: %d bytes of data for a header that says %d; expected as many, at most %d", len(data), h.Data(), MaxData))
	}
	begin := len(b)
	b = append(b, byte(h.Type), byte(h.Flags&MaxFlags))
	b = h.appendRoute(b, begin+1)
	b = h.appendFields(b)
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b[begin:]))
}

// appendRoute appends the route, and marks the byte of the flags if there is one.
func (h *Header) appendRoute(b []byte, flags int) []byte {
	if len(h.Route) == 0 {
		return b
	}
	b[flags] |= routed
	for i, step := range h.Route {
		step &= MaxRouteStep
		if i < len(h.Route)-1 {
			step |= moreSteps
		}
		b = binary.LittleEndian.AppendUint16(b, step)
	}
	return b
}

func (h *Header) appendFields(b []byte) []byte {
	var f [fieldBytes]byte
	order := binary.LittleEndian
	order.PutUint16(f[toProcessAt:], h.To.Process)
	order.PutUint32(f[atAt:], h.At)
	order.PutUint16(f[toAccessAt:], h.To.Access)
	order.PutUint16(f[toNodeAt:], h.ToNode)
	order.PutUint16(f[sizeAt:], uint16(h.Size))
	order.PutUint16(f[fromIDAt:], h.From.Process)
	order.PutUint16(f[fromAccessAt:], h.From.Access)
	order.PutUint16(f[fromNodeAt:], h.FromNode)
	order.PutUint32(f[replyToAt:], h.ReplyTo)
	order.PutUint16(f[numberAt:], h.Sequence)
	return append(b, f[:]...)
}

// ParsePacket reads the packet that takes all of b. The data is part of b; the route
// takes the memory that h has for one. The error is ErrCorrupt if the CRC is wrong. With
// any error the header means nothing.
func ParsePacket(b []byte, h *Header) (data []byte, err error) {
	if len(b) < Overhead {
		return nil, fmt.Errorf("mbc: packet of %d bytes; expected at least %d", len(b), Overhead)
	}
	body := b[:len(b)-crcBytes]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(b[len(body):]) {
		return nil, ErrCorrupt
	}
	h.Type, h.Flags = Type(body[0]), Flags(body[1]&^routed)
	rest, err := h.parseRoute(body[frontBytes:], body[1]&routed != 0)
	if err != nil {
		return nil, err
	}
	if len(rest) < fieldBytes {
		return nil, fmt.Errorf("mbc: packet of %d bytes with a route of %d switches; expected at least %d", len(b), len(h.Route), Overhead+2*len(h.Route))
	}
	h.parseFields(rest)
	if err := h.Check(); err != nil {
		return nil, err
	}
	if len(b) != h.Bytes() {
		return nil, fmt.Errorf("mbc: packet of %d bytes with %d of data and a route of %d switches; expected %d", len(b), h.Data(), len(h.Route), h.Bytes())
	}
	return rest[fieldBytes:len(rest):len(rest)], nil
}

// parseRoute reads the route, if there is one, and returns what follows it.
func (h *Header) parseRoute(b []byte, more bool) ([]byte, error) {
	h.Route = h.Route[:0]
	for more {
		if len(b) < 2 {
			return nil, fmt.Errorf("mbc: packet that ends inside its route, after %d switches; expected the rest of its header", len(h.Route))
		}
		step := binary.LittleEndian.Uint16(b)
		h.Route = append(h.Route, step&MaxRouteStep)
		more = step&moreSteps != 0
		b = b[2:]
	}
	return b, nil
}

func (h *Header) parseFields(b []byte) {
	order := binary.LittleEndian
	h.To = Identity{order.Uint16(b[toProcessAt:]), order.Uint16(b[toAccessAt:])}
	h.At = order.Uint32(b[atAt:])
	h.ToNode = order.Uint16(b[toNodeAt:])
	h.Size = int(order.Uint16(b[sizeAt:]))
	h.From = Identity{order.Uint16(b[fromIDAt:]), order.Uint16(b[fromAccessAt:])}
	h.FromNode = order.Uint16(b[fromNodeAt:])
	h.ReplyTo = order.Uint32(b[replyToAt:])
	h.Sequence = order.Uint16(b[numberAt:])
}
