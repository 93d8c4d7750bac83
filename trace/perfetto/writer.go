package perfetto

import (
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Track is where events are shown: a row, or a curve.
type Track uint64

// Arg is what is said of a slice or an instant.
type Arg struct {
	Name  string
	Value int64
}

// Writer writes a trace. Times are in nanoseconds. Events of a track that have the same time keep
// the order in which they are written; otherwise events may come in any order. Once writing has
// failed nothing more is written.
type Writer struct {
	to        io.Writer
	err       error
	sequence  uint32
	tracks    uint64
	begun     bool
	events    names
	arguments names

	packet, inner, field, names []byte // of the packet that is being made
}

// names are numbered from 1 on, in the order in which they first occur.
type names map[string]uint64

// NewWriter returns a writer with a sequence number, at least 1, that no other one has whose trace
// will stand in the same file.
func NewWriter(to io.Writer, sequence uint32) *Writer {
	return &Writer{to: to, sequence: sequence, events: names{}, arguments: names{}}
}

// Err returns what has gone wrong in writing.
func (w *Writer) Err() error { return w.err }

// Process describes a group of tracks, which has a number of at least 1. Its own track has no events.
func (w *Writer) Process(pid int, name string) Track {
	p := protowire.AppendTag(nil, processPID, protowire.VarintType)
	p = protowire.AppendVarint(p, uint64(pid))
	p = appendString(p, processName, name)
	return w.describe(0, "", trackProcess, p)
}

// Thread describes the track of a thread of a process, for slices.
func (w *Writer) Thread(process Track, pid, tid int, name string) Track {
	t := protowire.AppendTag(nil, threadPID, protowire.VarintType)
	t = protowire.AppendVarint(t, uint64(pid))
	t = protowire.AppendTag(t, threadTID, protowire.VarintType)
	t = protowire.AppendVarint(t, uint64(tid))
	t = appendString(t, threadName, name)
	return w.describe(process, "", trackThread, t)
}

// Slices describes a track of slices that is no thread.
func (w *Writer) Slices(parent Track, name string) Track { return w.describe(parent, name, 0, nil) }

// Counter describes a track of values.
func (w *Writer) Counter(parent Track, name, unit string) Track {
	return w.describe(parent, name, trackCounter, appendString(nil, counterUnitName, unit))
}

// describe writes a description of a new track, with a part that says what it is.
func (w *Writer) describe(parent Track, name string, kind protowire.Number, part []byte) Track {
	w.tracks++
	track := Track(uint64(w.sequence)<<32 | w.tracks)
	d := protowire.AppendTag(w.inner[:0], trackUUID, protowire.VarintType)
	d = protowire.AppendVarint(d, uint64(track))
	if parent != 0 {
		d = protowire.AppendTag(d, trackParent, protowire.VarintType)
		d = protowire.AppendVarint(d, uint64(parent))
	}
	if name != "" {
		d = appendString(d, trackName, name)
	}
	if kind != 0 {
		d = appendBytes(d, kind, part)
	}
	w.inner = d
	w.write(-1, packetTrackDescriptor)
	return track
}

// Begin begins a slice. flow 0: no flow begins there.
func (w *Writer) Begin(t Track, at int64, name string, flow uint64, args ...Arg) {
	w.event(t, sliceBegin)
	w.told(name, args)
	w.flow(eventFlows, flow)
	w.write(at, packetTrackEvent)
}

// End ends the slice of a track that has begun last.
func (w *Writer) End(t Track, at int64) {
	w.event(t, sliceEnd)
	w.write(at, packetTrackEvent)
}

// Instant says that something has happened. flow 0: no flow ends there.
func (w *Writer) Instant(t Track, at int64, name string, flow uint64, args ...Arg) {
	w.event(t, instant)
	w.told(name, args)
	w.flow(eventEndingFlows, flow)
	w.write(at, packetTrackEvent)
}

// Count gives a counter a value, which it has until it is given another.
func (w *Writer) Count(t Track, at int64, value float64) {
	w.event(t, counter)
	w.inner = protowire.AppendTag(w.inner, eventValue, protowire.Fixed64Type)
	w.inner = protowire.AppendFixed64(w.inner, math.Float64bits(value))
	w.write(at, packetTrackEvent)
}

// event begins an event of a type.
func (w *Writer) event(t Track, kind uint64) {
	e := protowire.AppendTag(w.inner[:0], eventType, protowire.VarintType)
	e = protowire.AppendVarint(e, kind)
	e = protowire.AppendTag(e, eventTrack, protowire.VarintType)
	w.inner = protowire.AppendVarint(e, uint64(t))
}

// told adds a name and arguments to an event.
func (w *Writer) told(name string, args []Arg) {
	w.inner = protowire.AppendTag(w.inner, eventName, protowire.VarintType)
	w.inner = protowire.AppendVarint(w.inner, w.number(w.events, internedEvents, name))
	for _, arg := range args {
		a := protowire.AppendTag(w.field[:0], argumentName, protowire.VarintType)
		a = protowire.AppendVarint(a, w.number(w.arguments, internedArguments, arg.Name))
		a = protowire.AppendTag(a, argumentInt, protowire.VarintType)
		w.field = protowire.AppendVarint(a, uint64(arg.Value))
		w.inner = appendBytes(w.inner, eventArguments, w.field)
	}
}

// number returns the number of a name, and has this packet tell it if it is new.
func (w *Writer) number(of names, kind protowire.Number, name string) uint64 {
	id, known := of[name]
	if !known {
		id = uint64(len(of)) + 1
		of[name] = id
		n := protowire.AppendTag(nil, internedID, protowire.VarintType)
		n = protowire.AppendVarint(n, id)
		w.names = appendBytes(w.names, kind, appendString(n, internedName, name))
	}
	return id
}

func (w *Writer) flow(field protowire.Number, flow uint64) {
	if flow != 0 {
		w.inner = protowire.AppendTag(w.inner, field, protowire.Fixed64Type)
		w.inner = protowire.AppendFixed64(w.inner, flow)
	}
}

// write writes a packet around what has been made. Descriptions have no time: -1.
func (w *Writer) write(at int64, kind protowire.Number) {
	p := w.packet[:0]
	if at >= 0 {
		p = protowire.AppendTag(p, packetTimestamp, protowire.VarintType)
		p = protowire.AppendVarint(p, uint64(at))
	}
	p = protowire.AppendTag(p, packetSequence, protowire.VarintType)
	p = protowire.AppendVarint(p, uint64(w.sequence))
	flags := uint64(needsState)
	if !w.begun {
		w.begun, flags = true, stateCleared|needsState
	}
	p = protowire.AppendTag(p, packetSequenceFlags, protowire.VarintType)
	p = protowire.AppendVarint(p, flags)
	if len(w.names) > 0 {
		p = appendBytes(p, packetInternedData, w.names)
		w.names = w.names[:0]
	}
	w.packet = appendBytes(p, kind, w.inner)
	w.field = protowire.AppendTag(w.field[:0], tracePacket, protowire.BytesType)
	w.field = protowire.AppendVarint(w.field, uint64(len(w.packet)))
	w.put(w.field)
	w.put(w.packet)
}

func (w *Writer) put(b []byte) {
	if w.err == nil {
		_, w.err = w.to.Write(b)
	}
}

func appendString(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func appendBytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}
