package calls

import (
	"go/token"
	"runtime"
	"strings"
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
	names  map[uintptr]uint32
	part   Part
	inside bool // a call
	closed bool
}

var _ rma.Recorder = (*Rank)(nil)

// New returns a rank of a host.
func New(host string) *Rank { return &Rank{names: map[uintptr]uint32{}, part: Part{Host: host}} }

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
func (r *Rank) Enter(units.Time) {
	r.add(Event{Kind: Begin, Name: r.call()})
	r.inside = true
}

// Leave implements rma.Recorder. The first one is that of the call that the library begins in.
func (r *Rank) Leave(units.Time) {
	if r.inside {
		r.add(Event{Kind: End})
		r.inside = false
	}
}

// internals begins the names of functions that are not what a program calls.
const internals = "musubi/mpi/internal/"

// call returns the number of the function of the library that the program has called: the innermost one that
// programs can call.
func (r *Rank) call() uint32 {
	var callers [16]uintptr
	n := runtime.Callers(3, callers[:]) // call and Enter stand before it
	if n == 0 {
		return r.number(0, "call")
	}
	frames := runtime.CallersFrames(callers[:n])
	for {
		f, more := frames.Next()
		name := shortName(f.Function)
		if !more || !strings.HasPrefix(f.Function, internals) && token.IsExported(name) {
			return r.number(f.Entry, name)
		}
	}
}

// number returns the number of a name, which belongs to a function.
func (r *Rank) number(function uintptr, name string) uint32 {
	n, known := r.names[function]
	if !known {
		n = uint32(len(r.part.Names))
		r.names[function] = n
		r.part.Names = append(r.part.Names, name)
	}
	return n
}

// shortName returns the name of a function without its package, its type and its type parameters.
func shortName(function string) string {
	name := function[strings.LastIndexByte(function, '/')+1:]
	name, _, _ = strings.Cut(name, "[")
	return name[strings.LastIndexByte(name, '.')+1:]
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
