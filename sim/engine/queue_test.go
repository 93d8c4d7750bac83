package engine

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"musubi/units"

	"pgregory.net/rapid"
)

// oracle is a binary heap ordered by (time, sequence).
type oracle struct {
	events []Event
	seq    []int
}

func (o *oracle) Len() int { return len(o.events) }
func (o *oracle) Less(i, j int) bool {
	if o.events[i].At != o.events[j].At {
		return o.events[i].At < o.events[j].At
	}
	return o.seq[i] < o.seq[j]
}
func (o *oracle) Swap(i, j int) {
	o.events[i], o.events[j] = o.events[j], o.events[i]
	o.seq[i], o.seq[j] = o.seq[j], o.seq[i]
}
func (o *oracle) Push(any) {}
func (o *oracle) Pop() any {
	n := len(o.events) - 1
	e := o.events[n]
	o.events, o.seq = o.events[:n], o.seq[:n]
	return e
}

func (o *oracle) push(e Event, seq int) {
	o.events, o.seq = append(o.events, e), append(o.seq, seq)
	heap.Fix(o, len(o.events)-1)
}

// next returns the time of the next event, and units.Never if there is none.
func (o *oracle) next() units.Time {
	if o.Len() == 0 {
		return units.Never
	}
	return o.events[0].At
}

func TestQueueAgreesWithBinaryHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue
		var o oracle
		for seq := range rapid.IntRange(1, 300).Draw(t, "operations") {
			if rapid.IntRange(0, 2).Draw(t, "what") > 0 {
				delay := rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 1<<40)).Draw(t, "delay")
				if rapid.Bool().Draw(t, "round") { // to meet others that were pushed when the time was far away
					const turn = wheelSlots << slotBits
					delay = (int64(q.Now())/turn+1+delay%3)*turn + turn/2 - int64(q.Now())
				}
				e := Event{At: q.Now() + units.Time(delay), A: uint32(seq)}
				q.Push(e)
				o.push(e, seq)
				continue
			}
			next := o.next()
			limit := rapid.SampledFrom([]units.Time{next - 1, next, units.Never}).Draw(t, "limit")
			got := q.PopUntil(limit)
			if (got != nil) != (o.Len() > 0 && o.events[0].At <= limit) {
				t.Fatalf("pop until %v: %v with %d events waiting", limit, got, o.Len())
			}
			if got != nil {
				if want := heap.Pop(&o).(Event); *got != want {
					t.Fatalf("popped %+v, want %+v", *got, want)
				}
			}
			if q.Len() != o.Len() {
				t.Fatalf("%d events waiting, want %d", q.Len(), o.Len())
			}
		}
	})
}

// TestDenseQueueAgreesWithBinaryHeap holds thousands of events in a few
// nanoseconds, then fewer, then many again, beside some that are far away.
func TestDenseQueueAgreesWithBinaryHeap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var q Queue
	var o oracle
	seq := 0
	push := func(delay int64) {
		e := Event{At: q.Now() + units.Time(delay), A: uint32(seq)}
		q.Push(e)
		o.push(e, seq)
		seq++
	}
	for _, pending := range []int{20_000, 10, 200_000, 5000, 0} {
		for range 40_000 {
			for o.Len() < pending {
				push(rng.Int64N(300_000))
			}
			if rng.IntN(100) == 0 {
				push(rng.Int64N(20_000_000))
			}
			got, ok := q.Pop()
			if !ok {
				break
			}
			if want := heap.Pop(&o).(Event); got != want {
				t.Fatalf("with %d pending: popped %+v, want %+v", pending, got, want)
			}
		}
	}
	if q.Len() != o.Len() {
		t.Errorf("%d events left, want %d", q.Len(), o.Len())
	}
}

func TestQueueRefusesThePast(t *testing.T) {
	var q Queue
	q.Push(Event{At: 10})
	q.Pop()
	defer func() {
		if recover() == nil {
			t.Error("an event in the past was accepted")
		}
	}()
	q.Push(Event{At: 9})
}

