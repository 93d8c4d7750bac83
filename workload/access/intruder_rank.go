package access

import (
	"encoding/binary"
	"errors"

	"musubi/rma"
	"musubi/units"
	"musubi/workload/internal/ranks"
)

// intruderRank is a rank in an attempt to access memory without the right to.
type intruderRank struct {
	p      rma.Guarded
	w      intruder
	team   *ranks.Team
	secret ranks.Segment // what the intruder wants to access at the victim
	notes  ranks.Segment // what the intruder notes for the victim, by word
}

// Words of the notes.
const (
	beginNote   = iota // time of the first attempt
	madeNote           // attempts
	refusedNote        // of these, how many it knows to be refused
	gotNote            // bytes that it has read
	endNote            // 1 when it has tried everything
	notedWords
)

// newIntruderRank returns the state of a rank. Each rank must make it at the same position in the
// order of its segments.
func newIntruderRank(p rma.Guarded, w intruder) *intruderRank {
	r := &intruderRank{p: p, w: w, team: ranks.NewTeam(p)}
	r.secret = ranks.Expose(p, (max(w.bytes, ranks.WordSize)+ranks.WordSize-1)/ranks.WordSize*ranks.WordSize)
	fillSecret(r.secret.Memory)
	r.notes = ranks.Expose(p, ranks.WordSize*notedWords)
	return r
}

// fillSecret fills memory with what an intruder finds or changes.
func fillSecret(memory []byte) {
	for i := range memory {
		memory[i] = byte(i*7 + 101)
	}
}

// differing returns how many bytes differ.
func differing(a, b []byte) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

func (r *intruderRank) note(word int, value uint64) {
	binary.LittleEndian.PutUint64(r.notes.Memory[ranks.WordSize*word:], value)
}

// intrude names a wrong access id from now on, and tries to get through with it.
func (r *intruderRank) intrude() error {
	r.p.NameAccess(0)
	r.note(beginNote, uint64(r.p.Now()))
	refused, got := 0, 0
	for i := range r.w.attempts {
		if i > 0 {
			r.p.Compute(r.w.pause)
		}
		into := make([]byte, r.w.bytes)
		op, err := r.attempt(into)
		if err != nil {
			return err
		}
		r.note(madeNote, uint64(i+1))
		if err := r.p.Wait(op); err != nil {
			refused++
		}
		if r.w.access == readAccess {
			got += differing(into, make([]byte, len(into)))
		}
		r.note(refusedNote, uint64(refused))
		r.note(gotNote, uint64(got))
	}
	r.note(endNote, 1)
	return nil
}

// attempt starts an access to the victim's memory.
func (r *intruderRank) attempt(data []byte) (rma.Op, error) {
	at := rma.Address{Rank: victimRank, Segment: r.secret.Number}
	switch r.w.access {
	case readAccess:
		return r.p.Pull(at, data)
	case addAccess:
		a, ok := r.p.(rma.Atomics)
		if !ok {
			return 0, errors.New("workload: interfaces of this machine do not change words; expected access=write,read")
		}
		return a.FetchOp(at, rma.Sum, 1, nil)
	}
	return r.p.Push(at, data, rma.DMA)
}

// defend waits until the victim is told of the intruder, has it stopped or lets it try, and waits
// until nothing more is to be reported. It returns when the victim was told, and how long it then
// took until the intruder had been stopped.
func (r *intruderRank) defend() (told, stopped units.Time, err error) {
	reported := func() uint64 {
		n := uint64(0)
		for _, v := range r.p.Violations() {
			n += v.Times
		}
		return n
	}
	if err := r.p.WaitUntil(func() bool { return reported() > 0 }); err != nil {
		return 0, 0, err
	}
	told = r.p.Now()
	made := uint64(r.w.attempts)
	if r.w.stop {
		if err := r.stop(); err != nil {
			return 0, 0, err
		}
		stopped = r.p.Now() - told
		notes, err := r.readNotes()
		if err != nil {
			return 0, 0, err
		}
		made = notes[madeNote]
	}
	return told, stopped, r.p.WaitUntil(func() bool { return reported() >= made })
}

// stop has the system stop who was reported first.
func (r *intruderRank) stop() error {
	op, err := r.p.Stop(r.p.Violations()[0].From)
	if err != nil {
		return err
	}
	return r.p.Wait(op)
}

// readNotes reads the notes of the intruder, also of one that has been stopped. Otherwise it waits
// until they are complete.
func (r *intruderRank) readNotes() ([notedWords]uint64, error) {
	var notes [notedWords]uint64
	memory := make([]byte, ranks.WordSize*notedWords)
	for {
		op, err := r.p.Pull(rma.Address{Rank: r.w.rank, Segment: r.notes.Number}, memory)
		if err == nil {
			err = r.p.Wait(op)
		}
		if err != nil {
			return notes, err
		}
		for i := range notes {
			notes[i] = binary.LittleEndian.Uint64(memory[ranks.WordSize*i:])
		}
		if r.w.stop || notes[endNote] == 1 {
			return notes, nil
		}
		r.p.Compute(r.w.pause + units.Microsecond)
	}
}
