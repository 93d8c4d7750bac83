package transformer

import "musubi/trace/schedule"

// layer passes a layer, forward (work 1) or backward (work 2, as backward has twice the operations).
func (r *trainer) layer(work int64) {
	r.gather(1)
	r.Compute(work * r.time(r.projectionFLOPs()))
	r.scores(work)
	r.scatter(1)
	if r.Experts > 1 {
		r.exchange()
	}
	k := int64(r.TopK)
	r.gather(k)
	r.Compute(work * r.time(r.mlpFLOPs()))
	r.scatter(k)
	if r.Experts > 1 {
		r.exchange()
	}
}

// gather brings tokens of a tensor group together, in front of a matrix that is split by columns, or backward in front of one split
// by rows.
func (r *trainer) gather(copies int64) {
	if r.shares() {
		r.call(r.tensor, schedule.AllGather, copies*r.activations())
	}
}

// scatter sums what the ranks of a tensor group have behind a matrix.
func (r *trainer) scatter(copies int64) {
	o := schedule.AllReduce
	if r.shares() {
		o = schedule.ReduceScatter
	}
	r.call(r.tensor, o, copies*r.activations())
}

// exchange sends tokens to their experts, or back. All experts get as many.
func (r *trainer) exchange() {
	tokens := r.tokens() / int64(r.Tensor)
	r.call(r.experts, schedule.AllToAll, tokens*int64(r.TopK)*int64(r.Hidden)*int64(r.Element))
}

// firstRing is the first tag of messages round a context.
const firstRing = 1 << 27

// scores multiplies queries with keys, and the results with values. Keys and values of the ranks of a context go round
// in a ring (ring attention); backward their gradients go with them, and at the end one step more, home.
func (r *trainer) scores(work int64) {
	all := work * r.time(r.scoreFLOPs(r.Sequence))
	part := all / int64(r.Context)
	bytes := 2 * r.tokens() * r.keys() * int64(r.Element) / int64(r.Tensor)
	for range r.Context - 1 {
		r.round(work*bytes, part)
		all -= part
	}
	r.Compute(all)
	if work == 2 && r.Context > 1 {
		r.round(bytes, 0)
	}
}

// round passes bytes on in the ring of a context while the rank computes, or before it does.
func (r *trainer) round(bytes, computation int64) {
	next, before := r.place, r.place
	next.context = (r.context + 1) % r.Context
	before.context = (r.context + r.Context - 1) % r.Context
	to, from := r.Train.rank(next), r.Train.rank(before)
	tag := firstRing + r.rings
	r.rings++
	sent := r.Send(to, r.bytesTo(to, bytes), tag)
	received := r.Receive(from, r.bytesTo(from, bytes), tag)
	took := r.took(from, bytes)
	if r.Overlap == "all" {
		r.Compute(max(computation, took))
		r.Wait(received)
		return
	}
	r.Wait(sent, received)
	r.Compute(computation + took)
}
