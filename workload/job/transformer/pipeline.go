package transformer

import (
	"musubi/trace/schedule"
	"musubi/workload/job/strand"
)

// pass is what a stage does with a micro-batch at once: with a chunk of the model's layers, forward or backward.
type pass struct {
	backward     bool
	chunk, batch int
}

// passes lists the passes of a stage in their order: 1F1B, or interleaved 1F1B if stages have several chunks. The stage
// begins with forward passes, as many as later stages need to have work; then forward and backward take turns; and then
// come the backward passes that are left.
func (t *Train) passes(stage int) []pass {
	all := t.MicroBatches() * t.Chunks
	ahead := t.Pipeline - 1 - stage
	if t.Chunks > 1 {
		ahead = 2*ahead + (t.Chunks-1)*t.Pipeline
	}
	ahead = min(ahead, all)
	list := make([]pass, 0, 2*all)
	for k := range all + ahead {
		if k < all {
			list = append(list, t.pass(k, false))
		}
		if k >= ahead {
			list = append(list, t.pass(k-ahead, true))
		}
	}
	return list
}

// pass returns the k-th pass of a direction. Chunks take turns: each has as many micro-batches in a row as there are stages.
func (t *Train) pass(k int, backward bool) pass {
	turn := t.Pipeline * t.Chunks
	if t.Chunks == 1 {
		return pass{backward, 0, k}
	}
	chunk := k % turn / t.Pipeline
	if backward {
		chunk = t.Chunks - 1 - chunk
	}
	return pass{backward, chunk, k/turn*t.Pipeline + k%t.Pipeline}
}

// last is the last place in the pipeline. Micro-batches go through the stages with their first chunk, then with the second, and
// so on.
func (t *Train) last() int { return t.Pipeline*t.Chunks - 1 }

// layersOfChunk returns how many layers a chunk has.
func (t *Train) layersOfChunk() int { return t.Layers / (t.Pipeline * t.Chunks) }

// trainer writes down what a rank does in a step.
type trainer struct {
	*Train
	member
	place
	tensor, copies, experts, twins *group
	data                           *sharing
	rings                          uint32 // messages round the ranks of a context so far
}

// cpus of a rank: the host's, which cannot pass messages while it computes, and the accelerator's.
const (
	hostCPU     = 0
	accelerator = 1
)

// write writes down what a rank does.
func (t *Train) write(b *schedule.Builder, rank int) {
	cpu := uint8(accelerator)
	if t.Overlap == "none" {
		cpu = hostCPU
	}
	r := &trainer{
		Train: t, member: member{Strand: strand.New(b, rank, cpu), rank: rank, domain: &t.Domain}, place: t.place(rank),
		tensor: t.tensorGroup(rank), copies: t.copyGroup(rank),
	}
	if t.Experts > 1 {
		r.experts, r.twins = t.expertGroup(rank), t.twinGroup(rank)
	}
	r.data = newSharing(r)
	r.data.begin()
	for _, p := range t.passes(r.stage) {
		r.met = nil
		r.carryOut(p)
	}
	r.data.finish()
	r.End()
}

func (r *trainer) carryOut(p pass) {
	at := p.chunk*r.Pipeline + r.stage
	if p.backward {
		r.backward(p, at)
	} else {
		r.forward(p, at)
	}
}

func (r *trainer) forward(p pass, at int) {
	if at > 0 {
		r.take(at-1, r.tag(p, at-1))
	}
	for layer := range r.layersOfChunk() {
		r.data.before(p, layer)
		r.layer(1)
	}
	if at == r.last() {
		r.Compute(r.time(r.outputFLOPs()))
		return
	}
	r.give(at+1, r.tag(p, at))
}

func (r *trainer) backward(p pass, at int) {
	if at < r.last() {
		r.take(at+1, r.tag(p, at+1))
	} else {
		r.Compute(2 * r.time(r.outputFLOPs()))
	}
	for layer := range r.layersOfChunk() {
		layer = r.layersOfChunk() - 1 - layer
		r.data.before(p, layer)
		if r.Recompute == "on" {
			r.layer(1)
		}
		r.layer(2)
		r.data.after(p, layer)
	}
	if at > 0 {
		r.give(at-1, r.tag(p, at))
	}
}

// tag numbers the messages of the pipeline: by micro-batch, sending place and direction.
func (t *Train) tag(p pass, from int) uint32 {
	tag := uint32(p.batch*(t.last()+1)+from) * 2
	if p.backward {
		tag++
	}
	return tag
}

// peer returns the rank with the same part at a place of the pipeline.
func (r *trainer) peer(at int) int {
	p := r.place
	p.stage = at % r.Pipeline
	return r.Train.rank(p)
}

// give sends a micro-batch on. Nobody waits for the end of that: stages whose sends wait for each other would be stuck.
func (r *trainer) give(at int, tag uint32) {
	to := r.peer(at)
	r.Send(to, r.bytesTo(to, r.message()), tag)
}

// take receives a micro-batch: as early as the last computation, or when it is needed.
func (r *trainer) take(at int, tag uint32) {
	from := r.peer(at)
	bytes := r.bytesTo(from, r.message())
	if r.Overlap == "all" {
		r.ReceiveAhead(from, bytes, tag)
	} else {
		r.Wait(r.Receive(from, bytes, tag))
	}
	r.Compute(r.took(from, r.message()))
}
