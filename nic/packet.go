package nic

// LineSize is the unit of packets in bytes: a line of 64 bits.
const LineSize = 8

// Tag tells the lines of a packet apart.
type Tag uint8

// Tags, two bits each.
const (
	First Tag = 1 + iota
	Middle
	Last
)

// Line is one line of a packet as it passes between the parts of an interface.
type Line struct {
	Bits uint64
	Tag  Tag
}

// Operation says what a packet is for.
type Operation uint8

// Operations.
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
	// Outbox.
	Ack
	Nack
)

// Flags of a packet.
type Flags uint8

const (
	// PacketStatus asks for a status record per packet, not per message.
	PacketStatus Flags = 1 << iota
	// EndOfMessage marks the last packet of a message.
	EndOfMessage
	// ToWindow means that Address is in a Prefetch Window.
	ToWindow
	// StartOfMessage marks the first packet of a message.
	StartOfMessage
)

// Limits of the packet format.
const (
	MaxData     = 1<<16 - 1 // bytes of data in a packet
	MaxAddress  = 1<<36 - 1
	MaxSequence = 1<<12 - 1 // sequence numbers wrap around after this
)

// Header is the header of a packet: two lines, or three if it is long.
//
//	line 1: data size 16 bits, operation 4, long 1, flags 4, reserved 7, process group 16, sender 16
//	line 2: receiver 16 bits, sequence number 12, address 36
//	line 3: word
//
// What the fields are for is as in DIMMnet-2; their widths are ours.
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
