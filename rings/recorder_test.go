package rings_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"musubi/rings"
	"musubi/rma"

	"github.com/google/go-cmp/cmp"
)

// script is a process of which only the calls that a recorder looks at do anything:
// they return what the test says.
type script struct {
	rma.Process
	rank, size int
	arrivals   []rma.Arrival
	err        error
	calls      []string
}

func (s *script) Rank() int { return s.rank }
func (s *script) Size() int { return s.size }

func (s *script) called(format string, args ...any) (rma.Op, error) {
	s.calls = append(s.calls, fmt.Sprintf(format, args...))
	return rma.Op(len(s.calls)), s.err
}

func (s *script) Push(to rma.Address, data []byte, by rma.Mechanism) (rma.Op, error) {
	return s.called("Push %v %d %v", to, len(data), by)
}

func (s *script) PushLayout(to rma.Address, scatter rma.Layout, data []byte, gather rma.Layout, by rma.Mechanism) (rma.Op, error) {
	return s.called("PushLayout %v %d %d %d %v", to, scatter.Bytes(), len(data), gather.Bytes(), by)
}

func (s *script) IPush(to int, data []byte, by rma.Mechanism) (rma.Op, error) {
	return s.called("IPush %d %d %v", to, len(data), by)
}

func (s *script) Next() (rma.Arrival, error) {
	_, err := s.called("Next")
	if err != nil {
		return rma.Arrival{}, err
	}
	a := s.arrivals[0]
	s.arrivals = s.arrivals[1:]
	return a, nil
}

func (s *script) Take(a rma.Arrival, into []byte, as rma.Caching) error {
	_, err := s.called("Take %d %d %d", a.Record, len(into), as)
	return err
}

// job is a recorded job of scripts.
type job struct {
	t        *testing.T
	recorder *rings.Recorder
	scripts  []*script
}

func newJob(t *testing.T, ranks int) *job {
	j := &job{t: t, recorder: rings.NewRecorder(ranks, packet)}
	for rank := range ranks {
		j.scripts = append(j.scripts, &script{rank: rank, size: ranks})
	}
	return j
}

func (j *job) process(rank int) rma.Process { return j.recorder.Watch(j.scripts[rank]) }

func (j *job) send(from, to, bytes int) {
	j.t.Helper()
	if _, err := j.process(from).IPush(to, make([]byte, bytes), rma.DMA); err != nil {
		j.t.Fatal(err)
	}
}

// next takes an arrival off the status ring of a rank.
func (j *job) next(to, from, bytes int, last bool) rma.Arrival {
	j.t.Helper()
	j.scripts[to].arrivals = []rma.Arrival{{From: from, Bytes: bytes, Last: last}}
	a, err := j.process(to).Next()
	if err != nil {
		j.t.Fatal(err)
	}
	return a
}

func (j *job) take(to int, a rma.Arrival) {
	j.t.Helper()
	if err := j.process(to).Take(a, nil, rma.Cached); err != nil {
		j.t.Fatal(err)
	}
}

func (j *job) expect(rank int, want rings.Process) {
	j.t.Helper()
	if diff := cmp.Diff(want, j.recorder.Record().Processes[rank]); diff != "" {
		j.t.Errorf("record of rank %d (-want +got):\n%s", rank, diff)
	}
}

func TestRecorderCountsWhatIsTakenOffTheStatusRing(t *testing.T) {
	j := newJob(t, 3)
	j.send(2, 0, 250)
	j.send(1, 0, 30)
	j.next(0, 2, 100, false)
	j.next(0, 1, 30, true)
	j.next(0, 2, 100, false)
	j.next(0, 2, 50, true)
	j.expect(0, rings.Process{Rank: 0, Peak: 280, Partners: []rings.Partner{
		{Rank: 1, Messages: 1, Bytes: 30, Largest: 30, Burst: 30},
		{Rank: 2, Messages: 1, Bytes: 250, Largest: 250, Burst: 250},
	}})
	j.expect(1, rings.Process{Rank: 1})
}

func TestBurstsEndWithTake(t *testing.T) {
	j := newJob(t, 3)
	j.send(1, 0, 100)
	j.send(1, 0, 200)
	first, second := j.next(0, 1, 100, true), j.next(0, 1, 200, true)
	j.take(0, first)
	j.send(2, 0, 50)  // 250 in all
	j.send(1, 0, 120) // 320 of rank 1, 370 in all
	j.take(0, second)
	j.send(2, 0, 150) // 200 of rank 2, 320 in all
	j.expect(0, rings.Process{Rank: 0, Peak: 370, Partners: []rings.Partner{
		{Rank: 1, Messages: 2, Bytes: 300, Largest: 200, Burst: 320},
		{Rank: 2, Largest: 150, Burst: 200},
	}})
}

