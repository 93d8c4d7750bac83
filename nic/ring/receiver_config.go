package ring

import (
	"fmt"
	"math"
	"slices"
)

// Packet is what a receive ring has to know of a packet.
type Packet struct {
	From  uint16 // sending process
	Flags Flags
	Data  int // bytes
	// ByEntry: the packet names its ring by Entry, the index of its AMT entry. Else the AMT
	// address table of the receiver does, by From.
	ByEntry bool
	Entry   uint64
}

// MaxData is the most bytes of data that a packet can have: its header has 13 bits for that.
const MaxData = 1<<13 - 1

// Flags of a packet.
type Flags uint8

const (
	// PacketStatus asks for a status record per packet, not per message.
	PacketStatus Flags = 1 << iota
	// EndOfMessage marks the last packet of a message.
	EndOfMessage
)

// Policy is what is done with a packet that finds its ring full.
type Policy uint8

const (
	// Stall keeps the packet and stops receiving until there is room, as DIMMnet-2
	// does.
	Stall Policy = iota
	// SendNack drops the packet and asks the sender to send it again; see
	// reliable.Outbox.
	SendNack
)

// String returns the name of the policy.
func (p Policy) String() string {
	switch p {
	case Stall:
		return "stall"
	case SendNack:
		return "nack"
	}
	return fmt.Sprintf("policy %d", uint8(p))
}

// RingConfig describes one receive ring.
type RingConfig struct {
	Size   int  // in bytes; at least one packet
	Shared bool // several senders may use it
	// PerPacket refuses packets that do not ask for a status record of their own.
	// Shared rings need it. Else the sender chooses, by PacketStatus.
	PerPacket bool
}

// Config describes what a Receiver has.
type Config struct {
	Rings []RingConfig // AMT entries
	// Table is the AMT address table: sending process id to index of its ring, -1
	// for none. Nil is the variant without: packets are ByEntry.
	Table []int
	// Records is how many status records there may be that the consumer has not
	// released.
	Records int
	Policy  Policy
	Packet  int // most bytes of data in a packet
}

// check fails if the configuration is not one that receives every packet in the end.
func (c *Config) check() error {
	switch {
	case c.Packet < 1 || c.Packet > MaxData:
		return fmt.Errorf("ring: packets of up to %d bytes of data; expected 1 to %d", c.Packet, MaxData)
	case c.Records < 1:
		return fmt.Errorf("ring: status ring of %d records; expected at least 1", c.Records)
	case c.Policy > SendNack:
		return fmt.Errorf("ring: %v for full rings; expected %v or %v", c.Policy, Stall, SendNack)
	}
	area := 0
	for i, ring := range c.Rings {
		if err := ring.check(i, c.Packet, math.MaxInt-area); err != nil {
			return err
		}
		area += ring.Size
	}
	return c.checkTable()
}

func (c *RingConfig) check(i, packet, most int) error {
	switch {
	case c.Size < packet:
		return fmt.Errorf("ring: ring %d has %d bytes; expected at least the %d of a packet", i, c.Size, packet)
	case c.Size > most:
		return fmt.Errorf("ring: ring %d has %d bytes; with those before it, more than can be addressed", i, c.Size)
	case c.Size > math.MaxUint32:
		return fmt.Errorf("ring: ring %d has %d bytes; expected at most %d", i, c.Size, uint32(math.MaxUint32))
	case c.Shared && !c.PerPacket:
		return fmt.Errorf("ring: ring %d is shared and has status per message; packets of several senders interleave in it, so it needs status per packet", i)
	}
	return nil
}

func (c *Config) checkTable() error {
	owner := slices.Repeat([]int{none}, len(c.Rings))
	for sender, i := range c.Table {
		switch {
		case i == none:
		case i < 0 || i >= len(c.Rings):
			return fmt.Errorf("ring: AMT address table gives sender %d ring %d; there are %d rings, and -1 for none", sender, i, len(c.Rings))
		case c.Rings[i].Shared:
		case owner[i] != none:
			return fmt.Errorf("ring: AMT address table gives ring %d to senders %d and %d; expected one, as it is not shared", i, owner[i], sender)
		default:
			owner[i] = sender
		}
	}
	return nil
}

// Layout is a configuration that receives every packet in the end, as receivers use it. Receivers
// of different processes may share it.
type Layout struct {
	rings   []RingConfig
	bases   []int // of each ring, in the receive area
	area    int
	table   []int
	records int
	policy  Policy
	packet  int
}

// NewLayout returns the layout of a configuration, which must not be changed from now on. It fails
// as NewReceiver does.
func NewLayout(c Config) (*Layout, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	l := &Layout{rings: c.Rings, bases: make([]int, len(c.Rings)), table: c.Table, records: c.Records, policy: c.Policy, packet: c.Packet}
	for i := range c.Rings {
		l.bases[i] = l.area
		l.area += c.Rings[i].Size
	}
	return l, nil
}

// spans returns where n bytes from a place in a ring on lie.
func (l *Layout) spans(ring, at, n int) [2]Span {
	return wrapped(l.bases[ring], l.rings[ring].Size, at, n)
}

// Area returns the bytes of all rings together; they lie one after the other.
func (l *Layout) Area() int { return l.area }

// Rings returns the rings. They must not be changed.
func (l *Layout) Rings() []RingConfig { return l.rings }
