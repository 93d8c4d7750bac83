package dma

import (
	"fmt"

	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/units"
)

// plain is the tables of machine files of model "dma".
type plain struct {
	Atomic Atomic
	Host   host.Sharing
	Node   host.Node
}

// Check implements machine.Section.
func (s *plain) Check(m *machine.Machine) error {
	if err := s.Host.Check(m); err != nil {
		return err
	}
	if err := s.Node.Check(m); err != nil {
		return err
	}
	return s.Atomic.Check(m)
}

// Section is the tables of machine files of model "queues". Models "queues" and "dma" share Atomic.
type Section struct {
	Software units.Time `param:"host.software" zero:"takes no time"` // what a library computes for each command of an exchange
	Atomic   Atomic
	Queue    Queue
	Barrier  Barrier
}

// Check implements machine.Section.
func (s *Section) Check(m *machine.Machine) error {
	if err := s.checkQueues(m); err != nil {
		return err
	}
	return s.Atomic.Check(m)
}

// sectionOf returns the section of a machine of either model.
func sectionOf(m *machine.Machine) *Section {
	switch s := m.Section().(type) {
	case *plain:
		return &Section{Atomic: s.Atomic}
	case *Section:
		return s
	}
	panic("dma: machine " + m.Name + " has another model of network interfaces")
}

// Queue describes a network interface of model "queues": one with several engines, such
// as the interface of Tofu2. Each engine carries out the commands of its queues. All else is
// as in model "dma".
type Queue struct {
	Engines    int `param:"queue.engines"`     // each with a port to the switch, and a bus of its own
	PerEngine  int `param:"queue.per_engine"`  // command queues
	Processes  int `param:"queue.processes"`   // ranks that may share the interface
	PerProcess int `param:"queue.per_process"` // command queues that a rank may have
	Entries    int `param:"queue.entries"`     // commands that a queue holds at most
	Notices    int `param:"queue.notices"`     // notices that a queue holds

	Command units.Time `param:"queue.command" zero:"takes no time"` // the processor writes a command, also for what it asks for without a queue; host.post then tells the engine of all
	Take    units.Time `param:"queue.take" zero:"takes no time"`    // the processor looks for a completion or notice, and takes it
	NOP     units.Time `param:"queue.nop" zero:"takes no time"`     // the engine steps over a command that does nothing
	Self    units.Time `param:"queue.self" zero:"takes no time"`    // a put to the own process is on its way there
	Arrive  units.Time `param:"queue.arrive" zero:"takes no time"`  // a put has been written to a scheduling pointer advanced, or a notice in memory
}

// maxEngines bounds the ports of an end point.
const maxEngines = 64

// checkQueues checks the table of machines with command queues.
func (s *Section) checkQueues(m *machine.Machine) error {
	q := &s.Queue
	err := m.CheckPositive("queue.engines", "queue.per_engine", "queue.processes", "queue.per_process", "queue.entries", "queue.notices")
	switch {
	case err != nil:
		return err
	case q.Engines > maxEngines:
		return fmt.Errorf("queue.engines is %d; expected at most %d", q.Engines, maxEngines)
	case q.PerProcess > q.Engines*q.PerEngine:
		return fmt.Errorf("queue.per_process of %d collides with queue.engines of %d and queue.per_engine of %d: there are %d queues", q.PerProcess, q.Engines, q.PerEngine, q.Engines*q.PerEngine)
	case m.Switch.Engine == "flit":
		return fmt.Errorf("switch.engine = \"flit\" collides with interface.model = \"queues\": the flit engine joins an interface by one link; expected \"packet\"")
	case m.Bus.Latency > 0:
		return fmt.Errorf("bus.latency of %v collides with interface.model = \"queues\": its engines are on the processor's chip; expected 0ns", m.Bus.Latency)
	case !m.NIC.Replies:
		return fmt.Errorf("nic.replies = false collides with interface.model = \"queues\": a command is complete when its reply has come; expected true")
	}
	return nil
}

// Barrier describes the part of a network interface of model "queues" that does barriers
// and reductions of one word without the processor. Its packets have packet.reply flits,
// and travel with replies.
type Barrier struct {
	Channels int        `param:"barrier.channels" zero:"there is no such part"` // groups that ranks of a node can be members of at once
	Gate     units.Time `param:"barrier.gate" zero:"takes no time"`             // what has come is combined, and the next packet sent
}

// Atomic describes the part of a network interface of model "dma" or "queues" that changes
// words of memory in one step. A request has wordOperands of data; the answer has
// packet.reply flits, and as many more as a word takes.
type Atomic struct {
	Time units.Time `param:"atomic.time" zero:"there is no such part"` // from a request's turn to the word being written; one after the other in an interface
}

// Data of what changes a word, and of the answer.
const (
	wordOperands units.Bytes = 16
	wordBytes    units.Bytes = 8
)

// wordFlits returns the length of the answer of a change of a word.
func wordFlits(m *machine.Machine) int {
	return m.Packet.Reply + int((wordBytes+m.Link.Flit-1)/m.Link.Flit)
}

// Check fails if values do not fit together, or not to those of the machine.
func (a *Atomic) Check(m *machine.Machine) error {
	largest := m.PacketFlits(m.Packet.Payload)
	switch {
	case a.Time == 0:
		return nil
	case m.Packet.Payload < wordOperands:
		return fmt.Errorf("atomic.time of %v collides with packet.payload of %v: a request has %v of operands", a.Time, m.Packet.Payload, wordOperands)
	case wordFlits(m) > largest:
		return fmt.Errorf("atomic.time of %v collides with packet.reply of %d flits: an answer has %d, the largest packet %d", a.Time, m.Packet.Reply, wordFlits(m), largest)
	}
	return nil
}
