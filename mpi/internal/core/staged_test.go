package core

import (
	"errors"
	"math/rand/v2"
	"testing"

	"musubi/rma"
)

// sharingProcess is a process whose neighbours share so much memory with it.
type sharingProcess struct {
	rma.Process
	ranks, left int
	exposed     map[int]int // bytes of segments
	next        int
}

func (p *sharingProcess) Size() int            { return p.ranks }
func (p *sharingProcess) Shares(rank int) bool { return rank != 1 }

func (p *sharingProcess) ExposeShared(bytes int) (int, []byte, error) {
	if p.left -= bytes; p.left < 0 {
		return 0, nil, errors.New("no memory is left")
	}
	p.next++
	p.exposed[p.next] = bytes
	return p.next, make([]byte, bytes), nil
}

func (p *sharingProcess) SharedBy(int, int) ([]byte, error) { return nil, nil }
func (p *sharingProcess) CopyShared(memory, data []byte)    { copy(memory, data) }

func (p *sharingProcess) Withdraw(segment int) error {
	if _, ok := p.exposed[segment]; !ok {
		return errors.New("not exposed")
	}
	p.left += p.exposed[segment]
	delete(p.exposed, segment)
	return nil
}

// TestStages: messages that wait for their receivers have stages of their own, which are long enough, and all stages together do not
// take more than they may, whatever comes and goes. One message of any length that may be staged always finds room.
func TestStages(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := &sharingProcess{ranks: []int{4, 64, 1000}[seed%3], left: 1 << 30, exposed: make(map[int]int)}
		s := newStaging(p)
		most := min(2<<20, 64<<20/p.ranks)
		var used []*stage
		data := make([]byte, 1<<22)
		for range 500 {
			if n := len(used); n > 0 && rng.IntN(2) == 0 {
				i := rng.IntN(n)
				used[i].release(0)
				used[i] = used[n-1]
				used = used[:n-1]
			}
			n := 1 + rng.IntN(1<<rng.IntN(22))
			x := s.take(0, data[:n])
			longest := 1 << 20
			for longest > most {
				longest /= 2
			}
			switch {
			case x == nil && len(used) == 0 && n <= longest:
				t.Fatalf("%d ranks: no stage for %d bytes, though none is used", p.ranks, n)
			case x == nil:
				continue
			case len(x.Data) < n || n > 1<<20 || p.exposed[x.Segment] != len(x.Data):
				t.Fatalf("%d ranks: a stage of %d bytes for %d", p.ranks, len(x.Data), n)
			}
			for _, other := range used {
				if other == x {
					t.Fatalf("%d ranks: a stage for two messages", p.ranks)
				}
			}
			used = append(used, x)
			total := 0
			for _, bytes := range p.exposed {
				total += bytes
			}
			if total > most || total != s.bytes || s.of(&x.Request) != x {
				t.Fatalf("%d ranks: %d bytes are exposed, and %d counted; expected at most %d", p.ranks, total, s.bytes, most)
			}
		}
		if s.take(1, data[:1]) != nil {
			t.Error("a stage for a rank that shares no memory")
		}
	}
}

// TestStagesWithoutMemory: when no shared memory is left, messages go as they do elsewhere.
func TestStagesWithoutMemory(t *testing.T) {
	s := newStaging(&sharingProcess{ranks: 4, left: 100 << 10, exposed: make(map[int]int)})
	data := make([]byte, 64<<10)
	if s.take(0, data) == nil || s.take(0, data) != nil || s.take(0, data) != nil {
		t.Error("expected one stage of 64 KiB in 100 KiB, and then none")
	}
}

// TestSharedStages: messages share a stage while memory does not change, and only where they have the same memory. It is free when all have
// read it.
func TestSharedStages(t *testing.T) {
	e := &Engine{staging: newStaging(&sharingProcess{ranks: 8, left: 1 << 30, exposed: make(map[int]int)})}
	data := make([]byte, 1<<10)
	before := e.staging.take(2, data)
	e.ShareStages(true)
	first, second, shorter := e.staging.take(3, data), e.staging.take(4, data), e.staging.take(5, data[:512])
	e.ShareStages(false)
	data[0] = 1
	after := e.staging.take(3, data)
	if first == before || second != first || shorter == first || after == first || after.Data[0] != 1 || first.Data[0] != 0 {
		t.Error("messages share a stage that should not, or do not where they should")
	}
	for i, reader := range []int32{3, 3, 4} {
		if released, freed := first.release(reader), len(first.readers) == 0; released != (i != 1) || freed != (i == 2) {
			t.Errorf("answer %d, of rank %d: a reader of the stage %t, which is free: %t", i, reader, released, freed)
		}
	}
}
