package collective

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/schedule"
	"musubi/rma"
)

// Nonblocking barriers and allreduces of short data have a shared barrier of their own, once blocking operations of the communicator have
// one. They use it one after the other, in the order in which all ranks start them: a rank posts the note of an operation
// when it has taken what it needs of those before. What is left to do is done whenever the rank makes progress.

// noteQueue is that barrier and the operations that use it.
type noteQueue struct {
	turns
	barrier rma.SharedBarrier
	from    int // what the first operation waits for: roomForNote, or the notes of all
	awaits  bool
}

// The steps of an operation by notes.
const (
	noteEnqueue = iota // puts the operation in the queue
	notePost           // posts the note of this rank, when the operation is the first of the queue
	noteTake           // takes the notes of others, and removes the operation from the queue
)

// queueForNotes lets a nonblocking barrier or allreduce go by notes, if it can. All ranks decide alike. Other operations let ranks be
// further ahead of each other by messages.
func (r *Operation) queueForNotes() {
	c := r.C
	waitsForAll := r.kind == algorithm.Barrier || r.kind == algorithm.AllReduce && c.isShort(len(r.In))
	if waitsForAll && c.shared.queue != nil && r.Near == nil && r.comparison == nil && c.collectives.forced[r.kind] == nil {
		r.Algorithm, c.collectives.chosen = algorithm.Notes, algorithm.Notes
	}
}

// noteStep takes a step of an operation by notes.
func (r *Operation) noteStep(s *schedule.Step) outcome {
	q := r.C.shared.queue
	switch s.Do {
	case noteEnqueue:
		q.hasResult = q.isThere
		q.waiting = append(q.waiting, r)
		r.Schedule.Call(notePost, nil, nil)
		r.Schedule.Call(noteTake, nil, nil)
	case notePost:
		if !q.isFirst(r) || !q.has(r.C.job, roomForNote) {
			return stepWaits
		}
		note := r.In
		if r.failed != nil { // an empty one, so that the operation fails at other ranks as well
			note = nil
		}
		if _, err := q.barrier.Post(note, false); err != nil {
			r.noteError(r.C.Fail(fault.Other, r.Call, err))
		}
	default:
		if !q.has(r.C.job, rma.AllMembers) {
			return stepWaits
		}
		if r.kind == algorithm.AllReduce && r.failed == nil {
			r.C.shared.call = r.Call
			if err := r.C.reduceNotes(q.barrier, len(r.In), r.Out, &r.Op); err != nil {
				r.noteError(err)
			}
		}
		q.next()
	}
	return stepDone
}

// has reports whether what the first operation needs is there, and lets progress look for it if it is not.
func (q *noteQueue) has(j *job, from int) bool {
	q.from = from
	there := q.isThere()
	if q.awaits == !there {
		return there
	}
	if q.awaits = !there; q.awaits {
		j.noted.await(&q.turns)
	} else {
		j.noted.forget(&q.turns)
	}
	return there
}

func (q *noteQueue) isThere() bool {
	if q.from == roomForNote {
		return q.barrier.MayPost()
	}
	return q.barrier.Posted(q.from)
}
