package rings

import (
	"maps"
	"slices"

	"musubi/rma"
)

// Recorder records the messages between the processes of one simulated run. All of them share it,
// and it is not safe for use by several goroutines at a time: simulated ranks run one after the
// other.
type Recorder struct {
	packet    int
	processes []received
}

// received counts the messages to a process.
type received struct {
	held level           // from all senders together
	from map[int]*sender // those that have sent anything
}

// sender counts the messages of one process to another.
type sender struct {
	held            level
	messages, bytes int64 // taken off the status ring
	largest         int
	pushes          int64
}

// level is the number of bytes that wait in a ring without limits, now and at most.
type level struct{ now, most int64 }

func (l *level) add(n int) {
	l.now += int64(n)
	l.most = max(l.most, l.now)
}

// NewRecorder returns a recorder for a job of that many ranks, on a machine with
// packets of up to packet bytes of data.
func NewRecorder(ranks, packet int) *Recorder {
	return &Recorder{packet: packet, processes: make([]received, ranks)}
}

// sender returns the counts of messages from one rank to another.
func (r *Recorder) sender(from, to int) *sender {
	p := &r.processes[to]
	if p.from == nil {
		p.from = map[int]*sender{}
	}
	s := p.from[from]
	if s == nil {
		s = &sender{}
		p.from[from] = s
	}
	return s
}

// hold records that a message takes room at its receiver, or, if bytes is negative, that room is
// given back.
func (r *Recorder) hold(from, to, bytes int) {
	r.processes[to].held.add(bytes)
	r.sender(from, to).held.add(bytes)
}

// Record returns the record so far.
func (r *Recorder) Record() *Record {
	record := &Record{Packet: r.packet}
	for rank := range r.processes {
		p := &r.processes[rank]
		process := Process{Rank: rank, Peak: p.held.most}
		for _, from := range slices.Sorted(maps.Keys(p.from)) {
			s := p.from[from]
			process.Partners = append(process.Partners, Partner{
				Rank: from, Messages: s.messages, Bytes: s.bytes, Largest: s.largest, Burst: s.held.most, Pushes: s.pushes,
			})
		}
		record.Processes = append(record.Processes, process)
	}
	return record
}

// Watch returns a process that does everything that p does, and whose messages are recorded.
func (r *Recorder) Watch(p rma.Process) rma.Process { return &watched{p, r} }

// watched is a process whose messages are recorded. It leaves all methods that it does not override
// to the process inside.
type watched struct {
	rma.Process
	recorder *Recorder
}

// Tracer implements rma.Traced.
func (w *watched) Tracer() rma.Tracer {
	if x, ok := w.Process.(rma.Traced); ok {
		return x.Tracer()
	}
	return nil
}

// Push implements rma.Process.
func (w *watched) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	op, err := w.Process.Push(to, data, by)
	w.notePush(to.Rank, err)
	return op, err
}

// PushLayout implements rma.Process.
func (w *watched) PushLayout(to rma.Address, scatter rma.Layout, data []byte, gather rma.Layout, by rma.Mechanism) (rma.Op, error) {
	op, err := w.Process.PushLayout(to, scatter, data, gather, by)
	w.notePush(to.Rank, err)
	return op, err
}

// notePush records a push that has been started. Some worlds report a target that does not exist
// only when the push is waited for.
func (w *watched) notePush(to int, err error) {
	if err == nil && w.exists(to) {
		w.recorder.sender(w.Rank(), to).pushes++
	}
}

func (w *watched) exists(rank int) bool { return rank >= 0 && rank < w.Size() }

// IPush implements rma.Process. The message takes room from before the call, because its first
// packets may arrive before the call returns.
func (w *watched) IPush(to int, data []byte, by rma.Mechanism) (rma.Op, error) {
	if !w.exists(to) {
		return w.Process.IPush(to, data, by) // which says so
	}
	from := w.Rank()
	w.recorder.hold(from, to, len(data))
	op, err := w.Process.IPush(to, data, by)
	if err != nil {
		w.recorder.hold(from, to, -len(data))
		return op, err
	}
	s := w.recorder.sender(from, to)
	s.largest = max(s.largest, len(data))
	return op, nil
}

// Next implements rma.Process.
func (w *watched) Next() (rma.Arrival, error) {
	a, err := w.Process.Next()
	if err != nil {
		return a, err
	}
	s := w.recorder.sender(a.From, w.Rank())
	s.bytes += int64(a.Bytes)
	if a.Last {
		s.messages++
	}
	return a, nil
}

// Take implements rma.Process. The room is given back when the call has returned.
func (w *watched) Take(a rma.Arrival, into []byte, as rma.Caching) error {
	err := w.Process.Take(a, into, as)
	if err == nil {
		w.recorder.hold(a.From, w.Rank(), -a.Bytes)
	}
	return err
}