// An event that is too far off is refused wherever it would go, also if its time has wrapped around.
func TestQueueRefusesWhatIsBeyondItsHorizon(t *testing.T) {
	for _, now := range []units.Time{0, 10 * units.Second, horizon} {
		for _, after := range []units.Time{horizon + 1, units.Never - 10*units.Second, units.Never} {
			func() {
				var q Queue
				q.Push(Event{At: now})
				q.Pop()
				defer func() {
					if got := recover(); got != any(ErrHorizon) {
						t.Errorf("an event %v after %v: panic %v; want ErrHorizon", after, now, got)
					}
				}()
				q.Push(Event{At: now + after})
			}()
		}
	}
}

func BenchmarkQueue(b *testing.B) {
	for _, pending := range []int{1e3, 1e5, 1e6} {
		b.Run(fmt.Sprintf("pending=%d", pending), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			delays := make([]units.Time, 4096)
			for i := range delays {
				delays[i] = units.Time(5000 + rng.IntN(200_000))
			}
			var q Queue
			for i := range pending {
				q.Push(Event{At: delays[i%len(delays)]})
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e, _ := q.Pop()
				e.At += delays[i%len(delays)]
				q.Push(e)
			}
		})
	}
}

// The queue needs memory for the events that wait, not for those that have been handled.
func TestQueueUsesItsMemoryAgain(t *testing.T) {
	const events, most = 300_000, 256 << 10
	var q Queue
	for i := range 10 {
		q.Push(Event{At: units.Time(i)})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range events {
		e, _ := q.Pop()
		e.At += units.Time(1000 + i%7*10_000)
		q.Push(e)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > most {
		t.Errorf("%d events in turn, ten at a time, take %d bytes; expected at most %d", events, n, most)
	}
}

// What Ahead tells is what comes, but for events of the present time, and it tells of most events that come at once.
func TestAheadIsWhatComes(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var q Queue
		told, asked := 0, 0
		const places = 12
		for number := range uint32(500) {
			for range rng.IntN(80) {
				q.Push(Event{At: q.Now() + units.Time(rng.Int64N(1+rng.Int64N(2000))/300*300), A: number, Args: Args{B: rng.Uint32()}})
			}
			var ahead []Event
			for e := q.Ahead(0); e != nil && len(ahead) < places; e = q.Ahead(len(ahead)) {
				ahead = append(ahead, *e)
			}
			told, asked = told+len(ahead), asked+min(places, q.Len())
			now := q.Now()
			for i, want := range ahead {
				e, ok := q.Pop()
				for ; ok && e != want && e.At == now; e, ok = q.Pop() {
				}
				if e != want {
					t.Fatalf("seed %d: event %d ahead is %+v, and %+v comes (%v)", seed, i, want, e, ok)
				}
			}
			for q.Len() > 200 {
				q.Pop()
			}
		}
		if told < asked/4 {
			t.Errorf("seed %d: %d of %d events ahead are told", seed, told, asked)
		}
	}
}

// Events for the present time come behind those that were pushed before, and leave the ones that come later where Ahead tells
// them, however many these are.
func TestEventsForThePresentWaitInLine(t *testing.T) {
	const later = 100 // times, in one slot
	var q Queue
	for i := range 2 * later {
		q.Push(Event{At: units.Time(100 + i/2)})
	}
	for range later {
		now, _ := q.Pop()
		q.Push(Event{At: now.At, A: 1})
		q.Push(Event{At: now.At, A: 2})
		for places := range 5 {
			want := Event{At: now.At + units.Time((places+1)/2)}
			if got := q.Ahead(places); want.At < 100+later && (got == nil || *got != want) {
				t.Fatalf("at %v event %d ahead is %+v; expected %+v", now.At, places, got, want)
			}
		}
		for line := range uint32(3) {
			if got, _ := q.Pop(); got != (Event{At: now.At, A: line}) {
				t.Fatalf("at %v event %d is %+v", now.At, line, got)
			}
		}
	}
	if q.Len() > 0 {
		t.Errorf("%d events are left", q.Len())
	}
}