func TestRanksMaySendToThemselves(t *testing.T) {
	j := newJob(t, 1)
	j.send(0, 0, 10)
	j.take(0, j.next(0, 0, 10, true))
	j.expect(0, rings.Process{Peak: 10, Partners: []rings.Partner{{Messages: 1, Bytes: 10, Largest: 10, Burst: 10}}})
}

func TestPushesAreCountedApart(t *testing.T) {
	j := newJob(t, 2)
	to := rma.Address{Rank: 1}
	if _, err := j.process(0).Push(to, make([]byte, 8), rma.DMA); err != nil {
		t.Fatal(err)
	}
	if _, err := j.process(0).PushLayout(to, rma.Layout{}, make([]byte, 8), rma.Layout{}, rma.DMA); err != nil {
		t.Fatal(err)
	}
	j.expect(1, rings.Process{Rank: 1, Partners: []rings.Partner{{Rank: 0, Pushes: 2}}})
}

func TestWhatFailsIsNotCounted(t *testing.T) {
	j := newJob(t, 2)
	failure := errors.New("no")
	j.scripts[0].err, j.scripts[1].err = failure, failure
	p := j.process(0)
	check := func(call string, err error) {
		t.Helper()
		if !errors.Is(err, failure) {
			t.Errorf("%s: error %v; expected that of the process inside", call, err)
		}
	}
	for _, to := range []int{-1, 0, 1, 2} {
		_, err := p.IPush(to, make([]byte, 50), rma.DMA)
		check("IPush", err)
		_, err = p.Push(rma.Address{Rank: to}, nil, rma.DMA)
		check("Push", err)
		_, err = p.PushLayout(rma.Address{Rank: to}, rma.Layout{}, nil, rma.Layout{}, rma.DMA)
		check("PushLayout", err)
	}
	_, err := j.process(1).Next()
	check("Next", err)
	check("Take", j.process(1).Take(rma.Arrival{From: 0, Bytes: 50}, nil, rma.Cached))

	j.scripts[0].err, j.scripts[1].err = nil, nil
	j.send(0, 1, 20)
	a := j.next(1, 0, 20, true)
	j.scripts[1].err = failure
	check("Take", j.process(1).Take(a, nil, rma.Cached))
	j.send(0, 1, 40)
	for _, p := range j.recorder.Record().Processes {
		for _, q := range p.Partners {
			if q.Pushes != 0 || q.Largest > 40 {
				t.Errorf("rank %d: failed messages are in %+v", p.Rank, q)
			}
		}
	}
	if got := j.recorder.Record().Processes[1].Partners[0]; got.Messages != 1 || got.Burst != 60 {
		t.Errorf("%+v; expected 1 message, and a burst of 60 as the Take failed", got)
	}
}

// A world may report a target that does not exist with Wait only.
func TestOperationsToNobodyAreNotCounted(t *testing.T) {
	j := newJob(t, 2)
	p := j.process(0)
	for _, to := range []int{-1, 2} {
		_, pushed := p.Push(rma.Address{Rank: to}, nil, rma.DMA)
		_, scattered := p.PushLayout(rma.Address{Rank: to}, rma.Layout{}, nil, rma.Layout{}, rma.DMA)
		_, appended := p.IPush(to, nil, rma.DMA)
		if err := errors.Join(pushed, scattered, appended); err != nil {
			t.Fatal(err)
		}
	}
	j.expect(0, rings.Process{Rank: 0})
	j.expect(1, rings.Process{Rank: 1})
}

// What a program asks for reaches the process inside as it is.
func TestWatchedProcessesForward(t *testing.T) {
	j := newJob(t, 5)
	inside := j.scripts[3]
	inside.arrivals = []rma.Arrival{{From: 1, Bytes: 7, Record: 42}}
	p := j.process(3)
	ops := []rma.Op{1, 2, 3}
	to := rma.Address{Rank: 4, Segment: 2, Offset: 16}
	var got [3]rma.Op
	got[0], _ = p.Push(to, make([]byte, 5), rma.BOTF)
	got[1], _ = p.PushLayout(to, rma.Strided(2, 4, 3), make([]byte, 9), rma.List(3, 0, 6), rma.DMA)
	got[2], _ = p.IPush(4, make([]byte, 11), rma.BOTF)
	a, _ := p.Next()
	if err := p.Take(a, make([]byte, 7), rma.Uncached); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ops, got[:]); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	want := "Push rank 4 segment 2 offset 16 5 botf; PushLayout rank 4 segment 2 offset 16 6 9 6 dma; IPush 4 11 botf; Next; Take 42 7 1"
	if diff := cmp.Diff(want, strings.Join(inside.calls, "; ")); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if p.Rank() != 3 || p.Size() != 5 {
		t.Errorf("rank %d of %d; expected 3 of 5", p.Rank(), p.Size())
	}
}
