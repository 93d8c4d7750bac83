package cmdq

import "testing"

// round lets a queue of an engine go through a round of FAST: post RTR, SD and EOD,
// release two of them, carry all out, take their completions.
func (r *fastRound) round() bool {
	if !r.queue.Post(r.program[:]...) {
		return false
	}
	r.queue.Arrive(len(r.program), nil)
	for range r.program {
		q, position, command := r.engine.Next()
		if q == nil || *command > 2 || !q.Complete(position, nil) {
			return false
		}
	}
	for range r.program {
		if done, err := r.queue.Completion(); !done || err != nil {
			return false
		}
	}
	return true
}

type fastRound struct {
	engine  Engine[uint64]
	queue   *Queue[uint64]
	program [3]uint64
}

// newFastRound is a round on the first of a number of queues of an engine.
func newFastRound(tb testing.TB, queues int) *fastRound {
	r := &fastRound{program: [3]uint64{0, 1, 2}}
	for range queues {
		q, err := NewQueue[uint64](QueueConfig{Session: true, Lead: 1, Entries: 64, Notices: 1})
		if err != nil {
			tb.Fatal(err)
		}
		r.engine.Add(q)
		r.queue = q
	}
	return r
}

func TestCommandsDoNotAllocate(t *testing.T) {
	r := newFastRound(t, 3)
	if n := testing.AllocsPerRun(100, func() {
		if !r.round() {
			t.Error("a round does not come to its end")
		}
	}); n > 0 {
		t.Errorf("a round allocates %v times", n)
	}
}

func BenchmarkCommandQueue(b *testing.B) {
	for _, c := range []struct {
		name   string
		queues int
	}{{"queues=1", 1}, {"queues=12", 12}} {
		b.Run(c.name, func(b *testing.B) {
			r := newFastRound(b, c.queues)
			b.ReportAllocs()
			for b.Loop() {
				if !r.round() {
					b.Fatal("a round does not come to its end")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(r.program)), "ns/command")
		})
	}
}
