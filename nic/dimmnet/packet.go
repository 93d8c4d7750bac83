// Package dimmnet holds the packets of DIMMnet-2's network interface: their header, their
// lines of 64 bits with tags, the segmentation of messages, and the port that stamps and admits
// them by process group.
//
// Source: Kitamura et al., Design and Implementation of Network Interface Controller on
// DIMMnet-2, IPSJ 2005.
package dimmnet

import (
	"fmt"
	"musubi/nic/reliable"
	"musubi/nic/ring"
)

// LineSize is the unit of packets in bytes: a line of 64 bits.
const LineSize = 8

// Tag tells the lines of a packet apart.
type Tag uint8

// Tags, two bits each. Zero is none of them.
const (
	First Tag = 1 + iota
	Middle
	Last
)

var tagNames = [...]string{"no tag", "first", "middle", "last"}

func (t Tag) String() string {
	if int(t) >= len(tagNames) {
		return fmt.Sprintf("tag %d", uint8(t))
	}
	return tagNames[t]
}

// Line is one line of a packet as it passes between the parts of an interface.
type Line struct {
	Bits uint64
	Tag  Tag
}

// Operation says what a packet is for.
type Operation uint8

// Operations, four bits each. Zero is none of them.
const (
	// Push writes its data at Address.
	Push Operation = 1 + iota
	// IPush appends its data to the receive ring that the receiver has for the
	// sender.
	IPush
	// IPushEntry appends its data to the receive ring of the AMT entry at Address:
	// the variant without an AMT address table at the receiver.
	IPushEntry
	// Pull asks for data at Address; Word says what for.
	Pull
	// Answer brings data that a Pull asked for.
	Answer
	// Ack and Nack tell a sender what has become of its packets, by Sequence; see
	// reliable.Outbox.
	Ack
	Nack
	// IPushMatch is an IPush of a message whose first line of data an interface that matches
	// compares with posted receives. Address and Word say what else it may do; DIMMnet-2 does not
	// have it.
	IPushMatch

	lastOperation = IPushMatch
)

var operationNames = [...]string{"no operation", "push", "ipush", "ipush-entry", "pull", "answer", "ack", "nack", "ipush-match"}

func (o Operation) String() string {
	if int(o) >= len(operationNames) {
		return fmt.Sprintf("operation %d", uint8(o))
	}
	return operationNames[o]
}

func (o Operation) isKnown() bool { return o >= Push && o <= lastOperation }

// Flags of a packet.
type Flags uint8

const (
	// PacketStatus asks for a status record per packet, not per message.
	PacketStatus = Flags(ring.PacketStatus)
	// EndOfMessage marks the last packet of a message.
	EndOfMessage = Flags(ring.EndOfMessage)
	// ToWindow means that Address is in a Prefetch Window.
	ToWindow Flags = 1 << 2
	// StartOfMessage marks the first packet of a message.
	StartOfMessage Flags = 1 << 3
)

// Limits of the packet format.
const (
	MaxData     = ring.MaxData // bytes of data in a packet
	MaxAddress  = 1<<46 - 1
	MaxSequence = reliable.MaxSequence // sequence numbers wrap around after this
	MaxFlags    = 1<<4 - 1
	MaxLines    = 3 + (MaxData+LineSize-1)/LineSize // lines of a packet
)

// Header is the header of a packet: two lines, or three if it is long. From the
// lowest bit:
//
//	line 1: operation 4 bits, sequence number 12, process group 16, sender 16, receiver 16
//	line 2: address 46 bits, data size 13, long 1, flags 4
//	line 3: word 64 bits, if long
//
// Its fields are those that DIMMnet-2 has; the widths and their order are ours. A
// packet of 4 KiB, as InfiniBand has it, fits.
type Header struct {
	Operation Operation
	Flags     Flags
	Data      int    // bytes of data
	Group     uint16 // process group, PGID; stamped by the interface, see Port
	From, To  uint16 // process ids
	Address   uint64
	Sequence  uint16
	Long      bool // there is a Word
	Word      uint64
}

// Lines returns how many lines the packet has, those of its data included.
func (h *Header) Lines() int { return h.headerLines() + dataLines(h.Data) }

// HeaderLines is the length of a header that is not long.
const HeaderLines = 2

func (h *Header) headerLines() int {
	if h.Long {
		return 3
	}
	return HeaderLines
}

func dataLines(bytes int) int { return (bytes + LineSize - 1) / LineSize }

// Check fails if a field has a value that the packet format cannot carry.
func (h *Header) Check() error {
	switch {
	case !h.Operation.isKnown():
		return fmt.Errorf("dimmnet: header has operation %d; expected %d (%v) to %d (%v)", uint8(h.Operation), uint8(Push), Push, uint8(lastOperation), lastOperation)
	case h.Flags > MaxFlags:
		return fmt.Errorf("dimmnet: header has flags %#x; expected at most %#x", uint8(h.Flags), MaxFlags)
	case h.Data < 0 || h.Data > MaxData:
		return fmt.Errorf("dimmnet: header has %d bytes of data; expected 0 to %d", h.Data, MaxData)
	case h.Address > MaxAddress:
		return fmt.Errorf("dimmnet: header has address %#x; expected at most %#x", h.Address, uint64(MaxAddress))
	case h.Sequence > MaxSequence:
		return fmt.Errorf("dimmnet: header has sequence number %d; expected at most %d", h.Sequence, MaxSequence)
	case h.Word != 0 && !h.Long:
		return fmt.Errorf("dimmnet: header has word %#x but is not long; expected no word", h.Word)
	}
	return nil
}

// ForRing returns what a receive ring has to know of the packet, which is an IPush, an
// IPushEntry or an IPushMatch.
func (h *Header) ForRing() ring.Packet {
	return ring.Packet{
		From: h.From, Data: h.Data, Flags: ring.Flags(h.Flags) & (ring.PacketStatus | ring.EndOfMessage),
		ByEntry: h.Operation == IPushEntry, Entry: h.Address,
	}
}

// ToRing makes the packet one for a receive ring.
func (h *Header) ToRing(p ring.Packet) {
	h.Operation = IPush
	if p.ByEntry {
		h.Operation, h.Address = IPushEntry, p.Entry
	}
	h.Flags |= Flags(p.Flags)
}
