package calls

import (
	"time"

	"musubi/rma"
	"musubi/units"
)

// Kind is what an event is.
type Kind uint8

// The kinds of events.
const (
	Begin Kind = iota // of a call
	End
	Send
	Arrive // a receive has got its message
)

// Event is something that a rank has noted.
type Event struct {
	At      int64 // in nanoseconds of the clock that all processes of a host share
	Kind    Kind
	Name    uint32 // of a call, in Part.Names
	Peer    int32
	Context uint32 // of a message, with its tag
	Tag     int32
	Bytes   int64
}

// Part is what one rank has noted.
type Part struct {
	Host   string
	Names  []string
	Events []Event
}

// Rank notes what a rank does. It implements rma.Recorder.
type Rank struct {
	names  map[string]uint32
	part   Part
	inside bool // a call
	closed bool
}

var _ rma.Recorder = (*Rank)(nil)

// New returns a rank of a host.
func New(host string) *Rank { return &Rank{names: map[string]uint32{}, part: Part{Host: host}} }

// Part returns what has been noted.
func (r *Rank) Part() Part { return r.part }

// add notes an event now, by the clock that all processes share: a rank's own begins with the rank.
func (r *Rank) add(e Event) {
	if !r.closed {
		e.At = time.Now().UnixNano()
		r.part.Events = append(r.part.Events, e)
	}
}

// Enter implements rma.Recorder.
func (r *Rank) Enter(call string, _ units.Time) {
	r.add(Event{Kind: Begin, Name: r.number(call)})
	r.inside = true
}

// Leave implements rma.Recorder. The first one is that of the call that the library begins in.
func (r *Rank) Leave(units.Time) {
	if r.inside {
		r.add(Event{Kind: End})
		r.inside = false
	}
}

// number returns the number of a name.
func (r *Rank) number(name string) uint32 {
	n, known := r.names[name]
	if !known {
		n = uint32(len(r.part.Names))
		r.names[name] = n
		r.part.Names = append(r.part.Names, name)
	}
	return n
}

// Send implements rma.Recorder.
func (r *Rank) Send(_ rma.Strand, to int, context uint32, tag int32, bytes int) rma.Recording {
	r.add(Event{Kind: Send, Peer: int32(to), Context: context, Tag: tag, Bytes: int64(bytes)})
	return 0
}

// Receive implements rma.Recorder. Only receives with a number are told of again; which it is does not matter.
func (r *Rank) Receive(rma.Strand) rma.Recording { return 1 }

// Match implements rma.Recorder.
func (r *Rank) Match(_ rma.Recording, from int, context uint32, tag int32, bytes int) {
	r.add(Event{Kind: Arrive, Peer: int32(from), Context: context, Tag: tag, Bytes: int64(bytes)})
}

// Await implements rma.Recorder.
func (r *Rank) Await(rma.Strand, rma.Recording) {}

// Fork implements rma.Recorder.
func (r *Rank) Fork() rma.Strand { return 0 }

// Join implements rma.Recorder.
func (r *Rank) Join(rma.Strand) {}

// Beside implements rma.Recorder: calls are noted, whatever they do.
func (r *Rank) Beside(string) {}

// Close implements rma.Recorder.
func (r *Rank) Close() { r.closed = true }
