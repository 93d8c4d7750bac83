package rma

import "musubi/units"

// QueueCosts are the costs of commands in queues, for programs that choose how many queues to use.
// Only their ratios matter.
type QueueCosts struct {
	Command units.Time // time of an engine for each command, whatever its data
	Rate    units.Rate // rate at which an engine sends data
	Self    units.Time // time from a put to a queue of its own process to the start of the command that it releases
	Look    units.Time // time of the processor to find out that it can go on, where no queue does
	Shared  units.Rate // rate at which a processor copies to or from memory that it shares with others; 0: it shares none
	// Software is the time that a library computes for each command of an exchange, in a queue or
	// not, before it posts the command. A simulated processor runs that code in no time, so the
	// library spends it by Compute.
	Software units.Time
}

// QueueCoster is a Commander that knows its costs.
type QueueCoster interface {
	Commander
	QueueCosts() QueueCosts
}
