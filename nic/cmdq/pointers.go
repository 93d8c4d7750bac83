package cmdq

// Pointers are the positions of a command queue. They count commands since the
// queue was opened and never wrap around, so that a full queue differs from an empty
// one; the slot of a command is its position modulo the number of entries. They keep
//
//	Taken <= Done <= Read <= Write <= Taken + entries
//	         Read <= Scheduled, unless a session begins without a Lead
//
// It has no pointers of Go's, so that it can lie in memory which processes share. Of a
// queue there, Write and Taken belong to its owner, Read and Done to whoever carries its
// commands out, and only Scheduled is changed by others.
type Pointers struct {
	Write     uint64 // next free slot of the TOQ
	Read      uint64 // next command to be carried out
	Scheduled uint64 // scheduling pointer: commands before it may be carried out
	Done      uint64 // commands before it are complete, as the TCQ tells
	Taken     uint64 // their owner has taken the completions before it
}

// Unscheduled is where the scheduling pointer of a queue in normal mode stands. Read
// does not get there: at one command per nanosecond that takes 292 years.
const Unscheduled = 1 << 63

// OpenPointers returns the pointers of an empty queue: in session mode with a scheduling pointer lead
// entries ahead, or else in normal mode.
func OpenPointers(session bool, lead int) Pointers {
	if !session {
		return Pointers{Scheduled: Unscheduled}
	}
	return Pointers{Scheduled: uint64(lead)}
}

// Session reports whether the queue is in session mode.
func (p *Pointers) Session() bool { return p.Scheduled < Unscheduled }

// Room returns how many of the queue's entries are free. A command occupies one from when
// it is posted until its completion is taken, so the TCQ, which has as many, cannot
// overflow.
func (p *Pointers) Room(entries int) int { return entries - int(p.Write-p.Taken) }

// Ready returns how many commands may be carried out now.
func (p *Pointers) Ready() int {
	return int(max(p.Read, min(p.Write, p.Scheduled)) - p.Read)
}

// Waiting returns how many commands wait to be released.
func (p *Pointers) Waiting() int { return int(p.Write-p.Read) - p.Ready() }

// Running returns how many commands have been started and are not complete.
func (p *Pointers) Running() int { return int(p.Read - p.Done) }

// Completed returns how many completions there are to be taken.
func (p *Pointers) Completed() int { return int(p.Done - p.Taken) }

// Idle reports whether all commands are complete, but for those that wait to be released.
// A queue may be closed then.
func (p *Pointers) Idle() bool { return p.Ready() == 0 && p.Running() == 0 }

// Advance moves the scheduling pointer of a queue in session mode by steps, the SPS
// (scheduling pointer step) of a put that has arrived. It may get ahead of Write.
func (p *Pointers) Advance(steps int) {
	if p.Session() {
		p.Scheduled += uint64(steps)
	}
}
