// Package tracetest reads timelines back, for tests: with a compiler and a decoder of protobuf that
// know the format from its definitions, and nothing of what has written them.
package tracetest

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

//go:embed perfetto.proto
var definitions string

// Timeline is a trace as a reader sees it.
type Timeline struct {
	Tracks []*Track
}

// Track is what has events.
type Track struct {
	Process, Name string
	Unit          string // of a counter
	Slices        []*Slice
	Instants      []*Slice // without an end
	Values        []Value
}

// Slice is something that lasts.
type Slice struct {
	Name       string
	Begin, End int64 // nanoseconds
	Depth      int   // slices around it
	Flow       uint64
	Args       map[string]int64
}

// Value is what a counter is set to.
type Value struct {
	At    int64
	Value float64
}

// Find returns the track with these names; nil if there is none.
func (l *Timeline) Find(process, name string) *Track {
	for _, t := range l.Tracks {
		if t.Process == process && t.Name == name {
			return t
		}
	}
	return nil
}

// Busy returns the area under a counter in percent: for how many nanoseconds it would have had 100.
func (t *Track) Busy() float64 {
	sum := 0.0
	for i, v := range t.Values[:len(t.Values)-1] {
		sum += v.Value / 100 * float64(t.Values[i+1].At-v.At)
	}
	return sum
}

// reader decodes packets, and keeps what they tell of later ones.
type reader struct {
	t      testing.TB
	tracks map[uint64]*track
	order  []*track
	names  map[uint64]*interned // by sequence
}

type track struct {
	Track
	parent uint64
	events []event
}

type interned struct{ events, arguments map[uint64]string }

type event struct {
	kind        string
	at          int64
	name        string
	begins, end uint64 // flows
	value       float64
	args        map[string]int64
}

// Read decodes a trace. It fails the test if that has fields or types that the format does not know,
// names that were not told, events without a track, or slices that do not nest.
func Read(t testing.TB, data []byte) *Timeline {
	t.Helper()
	message := dynamicpb.NewMessage(descriptor(t))
	if err := (proto.UnmarshalOptions{}).Unmarshal(data, message); err != nil {
		t.Fatalf("trace of %d bytes: %v", len(data), err)
	}
	noUnknown(t, message)
	r := &reader{t: t, tracks: map[uint64]*track{}, names: map[uint64]*interned{}}
	packets := field(message, "packet").List()
	for i := range packets.Len() {
		r.packet(packets.Get(i).Message())
	}
	line := &Timeline{}
	for _, k := range r.order {
		if p := r.tracks[k.parent]; p != nil {
			k.Process = p.Name
		}
		k.nest(t)
		line.Tracks = append(line.Tracks, &k.Track)
	}
	return line
}

func descriptor(t testing.TB) protoreflect.MessageDescriptor {
	t.Helper()
	c := protocompile.Compiler{Resolver: &protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{"perfetto.proto": definitions}),
	}}
	files, err := c.Compile(context.Background(), "perfetto.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0].Messages().ByName("Trace")
}

func noUnknown(t testing.TB, m protoreflect.Message) {
	t.Helper()
	if len(m.GetUnknown()) > 0 {
		t.Fatalf("%s has unknown fields: %x", m.Descriptor().Name(), m.GetUnknown())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Kind() != protoreflect.MessageKind:
		case f.IsList():
			for i := range v.List().Len() {
				noUnknown(t, v.List().Get(i).Message())
			}
		default:
			noUnknown(t, v.Message())
		}
		return true
	})
}

func field(m protoreflect.Message, name protoreflect.Name) protoreflect.Value {
	return m.Get(m.Descriptor().Fields().ByName(name))
}

func has(m protoreflect.Message, name protoreflect.Name) bool {
	return m.Has(m.Descriptor().Fields().ByName(name))
}

