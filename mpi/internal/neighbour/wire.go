package neighbour

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/schedule"
)

// inFacts is what the receiver of an edge tells its sender.
type inFacts struct {
	Data, Done  spot // of the data, and of the word that tells that it is there
	Bytes       int64
	TargetQueue int32 // queue that takes what comes; 0: the receiver has none, and writes words
	Notice      int16 // 1: that queue, not the word, tells that data has come
	Slots       int16 // of the buffer that Data is, see slotOf; 0: it is none
}

// outFacts is what the sender of an edge tells its receiver.
type outFacts struct {
	Ready spot // of the word that tells that the receiver is ready
	Bytes int64
	Queue int32 // that waits for the receiver; 0: none
	Gated int32 // 1: it is to be advanced by one entry, see station
	Next  int32 // otherwise, by these entries and those that send the data
	_     int32
}

// wiring is how neighbours tell each other the facts of their edges, before the first
// round.
type wiring struct {
	request core.Request
	ins     []inFacts
	outs    []outFacts
	farIns  []inFacts
	farOuts []outFacts
}

// connect starts to tell all neighbours of this rank's edges, and to hear of theirs.
func (x *exchange) connect() {
	w := &x.wiring
	*w = wiring{farIns: make([]inFacts, len(x.outs)), farOuts: make([]outFacts, len(x.ins))}
	for i := range x.ins {
		w.ins = append(w.ins, x.inFacts(&x.ins[i]))
	}
	for i := range x.outs {
		w.outs = append(w.outs, x.outFacts(&x.outs[i]))
	}
	r := x.c.Idle(x.call, &algorithm.Arguments{})
	r.Algorithm = &algorithm.Algorithm{Name: "wiring", Build: x.wire}
	r.Tag = x.tag
	r.Build()
	r.StartAs(&w.request)
}

func (x *exchange) inFacts(in *inEdge) inFacts {
	f := inFacts{Data: in.spot, Done: x.spotOfWord(in.word), Bytes: int64(len(in.into)), Slots: int16(in.slots)}
	if in.station >= 0 {
		f.TargetQueue = int32(x.stations[in.station].queue.Number())
		if x.plan.Protocol != FAST {
			f.Notice = 1
		}
	}
	return f
}

func (x *exchange) outFacts(out *outEdge) outFacts {
	f := outFacts{Ready: x.spotOfWord(out.word), Bytes: int64(len(out.from))}
	if out.station >= 0 {
		s := &x.stations[out.station]
		f.Queue, f.Next = int32(s.queue.Number()), int32(len(s.ins))
		if s.isGated() {
			f.Gated = 1
		}
	}
	return f
}

// wire makes a message about each edge, to its other end.
func (x *exchange) wire(s *schedule.Schedule, _ algorithm.Arguments) {
	w := &x.wiring
	for i := range x.outs {
		s.Receive(x.outs[i].rank, elements.Memory(w.farIns[i:][:1]))
	}
	for i := range x.ins {
		s.Receive(x.ins[i].rank, elements.Memory(w.farOuts[i:][:1]))
	}
	for i := range x.ins {
		s.Send(x.ins[i].rank, elements.Memory(w.ins[i:][:1]))
	}
	for i := range x.outs {
		s.Send(x.outs[i].rank, elements.Memory(w.outs[i:][:1]))
	}
	s.Wait()
}

// connected starts the first round, when neighbours have told of their edges.
func (x *exchange) connected() {
	w := &x.wiring
	if x.wrong = w.request.Err; x.wrong != nil {
		x.unable = true
		x.finish()
		return
	}
	for i := range x.ins {
		in := &x.ins[i]
		in.far = w.farOuts[i]
		in.notice = w.ins[i].Notice == 1 && in.far.Queue != 0
		x.compareLengths(in)
	}
	for i := range x.outs {
		x.outs[i].far = w.farIns[i]
	}
	*w = wiring{}
	x.pairEdges()
	for i := range x.stations {
		x.stations[i].prepare(x)
	}
	x.begin()
}

// compareLengths notes if a sender has another length than this rank has room for. What
// can be sent is.
func (x *exchange) compareLengths(in *inEdge) {
	switch there, here := int(in.far.Bytes), len(in.into); {
	case x.wrong != nil || there == here:
	case there > here:
		x.wrong = x.c.Failf(fault.Truncate, x.call, "%d bytes from rank %d; there is room for %d", there, in.rank, here)
	default:
		x.wrong = x.c.Failf(fault.Count, x.call, "%d bytes from rank %d; expected %d", there, in.rank, here)
	}
}
