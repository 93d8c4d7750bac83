package shm

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Whoever asks, and however many at once, each piece of a pull is taken once, and none
// by who means another pull.
func TestPiecesAreTakenOnce(t *testing.T) {
	const pieces, number = 1000, 7
	const total = pieces*mostPiece - 1
	var s SharedPull
	s.Begin(number, make([]byte, 1))
	var taken atomic.Int64
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			if _, _, ok := s.Take(number+1, total); ok {
				t.Error("took a piece of another pull")
			}
			for range (i + 1) * pieces / 8 {
				begin, end, _ := s.Take(number, total)
				taken.Add(int64(end - begin))
			}
			if begin, end, ok := s.TakeRest(number, total); ok {
				taken.Add(int64(end - begin))
			}
			if begin, end, ok := s.Take(number, total); ok {
				t.Errorf("took a piece from %d to %d behind the rest", begin, end)
			}
		})
	}
	all.Wait()
	if taken.Load() != total {
		t.Errorf("took pieces of %d bytes; expected %d", taken.Load(), total)
	}
}