func (r *reader) packet(m protoreflect.Message) {
	sequence := field(m, "trusted_packet_sequence_id").Uint()
	if sequence == 0 {
		r.t.Fatal("a packet has no sequence")
	}
	flags := field(m, "sequence_flags").Uint()
	if flags&1 != 0 {
		r.names[sequence] = &interned{map[uint64]string{}, map[uint64]string{}}
	}
	names := r.names[sequence]
	if flags&2 == 0 || names == nil {
		r.t.Fatalf("a packet of sequence %d has flags %d; expected one with names before it", sequence, flags)
	}
	told := field(m, "interned_data").Message()
	learn(told, "event_names", names.events)
	learn(told, "debug_annotation_names", names.arguments)
	if has(m, "track_descriptor") {
		r.describe(field(m, "track_descriptor").Message())
		return
	}
	if !has(m, "timestamp") {
		r.t.Fatal("an event has no time")
	}
	r.event(int64(field(m, "timestamp").Uint()), field(m, "track_event").Message(), names)
}

func learn(m protoreflect.Message, name protoreflect.Name, into map[uint64]string) {
	list := field(m, name).List()
	for i := range list.Len() {
		into[field(list.Get(i).Message(), "iid").Uint()] = field(list.Get(i).Message(), "name").String()
	}
}

func (r *reader) describe(m protoreflect.Message) {
	id := field(m, "uuid").Uint()
	k := &track{parent: field(m, "parent_uuid").Uint()}
	k.Name = field(m, "name").String()
	switch {
	case has(m, "process"):
		k.Name = field(field(m, "process").Message(), "process_name").String()
	case has(m, "thread"):
		k.Name = field(field(m, "thread").Message(), "thread_name").String()
	case has(m, "counter"):
		k.Unit = field(field(m, "counter").Message(), "unit_name").String()
	}
	if r.tracks[id] != nil || k.parent != 0 && r.tracks[k.parent] == nil {
		r.t.Fatalf("track %d, %q in %d, is described twice, or before what it is in", id, k.Name, k.parent)
	}
	r.tracks[id] = k
	r.order = append(r.order, k)
}

func (r *reader) event(at int64, m protoreflect.Message, names *interned) {
	k := r.tracks[field(m, "track_uuid").Uint()]
	if k == nil {
		r.t.Fatalf("an event at %d is on no track", at)
	}
	number := field(m, "type").Enum()
	e := event{at: at, kind: string(m.Descriptor().Fields().ByName("type").Enum().Values().ByNumber(number).Name()), args: map[string]int64{}}
	e.value = field(m, "double_counter_value").Float()
	if id := field(m, "name_iid").Uint(); id != 0 {
		if e.name = names.events[id]; e.name == "" {
			r.t.Fatalf("an event at %d has name %d, which is not told", at, id)
		}
	}
	e.begins, e.end = only(m, "flow_ids"), only(m, "terminating_flow_ids")
	args := field(m, "debug_annotations").List()
	for i := range args.Len() {
		arg := args.Get(i).Message()
		e.args[names.arguments[field(arg, "name_iid").Uint()]] = field(arg, "int_value").Int()
	}
	k.events = append(k.events, e)
}

func only(m protoreflect.Message, name protoreflect.Name) uint64 {
	if list := field(m, name).List(); list.Len() > 0 {
		return list.Get(0).Uint()
	}
	return 0
}

// nest puts the events of a track in the order of time, and makes slices of them.
func (k *track) nest(t testing.TB) {
	t.Helper()
	slices.SortStableFunc(k.events, func(a, b event) int { return int(a.at - b.at) })
	var open []*Slice
	for _, e := range k.events {
		switch s := (&Slice{Name: e.name, Begin: e.at, End: e.at, Depth: len(open), Flow: e.begins + e.end, Args: e.args}); e.kind {
		case "TYPE_SLICE_BEGIN":
			k.Slices, open = append(k.Slices, s), append(open, s)
		case "TYPE_SLICE_END":
			if len(open) == 0 {
				t.Fatalf("track %q of %q: the slice that ends at %d has not begun", k.Name, k.Process, e.at)
			}
			open[len(open)-1].End = e.at
			open = open[:len(open)-1]
		case "TYPE_INSTANT":
			k.Instants = append(k.Instants, s)
		case "TYPE_COUNTER":
			k.Values = append(k.Values, Value{e.at, e.value})
		default:
			t.Fatalf("track %q: event of type %s", k.Name, e.kind)
		}
	}
	if len(open) > 0 {
		t.Fatalf("track %q of %q: %s, begun at %d, does not end", k.Name, k.Process, fmt.Sprint(open[0].Name), open[0].Begin)
	}
}
