package machine

import (
	"fmt"

	"musubi/units"
)

// Queue describes a network interface of model "queues": one with several engines, such
// as that of Tofu2, each of which carries out the commands of its queues. Else it is like
// one of model "dma".
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

// Queues reports whether the network interfaces have command queues.
func (m *Machine) Queues() bool { return m.Interface.Model == "queues" }

// Engines returns how many engines of a network interface work at the same time.
func (m *Machine) Engines() int {
	if m.Queues() {
		return m.Queue.Engines
	}
	return 1
}

// checkQueues checks the table of machines with command queues.
func (m *Machine) checkQueues() error {
	if !m.Queues() {
		return nil
	}
	q := &m.Queue
	err := m.checkPositive("queue.engines", "queue.per_engine", "queue.processes", "queue.per_process", "queue.entries", "queue.notices")
	switch {
	case err != nil:
		return err
	case q.Engines > maxEngines:
		return fmt.Errorf("queue.engines is %d; expected at most %d", q.Engines, maxEngines)
	case q.PerProcess > q.Engines*q.PerEngine:
		return fmt.Errorf("queue.per_process of %d collides with queue.engines of %d and queue.per_engine of %d: there are %d queues", q.PerProcess, q.Engines, q.PerEngine, q.Engines*q.PerEngine)
	case m.Switch.Engine == "flit":
		return fmt.Errorf("switch.engine = \"flit\" collides with interface.model = \"queues\": the flit engine joins an interface by one link; expected \"packet\"")
	case !m.NIC.Replies:
		return fmt.Errorf("nic.replies = false collides with interface.model = \"queues\": a command is complete when its reply has come; expected true")
	}
	return nil
}
