package machine

import (
	"fmt"

	"musubi/units"
)

// Atomic describes the part of a network interface of model "dma" or "queues" that changes
// words of memory in one step. A request has WordOperands of data; the answer has
// packet.reply flits and those of a word.
type Atomic struct {
	Time units.Time `param:"atomic.time" zero:"there is no such part"` // from a request's turn to the word being written; one after the other in an interface
}

// Data of what changes a word, and of the answer.
const (
	WordOperands units.Bytes = 16
	WordBytes    units.Bytes = 8
)

// Atomics reports whether interfaces change words of memory.
func (m *Machine) Atomics() bool { return m.Atomic.Time > 0 || m.MemoryBased() }

// WordFlits returns the length of the answer of a change of a word.
func (m *Machine) WordFlits() int {
	return m.Packet.Reply + int((WordBytes+m.Link.Flit-1)/m.Link.Flit)
}

func (m *Machine) checkAtomics() error {
	largest := m.PacketFlits(m.Packet.Payload)
	switch {
	case m.Atomic.Time == 0:
		return nil
	case m.Packet.Payload < WordOperands:
		return fmt.Errorf("atomic.time of %v collides with packet.payload of %v: a request has %v of operands", m.Atomic.Time, m.Packet.Payload, WordOperands)
	case m.WordFlits() > largest:
		return fmt.Errorf("atomic.time of %v collides with packet.reply of %d flits: an answer has %d, the largest packet %d", m.Atomic.Time, m.Packet.Reply, m.WordFlits(), largest)
	}
	return nil
}
