package record

import (
	"bytes"
	"encoding/gob"
	"reflect"
	"testing"

	"musubi/rma"
	"musubi/trace/schedule"
	"musubi/units"

	"pgregory.net/rapid"
)

// A job that is recorded in parts is the one that is recorded as a whole, but for the numbers of tags:
// messages that have the same number here have the same there.
func TestPartsAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ranks = 3
		whole := New(ranks)
		parts := make([]Part, ranks)
		for i := range ranks {
			alone, now := Alone(0), units.Time(0)
			for _, r := range []*Rank{alone, whole.Rank(i)} {
				r.Leave(0)
			}
			for range rapid.IntRange(0, 20).Draw(t, "calls") {
				now += units.Time(rapid.IntRange(0, 5).Draw(t, "passes"))
				context, tag := rapid.Uint32Range(0, 2).Draw(t, "context"), rapid.SampledFrom([]int32{0, 7, firstNumber, -3}).Draw(t, "tag")
				to, size, kind := rapid.IntRange(0, ranks-1).Draw(t, "peer"), rapid.IntRange(0, 9).Draw(t, "size"), rapid.IntRange(0, 2).Draw(t, "kind")
				for _, r := range []*Rank{alone, whole.Rank(i)} {
					record(r, kind, now, to, context, tag, size)
				}
			}
			parts[i] = sent(t, alone.Part())
		}
		want, err1 := whole.Schedule()
		got, err2 := Join(parts).Schedule()
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		compare(t, got, want)
	})
}

// record makes a call of the library that begins now.
func record(r *Rank, kind int, now units.Time, peer int, context uint32, tag int32, size int) {
	r.Enter("", now)
	var ended rma.Recording
	if kind == 0 {
		ended = r.Send(0, peer, context, tag, size)
	} else {
		ended = r.Receive(0)
		if kind == 1 { // else it never gets a message
			r.Match(ended, peer, context, tag, size)
		}
	}
	r.Await(0, ended)
	r.Leave(now)
}

// sent returns what arrives of a part that goes to another process.
func sent(t *rapid.T, p Part) (there Part) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(p); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&b).Decode(&there); err != nil {
		t.Fatal(err)
	}
	return there
}

func compare(t *rapid.T, got, want *schedule.Schedule) {
	numbers, back := map[uint32]uint32{}, map[uint32]uint32{}
	for rank := range want.Ranks {
		g, w := &got.Ranks[rank], &want.Ranks[rank]
		if len(g.Ops) != len(w.Ops) || len(g.Next)+len(w.Next) > 0 && !reflect.DeepEqual(g.Next, w.Next) {
			t.Fatalf("rank %d: %d operations, and %v; expected %d and %v", rank, len(g.Ops), g.Next, len(w.Ops), w.Next)
		}
		for i := range w.Ops {
			a, b := g.Ops[i], w.Ops[i]
			if a.Kind != schedule.Calc {
				if n, known := numbers[b.Tag]; known && n != a.Tag {
					t.Fatalf("rank %d: tag %d is %d and %d", rank, b.Tag, n, a.Tag)
				}
				if n, known := back[a.Tag]; known && n != b.Tag {
					t.Fatalf("rank %d: tags %d and %d are both %d", rank, n, b.Tag, a.Tag)
				}
				numbers[b.Tag], back[a.Tag] = a.Tag, b.Tag
				a.Tag = b.Tag
			}
			if a != b {
				t.Fatalf("rank %d, operation %d: %+v; expected %+v", rank, i, a, b)
			}
		}
	}
}
