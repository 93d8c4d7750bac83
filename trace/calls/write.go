package calls

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"musubi/trace/perfetto"
)

// Write writes the timeline of a job that these are the ranks of. It fails if none has noted anything.
func Write(to io.Writer, parts []Part) error {
	t := timeline{w: perfetto.NewWriter(to, 1), began: math.MaxInt64, streams: map[stream]*passed{}}
	for rank := range parts {
		t.describe(rank, &parts[rank])
	}
	if len(t.events) == 0 {
		return errors.New("no rank calls package mpi, whose calls a timeline of processes shows")
	}
	slices.SortStableFunc(t.events, func(a, b event) int { return cmp.Compare(a.At, b.At) })
	for i := range t.events {
		t.add(&t.events[i], parts)
	}
	return t.w.Err()
}

// event is an event of a rank.
type event struct {
	Event
	rank int
}

// stream is messages of a kind from one rank to another, which arrive in the order in which they were sent.
type stream struct {
	from, to int
	context  uint32
	tag      int32
}

// passed is what has passed on a stream.
type passed struct{ number, sent, arrived uint64 }

type timeline struct {
	w       *perfetto.Writer
	tracks  []perfetto.Track
	events  []event
	began   int64 // the earliest time
	streams map[stream]*passed
}

// describe makes the track of a rank.
func (t *timeline) describe(rank int, p *Part) {
	pid := rank + 1
	t.tracks = append(t.tracks, t.w.Thread(t.w.Process(pid, fmt.Sprintf("rank %d on %s", rank, p.Host)), pid, pid, "program"))
	for _, e := range p.Events {
		t.began = min(t.began, e.At)
		t.events = append(t.events, event{e, rank})
	}
}

func (t *timeline) add(e *event, parts []Part) {
	track, at := t.tracks[e.rank], e.At-t.began
	bytes := perfetto.Arg{Name: "bytes", Value: e.Bytes}
	switch e.Kind {
	case Begin:
		t.w.Begin(track, at, parts[e.rank].Names[e.Name], 0)
	case End:
		t.w.End(track, at)
	case Send: // an arrow begins at a slice only
		p := t.passed(e, e.rank, int(e.Peer))
		p.sent++
		t.w.Begin(track, at, "send", p.flow(p.sent), perfetto.Arg{Name: "to", Value: int64(e.Peer)}, bytes)
		t.w.End(track, at)
	case Arrive:
		p := t.passed(e, int(e.Peer), e.rank)
		p.arrived++
		t.w.Instant(track, at, "arrival", p.flow(p.arrived), perfetto.Arg{Name: "from", Value: int64(e.Peer)}, bytes)
	}
}

// passed returns what has passed on the stream of a message.
func (t *timeline) passed(e *event, from, to int) *passed {
	s := stream{from, to, e.Context, e.Tag}
	if t.streams[s] == nil {
		t.streams[s] = &passed{number: uint64(len(t.streams)) + 1}
	}
	return t.streams[s]
}

// flow returns the number of the n-th message among all messages.
func (p *passed) flow(n uint64) uint64 { return p.number<<32 | n }
