package record

import (
	"musubi/rma"
	"musubi/trace/schedule"
	"musubi/units"
)

// Part is the record of a rank that is a process of its own, in a form that goes from process to process.
type Part struct {
	Ops    []schedule.Op
	Edges  []schedule.Edge
	Tags   []uint64 // the contexts and tags of numbers from firstNumber on
	End    units.Time
	Beside string
	Began  bool
	Too    bool
}

// Alone returns the recorder of a rank whose job is recorded in parts. Its program begins now.
func Alone(now units.Time) *Rank {
	r := New(1).Rank(0)
	r.Begin(now)
	return r
}

// Part returns what has been recorded of a rank alone.
func (r *Rank) Part() Part {
	tags := make([]uint64, len(r.job.tags.known))
	for key, number := range r.job.tags.known {
		tags[number-firstNumber] = key
	}
	return Part{r.ops, r.edges, tags, r.end, r.beside, r.began, r.too}
}

// Join returns the record of the job that these are the ranks of.
func Join(parts []Part) *Job {
	j := New(len(parts))
	for i := range parts {
		p := &parts[i]
		r := j.Rank(i)
		r.ops, r.edges, r.end, r.beside, r.began, r.too = p.Ops, p.Edges, p.End, p.Beside, p.Began, p.Too
		j.renumber(p)
	}
	return j
}

// renumber gives the tags of a part the numbers that they have at all ranks.
func (j *Job) renumber(p *Part) {
	numbers := make([]uint32, len(p.Tags))
	for i, key := range p.Tags {
		numbers[i] = j.tags.of(uint32(key>>32), int32(uint32(key)))
	}
	for i := range p.Ops {
		op := &p.Ops[i]
		if n := int(op.Tag) - firstNumber; op.Kind != schedule.Calc && n >= 0 && n < len(numbers) && op.Peer != unmatched {
			op.Tag = numbers[n]
		}
	}
}

var _ rma.Recorder = (*Rank)(nil)
