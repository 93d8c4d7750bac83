package schedule

import (
	"bytes"
	"testing"
)

// TestRoundsOfARing: one step stands for the exchanges of all rounds, each of the piece that has come in the one before, which a
// CombineOn combines with its own. Memory that ranks cannot cut evenly has pieces of whole elements, some of them empty.
func TestRoundsOfARing(t *testing.T) {
	const element = 2
	for size := 1; size <= 6; size++ {
		for elements := range 9 {
			for rank := range size {
				given, results := make([]byte, elements*element), make([]byte, elements*element)
				for i := range given {
					given[i], results[i] = byte(i), byte(100+i)
				}
				piece := func(memory []byte, i int) []byte { return Piece(memory, element, size, i) }
				var combines, passes Schedule
				combines.Reset(rank, size)
				passes.Reset(rank, size)
				combines.CombineOn(given, results, element, rank)
				passes.PassOn(results, element, rank)
				sent, have := 0, given
				for i := range size - 1 {
					exchange, _ := combines.Part(&combines.Steps[0], 2*i)
					passed, _ := passes.Part(&passes.Steps[0], i)
					combine, _ := combines.Part(&combines.Steps[0], 2*i+1)
					if !bytes.Equal(exchange.From, piece(have, rank-i)) || !bytes.Equal(passed.From, piece(results, rank-i)) {
						t.Fatalf("%d elements, rank %d of %d, round %d: sends %v and passes on %v", elements, rank, size, i, exchange.From, passed.From)
					}
					for _, x := range []Step{exchange, passed} {
						if x.Action != Exchange || int(x.Peer) != (rank+1)%size || int(x.Source) != (rank+size-1)%size || !bytes.Equal(x.Into, piece(results, rank-i-1)) {
							t.Fatalf("%d elements, rank %d of %d, round %d is %+v; expected an exchange with the neighbours", elements, rank, size, i, x)
						}
					}
					if combine.Action != Combine || !bytes.Equal(combine.From, piece(given, rank-i-1)) || !bytes.Equal(combine.Into, exchange.Into) {
						t.Fatalf("%d elements, rank %d of %d, round %d: %+v; expected to combine what has come with its own", elements, rank, size, i, combine)
					}
					sent, have = sent+len(exchange.From), results
				}
				for s, parts := range map[*Schedule]int{&combines: 2 * (size - 1), &passes: size - 1} {
					if _, more := s.Part(&s.Steps[0], parts); more {
						t.Errorf("rank %d of %d: %v has more than %d parts", rank, size, s.Steps[0].Action, parts)
					}
					if m, n := s.Sent(&s.Steps[0]); m != size-1 || n != sent {
						t.Errorf("%d elements, rank %d of %d: %d messages of %d bytes are sent; expected %d of %d", elements, rank, size, m, n, size-1, sent)
					}
				}
			}
		}
	}
}
