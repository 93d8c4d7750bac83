package core

import "musubi/rma"

// record tells a recorder of the messages of an engine.
type record struct {
	to rma.Recorder // nil: nobody asks
}

// Records reports whether somebody asks for the messages.
func (e *Engine) Records() bool { return e.record.to != nil }

// strandOf returns the strand that a message belongs to.
func (r *Request) strandOf() rma.Strand {
	if r.Batch != nil {
		return r.Batch.Strand
	}
	return 0
}

// recordSend tells of a send that begins.
func (e *Engine) recordSend(r *Request) {
	r.recording = e.record.to.Send(r.strandOf(), int(r.Peer), r.context, r.Tag, len(r.Data))
}

// recordReceive tells of a receive that begins.
func (e *Engine) recordReceive(r *Request) { r.recording = e.record.to.Receive(r.strandOf()) }

// recordMatch tells which message a receive gets.
func (e *Engine) recordMatch(r *Request, from, tag int32) {
	if r.recording != 0 {
		e.record.to.Match(r.recording, int(from), r.context, tag, r.Status.Bytes)
	}
}

// RecordEnd tells that the program knows of the end of a request.
func (e *Engine) RecordEnd(r *Request) {
	if e.record.to == nil || !r.Complete {
		return
	}
	switch {
	case r.recording != 0:
		e.record.to.Await(0, r.recording)
	case r.strand != 0:
		e.record.to.Join(r.strand)
	}
	r.recording, r.strand = 0, 0
}

// BeginStrand lets an operation of several steps be a strand of its own.
func (b *Batch) BeginStrand(e *Engine) {
	if !e.Records() {
		return
	}
	b.Strand = e.record.to.Fork()
	b.Whole.strand = b.Strand
}

// RecordBeside tells that the program communicates otherwise than by messages.
func (e *Engine) RecordBeside(what string) {
	if e.Records() {
		e.record.to.Beside(what)
	}
}

// EndRecord ends the record, inside a call.
func (e *Engine) EndRecord() {
	if e.Records() {
		e.record.to.Leave(e.Process.Now())
		e.record.to.Close()
		e.tracers.remove(e.record.to)
		e.record.to = nil
	}
}

// RecordRounds tells of an operation that took no messages as messages that reach as far: in rounds, each
// rank sends some bytes to the one that is a power of two behind it (dissemination).
func (b *Batch) RecordRounds(c *Comm, tag int32, bytes int) {
	e := c.Engine
	if !e.Records() {
		return
	}
	to, size := e.record.to, c.Size()
	for distance := 1; distance < size; distance *= 2 {
		in := to.Receive(b.Strand)
		to.Match(in, int(c.Process((c.Rank()-distance+size)%size)), c.Collective, tag, bytes)
		out := to.Send(b.Strand, int(c.Process((c.Rank()+distance)%size)), c.Collective, tag, bytes)
		to.Await(b.Strand, in)
		to.Await(b.Strand, out)
	}
}

// RecordEnds tells that an operation goes on when its open messages have ended.
func (b *Batch) RecordEnds(e *Engine) {
	if !e.Records() {
		return
	}
	for _, r := range b.dropped {
		e.record.to.Await(b.Strand, r)
	}
	b.dropped = b.dropped[:0]
	for _, m := range b.Open {
		if m.recording != 0 {
			e.record.to.Await(b.Strand, m.recording)
		}
	}
}
