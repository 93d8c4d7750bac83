package cmdq

import "fmt"

// Queue is a control queue (CQ) of Tofu2: a TOQ (transmit order queue) of commands
// that an engine carries out in order, a TCQ (transmit complete queue) of their
// completions, and an MRQ (message receive queue) of notices of puts that came from
// others. In session mode a command also waits until the scheduling pointer is beyond it,
// which puts that arrive advance: so they release commands that were prepared.
//
// C is what its user knows about a command; to the queue all are alike. A NOP is carried
// out and completes like any other.
//
// No event gets lost. The TCQ has a place for each entry of the TOQ. A notice gets its
// place by Admit before its put is written; a put that gets none must wait.
type Queue[C any] struct {
	Pointers
	slots   []commandSlot[C]
	notices noticeRing
	closed  bool
}

type commandSlot[C any] struct {
	command  C
	err      error
	complete bool
}

// QueueConfig says what a command queue is like.
type QueueConfig struct {
	Session bool
	Lead    int // entries that the scheduling pointer starts ahead of the first one
	Entries int // commands that there is room for, until their completion is taken
	Notices int // of the MRQ
}

// NewQueue opens a command queue.
func NewQueue[C any](c QueueConfig) (*Queue[C], error) {
	switch {
	case c.Entries < 1:
		return nil, fmt.Errorf("command queue of %d entries; expected at least 1", c.Entries)
	case c.Notices < 1:
		return nil, fmt.Errorf("command queue with room for %d notices; expected at least 1", c.Notices)
	case c.Lead < 0:
		return nil, fmt.Errorf("command queue with a lead of %d entries; expected at least 0", c.Lead)
	}
	return &Queue[C]{
		Pointers: OpenPointers(c.Session, c.Lead),
		slots:    make([]commandSlot[C], c.Entries),
		notices:  noticeRing{slots: make([]Notice, c.Notices)},
	}, nil
}

// Entries returns how many commands there is room for.
func (q *Queue[C]) Entries() int { return len(q.slots) }

// Room returns how many commands can be posted now.
func (q *Queue[C]) Room() int { return q.Pointers.Room(len(q.slots)) }

func (q *Queue[C]) slot(position uint64) *commandSlot[C] {
	return &q.slots[position%uint64(len(q.slots))]
}

// Post appends commands. It reports whether there was room for all; otherwise it appends
// none.
func (q *Queue[C]) Post(commands ...C) bool {
	if q.closed || len(commands) > q.Room() {
		return false
	}
	for i := range commands {
		*q.slot(q.Write) = commandSlot[C]{command: commands[i]}
		q.Write++
	}
	return true
}

// Next takes the next command that may be carried out. What it returns is valid until the
// completion is taken; position names it for Complete.
func (q *Queue[C]) Next() (position uint64, command *C, ok bool) {
	if q.Ready() == 0 {
		return 0, nil, false
	}
	position = q.Read
	q.Read++
	return position, &q.slot(position).command, true
}

// Complete says that a command which Next gave has been carried out, or why not. Commands
// of an engine that does not wait for each may complete in any order; the owner finds
// them in that in which they were posted. It reports whether they were under way.
func (q *Queue[C]) Complete(position uint64, err error) bool {
	s := q.slot(position)
	if position-q.Done >= uint64(q.Running()) || s.complete {
		return false
	}
	s.complete, s.err = true, err
	for q.Done < q.Read && q.slot(q.Done).complete {
		q.Done++
	}
	return true
}

// Completion takes the oldest completion from the TCQ, if there is one.
func (q *Queue[C]) Completion() (done bool, err error) {
	if q.Completed() == 0 {
		return false, nil
	}
	s := q.slot(q.Taken)
	err = s.err
	*s = commandSlot[C]{} // what it refers to can go
	q.Taken++
	return true, err
}

// Admit keeps a place in the MRQ for the notice of a put that has come. It reports
// whether there is one; if not, the put has to wait until a notice is taken, and what
// came behind it on the same way with it.
func (q *Queue[C]) Admit() bool { return q.notices.admit() }

// Arrive does what a put asks for that this queue has taken, when its data is written:
// it advances the scheduling pointer, and leaves a notice if there is one, for which
// Admit has kept a place.
func (q *Queue[C]) Arrive(advance int, notice *Notice) {
	q.Advance(advance)
	if notice != nil {
		q.notices.tell(*notice)
	}
}

// Notice takes the oldest notice from the MRQ, if there is one.
func (q *Queue[C]) Notice() (n Notice, ok bool) { return q.notices.take() }

// HasEvent reports whether there is a completion or a notice to be taken.
func (q *Queue[C]) HasEvent() bool { return q.Completed() > 0 || q.notices.count() > 0 }

// Close ends the use of the queue. It drops commands that wait to be released, and what
// is in the TCQ and MRQ. It fails, and changes nothing, while other commands are not
// complete. To a closed queue nothing happens any more.
func (q *Queue[C]) Close() error {
	if !q.Idle() {
		return fmt.Errorf("a command queue cannot be closed while %d of its commands are not complete", q.Ready()+q.Running())
	}
	q.closed = true
	q.Write, q.Scheduled = q.Read, q.Read
	q.Taken = q.Done
	clear(q.slots)
	q.notices = noticeRing{}
	return nil
}

// Closed reports whether the queue has been closed.
func (q *Queue[C]) Closed() bool { return q.closed }
