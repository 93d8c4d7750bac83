package record

import (
	"fmt"
	"math"

	"musubi/rma"
	"musubi/trace/schedule"
	"musubi/units"
)

// Job records the ranks of a job.
type Job struct {
	ranks []Rank
	tags  tags
}

// Rank records one rank. It implements rma.Recorder.
type Rank struct {
	job     *Job
	ops     []schedule.Op
	edges   []schedule.Edge
	strands []strand
	free    []rma.Strand // that have ended
	left    units.Time   // when the library was left last
	end     units.Time   // when it was left, or a calculation ended
	too     bool         // more than can be numbered
	began   bool         // the library
	closed  bool         // its use has ended
	beside  string       // how it communicates otherwise; empty: not at all
}

// New returns the record of a job of some ranks, which is empty.
func New(ranks int) *Job {
	j := &Job{ranks: make([]Rank, ranks), tags: tags{known: map[uint64]uint32{}}}
	for i := range j.ranks {
		j.ranks[i] = Rank{job: j, strands: make([]strand, 1)}
	}
	return j
}

// Rank returns the recorder of a rank.
func (j *Job) Rank(rank int) *Rank { return &j.ranks[rank] }

// Ends returns when each rank has ended its use of the library, or its program.
func (j *Job) Ends() []units.Time {
	ends := make([]units.Time, len(j.ranks))
	for i := range j.ranks {
		ends[i] = j.ranks[i].end
	}
	return ends
}

// Schedule returns what has been recorded. It fails if there is more than a schedule can hold, or something
// else.
func (j *Job) Schedule() (*schedule.Schedule, error) {
	s := &schedule.Schedule{Ranks: make([]schedule.Rank, len(j.ranks))}
	for i := range j.ranks {
		r := &j.ranks[i]
		switch {
		case !r.began:
			return nil, fmt.Errorf("rank %d passes no messages by package mpi, of which a schedule is made", i)
		case r.beside != "":
			return nil, fmt.Errorf("rank %d also uses %s; expected messages and collective operations only", i, r.beside)
		case r.too:
			return nil, fmt.Errorf("rank %d has more than %d messages and calculations, which is as many as a record holds", i, mostOps)
		}
		for k := range r.ops {
			if r.ops[k].Peer == unmatched { // cancelled, or never complete
				r.ops[k] = schedule.CalcOf(0)
			}
		}
		s.Ranks[i].Ops = r.ops
		s.Ranks[i].Connect(r.edges)
	}
	s.Count()
	return s, nil
}

// mostOps is how many operations a rank may have, so that their numbers fit.
const mostOps = math.MaxInt32 - 1

// Begin tells when the program of the rank begins; 0 if nobody does.
func (r *Rank) Begin(now units.Time) { r.left, r.end = now, now }

// Enter implements rma.Recorder: what has passed since Leave is a calculation.
func (r *Rank) Enter(_ string, now units.Time) {
	if now > r.left {
		r.add(0, schedule.CalcOf(int64(now-r.left)))
		r.end = now
	}
}

// Leave implements rma.Recorder.
func (r *Rank) Leave(now units.Time) { r.left, r.end, r.began = now, now, true }

// Beside implements rma.Recorder.
func (r *Rank) Beside(what string) { r.beside = what }

// Close implements rma.Recorder.
func (r *Rank) Close() { r.closed = true }

// End tells that the program of the rank has ended. What it has done since Close does not count.
func (r *Rank) End(now units.Time) {
	if !r.closed {
		r.Enter("", now)
	}
}

// Send implements rma.Recorder.
func (r *Rank) Send(s rma.Strand, to int, context uint32, tag int32, bytes int) rma.Recording {
	return r.add(s, schedule.Op{Kind: schedule.Send, Size: uint64(bytes), Peer: uint32(to), Tag: r.job.tags.of(context, tag)})
}

// Receive implements rma.Recorder.
func (r *Rank) Receive(s rma.Strand) rma.Recording {
	return r.add(s, schedule.Op{Kind: schedule.Receive, Peer: unmatched})
}

// Match implements rma.Recorder.
func (r *Rank) Match(receive rma.Recording, from int, context uint32, tag int32, bytes int) {
	op := &r.ops[receive-1]
	op.Peer, op.Tag, op.Size = uint32(from), r.job.tags.of(context, tag), uint64(bytes)
}

// Await implements rma.Recorder.
func (r *Rank) Await(s rma.Strand, ended rma.Recording) { r.strands[s].await(uint32(ended - 1)) }

// Fork implements rma.Recorder.
func (r *Rank) Fork() rma.Strand {
	var s rma.Strand
	if last := len(r.free) - 1; last >= 0 {
		s, r.free = r.free[last], r.free[:last]
	} else {
		s = rma.Strand(len(r.strands))
		r.strands = append(r.strands, strand{})
	}
	r.strands[s].forkFrom(&r.strands[0])
	return s
}

// Join implements rma.Recorder.
func (r *Rank) Join(ended rma.Strand) {
	r.strands[0].join(&r.strands[ended])
	r.free = append(r.free, ended)
}

// add adds an operation to a strand.
func (r *Rank) add(s rma.Strand, op schedule.Op) rma.Recording {
	if len(r.ops) == mostOps {
		r.too = true
		return 0
	}
	i := uint32(len(r.ops))
	r.ops = append(r.ops, op)
	r.edges = r.strands[s].follow(r.edges, i, op.Kind == schedule.Calc)
	return rma.Recording(i + 1)
}
