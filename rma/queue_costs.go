package rma

import "musubi/units"

// QueueCosts is about what the commands of queues cost, for those who choose how many
// queues to use. Only the relations between them matter.
type QueueCosts struct {
	Command units.Time // of an engine for each command, whatever its data
	Rate    units.Rate // at which an engine sends data
	Self    units.Time // from a put to the own queue to the command that it releases
	Look    units.Time // of the processor to find out that it can go on, where no queue does
	Shared  units.Rate // at which a processor copies to memory that it shares with others, or from there; 0: it shares none
	// Software is what a library computes for each command of an exchange, in a queue or
	// not. A simulated processor does that in no time, so the library spends it by Compute.
	Software units.Time
}

// QueueCoster is a Commander that knows its costs.
type QueueCoster interface {
	Commander
	QueueCosts() QueueCosts
}
