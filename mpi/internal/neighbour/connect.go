package neighbour

import (
	"cmp"

	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/schedule"
)

// receiverInfo is what the receiver of an edge sends to its sender before the first round.
type receiverInfo struct {
	Data, Done  location // of the data, and of the word that tells that it is there
	Bytes       int64
	TargetQueue int32 // queue that takes what comes; 0: the receiver has none, and writes words; or itself
	Notice      int16 // 1: that queue, not the word, tells that data has come
	Slots       int16 // of the buffer that Data is, see slotOf; 0: it is none
}

// senderInfo is what the sender of an edge sends to its receiver before the first round.
type senderInfo struct {
	Ready location // of the word that tells that the receiver is ready
	Bytes int64
	Queue int32 // that waits for the receiver; 0: none
	Gated int32 // 1: the queue has a gate, and is to be advanced by one entry
	Next  int32 // without a gate: by these entries and those that send the data
	Owner int32 // process that has the queue
}

// connectTags are the tags of the messages by which a rank tells of its edges, and hears of the
// other ends. They differ for paired sends and receives, where both ends of an edge may have one
// edge more in the opposite direction with the same tag.
type connectTags struct{ tell, hear int32 }

// connection is the exchange of receiverInfo and senderInfo of all edges, before the first round.
type connection struct {
	heard   core.Request
	told    core.Request // complete if it is part of heard
	ins     []receiverInfo
	outs    []senderInfo
	farIns  []receiverInfo
	farOuts []senderInfo
}

// connect starts to exchange the information about edges with all neighbours, after some other
// messages.
func (x *exchange) connect(first ...func(s *schedule.Schedule)) {
	x.stage = connecting
	w := &x.connection
	*w = connection{farIns: make([]receiverInfo, len(x.outs)), farOuts: make([]senderInfo, len(x.ins))}
	for i := range x.ins {
		w.ins = append(w.ins, x.receiverInfo(&x.ins[i]))
	}
	for i := range x.outs {
		w.outs = append(w.outs, x.senderInfo(&x.outs[i]))
	}
	if x.tags.tell == x.tags.hear {
		w.told.Complete = true
		x.startConnect(x.tags.hear, &w.heard, append(first, x.hear, x.tell)...)
		return
	}
	x.startConnect(x.tags.hear, &w.heard, x.hear)
	x.startConnect(x.tags.tell, &w.told, x.tell)
}

// startConnect starts messages that connect edges, with a tag.
func (x *exchange) startConnect(tag int32, request *core.Request, parts ...func(s *schedule.Schedule)) {
	r := x.c.NewOperation(x.call)
	r.Algorithm = &algorithm.Algorithm{Name: "connect", Build: func(s *schedule.Schedule, _ algorithm.Arguments) {
		for _, add := range parts {
			add(s)
		}
		s.Wait()
	}}
	r.Tag = tag
	r.Build()
	r.StartAs(request)
}

// isConnected reports whether the information about all edges is there.
func (x *exchange) isConnected() bool {
	return x.connection.heard.Complete && x.connection.told.Complete
}

func (x *exchange) receiverInfo(in *inEdge) receiverInfo {
	f := receiverInfo{Data: in.location, Done: x.locationOfWord(in.word), Bytes: int64(len(in.into)), Slots: int16(in.slots)}
	if in.queue >= 0 {
		f.TargetQueue = int32(x.queues[in.queue].queue.Number())
		if x.plan.Protocol != FAST {
			f.Notice = 1
		}
	}
	if x.agent != nil {
		f.TargetQueue = itself
	}
	return f
}

func (x *exchange) senderInfo(out *outEdge) senderInfo {
	f := senderInfo{Ready: x.locationOfWord(out.word), Bytes: int64(len(out.from)), Owner: int32(x.e.Process.Rank())}
	if out.agentQueue > 0 {
		f.Queue, f.Gated, f.Owner = x.host.given[0].Numbers[out.agentQueue-1], 1, int32(x.agentProcess())
	}
	if out.queue >= 0 {
		s := &x.queues[out.queue]
		f.Queue, f.Next = int32(s.queue.Number()), int32(len(s.ins))
		if s.isGated() {
			f.Gated = 1
		}
	}
	return f
}

// hear adds a message about each edge, from its other end.
func (x *exchange) hear(s *schedule.Schedule) {
	w := &x.connection
	for i := range x.outs {
		s.Receive(x.outs[i].rank, elements.Memory(w.farIns[i:][:1]))
	}
	for i := range x.ins {
		s.Receive(x.ins[i].rank, elements.Memory(w.farOuts[i:][:1]))
	}
}

// tell adds a message about each edge, to its other end.
func (x *exchange) tell(s *schedule.Schedule) {
	w := &x.connection
	for i := range x.ins {
		s.Send(x.ins[i].rank, elements.Memory(w.ins[i:][:1]))
	}
	for i := range x.outs {
		s.Send(x.outs[i].rank, elements.Memory(w.outs[i:][:1]))
	}
}

// failsToConnect ends the operation if the messages before the first round have failed, and
// reports whether they have.
func (x *exchange) failsToConnect() bool {
	err := cmp.Or(x.connection.heard.Err, x.connection.told.Err)
	if err == nil {
		return false
	}
	x.fail(err)
	return true
}

// fail ends the operation for good.
func (x *exchange) fail(err error) {
	x.wrong, x.unable = err, true
	x.finish()
}

// connected starts the first round, when the information about all edges is there, or hands edges
// to the agent first.
func (x *exchange) connected() {
	if x.failsToConnect() {
		return
	}
	w := &x.connection
	for i := range x.ins {
		in := &x.ins[i]
		in.far = w.farOuts[i]
		in.notice = w.ins[i].Notice == 1 && in.far.Queue != 0
		x.compareLengths(in)
	}
	for i := range x.outs {
		x.outs[i].far = w.farIns[i]
	}
	*w = connection{}
	if x.agent != nil {
		x.stage = handing
		x.handOver()
		return
	}
	x.pairEdges()
	for i := range x.queues {
		x.queues[i].prepare(x)
	}
	x.begin()
}

// compareLengths records an error if a sender has another length than this rank expects. The data
// that fits is sent all the same.
func (x *exchange) compareLengths(in *inEdge) {
	switch there, here := int(in.far.Bytes), len(in.into); {
	case x.wrong != nil || there == here || x.paired != nil && there < here:
	case there > here:
		x.wrong = x.c.Failf(fault.Truncate, x.call, "%d bytes from rank %d; there is room for %d", there, in.rank, here)
	default:
		x.wrong = x.c.Failf(fault.Count, x.call, "%d bytes from rank %d; expected %d", there, in.rank, here)
	}
}
