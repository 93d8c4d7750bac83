package schedule

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
)

// TestScratchIsDisjointAndAligned draws scratch memory of random sizes for several operations: within
// one operation no two pieces overlap, all are aligned to 8 bytes, and none can grow into another.
func TestScratchIsDisjointAndAligned(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var s Schedule
	for operation := range 50 {
		s.Reset(0, 1)
		var pieces [][]byte
		for range 1 + rng.IntN(8) {
			n := rng.IntN(3000)
			piece := s.Scratch(nil, n)
			if len(piece) != n || cap(piece) != n {
				t.Fatalf("%d bytes of scratch have length %d and capacity %d", n, len(piece), cap(piece))
			}
			if at := uintptr(unsafe.Pointer(unsafe.SliceData(piece))); n > 0 && at%8 != 0 {
				t.Fatalf("scratch at %x; expected a multiple of 8", at)
			}
			for i := range piece {
				piece[i] = byte(len(pieces))
			}
			pieces = append(pieces, piece)
		}
		for i, piece := range pieces {
			if slices.ContainsFunc(piece, func(b byte) bool { return b != byte(i) }) {
				t.Fatalf("operation %d: another piece of scratch has overwritten piece %d", operation, i)
			}
		}
	}
}

// TestScratchGrowsToWhatAnOperationNeeds: after two operations of a kind, those that follow make no
// memory, however long they are, until many short ones have let it go.
func TestScratchGrowsToWhatAnOperationNeeds(t *testing.T) {
	const long = 1 << 20
	var s Schedule
	operation := func(pieces ...int) (first *byte) {
		s.Reset(0, 1)
		for i, bytes := range pieces {
			piece := s.Scratch(nil, bytes)
			if i == 0 {
				first = &piece[0]
			}
		}
		return first
	}
	for range 2 {
		operation(long/4, long/2, 8, long/4)
	}
	if n := testing.AllocsPerRun(10, func() { operation(long/4, long/2, 8, long/4) }); n > 0 {
		t.Errorf("an operation makes memory %v times when its like have been done before", n)
	}
	for range keptFor {
		operation(8)
	}
	if operation(long / 2); cap(s.scratch) < long {
		t.Errorf("%d short operations let go of the scratch memory, %d bytes are left", keptFor, cap(s.scratch))
	}
	for range keptFor + 2 {
		operation(8)
	}
	if cap(s.scratch) >= long {
		t.Errorf("after %d short operations, scratch memory has still %d bytes", keptFor+2, cap(s.scratch))
	}
}

// TestResetForgetsTheSteps: a schedule that is used again has no steps, and does not keep memory of
// the program alive.
func TestResetForgetsTheSteps(t *testing.T) {
	var s Schedule
	s.Reset(2, 5)
	s.Send(1, make([]byte, 8))
	s.Reset(3, 7)
	if s.Rank != 3 || s.Size != 7 || len(s.Steps) != 0 || s.Steps[:1][0].From != nil {
		t.Errorf("rank %d of %d with steps %v; expected rank 3 of 7 with none", s.Rank, s.Size, s.Steps[:1])
	}
}

func actions(s *Schedule) (list []Action) {
	for _, step := range s.Steps {
		list = append(list, step.Action)
	}
	return list
}

// TestRoundsOfADissemination: one step stands for an exchange of nothing in each round, with ranks at distances of powers of two.
func TestRoundsOfADissemination(t *testing.T) {
	for _, c := range []struct {
		size int
		want []int32 // to, and from, in each round
	}{{1, nil}, {2, []int32{1, 1}}, {4, []int32{1, 3, 2, 2}}, {5, []int32{1, 4, 2, 3, 4, 1}}, {8, []int32{1, 7, 2, 6, 4, 4}}} {
		var s Schedule
		s.Reset(0, c.size)
		s.Disseminate()
		var got []int32
		for k := 0; ; k++ {
			round, more := s.Part(&s.Steps[0], k)
			if !more {
				break
			}
			if round.Action != Exchange || round.From != nil || round.Into != nil {
				t.Errorf("%d ranks: round %d is %v; expected an exchange of nothing", c.size, k, round)
			}
			got = append(got, round.Peer, round.Source)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d ranks: exchanges to and from %v; expected %v", c.size, got, c.want)
		}
		if m, n := s.Sent(&s.Steps[0]); m != len(c.want)/2 || n != 0 {
			t.Errorf("%d ranks: %d messages of %d bytes are sent; expected %d of 0", c.size, m, n, len(c.want)/2)
		}
		if len(c.want) > 2 {
			if got, want := s.Done(0, 1, 1), 0.; got != want {
				t.Errorf("%d ranks: %v is done in the first round; expected %v", c.size, got, want)
			}
			if got, want := s.Done(0, 1, 0), 2/float64(len(c.want)); got != want {
				t.Errorf("%d ranks: %v is done behind the first round; expected %v", c.size, got, want)
			}
		}
	}
}

// TestRoundsOfADoubling: one step stands for an exchange with ever farther peers, each behind the combination of what has come
// before. Ranks that stand aside are no peers.
func TestRoundsOfADoubling(t *testing.T) {
	from, into := []byte{1}, []byte{2}
	for _, c := range []struct {
		size, pairs, number, before int
		want                        []int32 // peer in each round
	}{
		{1, 0, 0, 0, nil},
		{2, 0, 1, 0, []int32{0}},
		{8, 0, 5, 0, []int32{4, 7, 1}},
		{8, 0, 5, 1, []int32{7, 1}},
		{8, 0, 5, 3, nil},
		{6, 2, 0, 0, []int32{3, 4}}, // 1, 3, 4 and 5 stay
		{6, 2, 3, 0, []int32{4, 3}},
	} {
		var s Schedule
		s.Reset(0, c.size)
		s.Double(c.number, c.pairs, c.before, from, into)
		var got []int32
		for k := 0; ; k++ {
			part, more := s.Part(&s.Steps[0], k)
			if !more {
				break
			}
			if k%2 == 1 {
				if part.Action != Combine || &part.From[0] != &into[0] || &part.Into[0] != &from[0] {
					t.Errorf("%+v: part %d is %+v; expected to combine what has come", c, k, part)
				}
				continue
			}
			if part.Action != Exchange || part.Source != part.Peer || &part.From[0] != &from[0] || &part.Into[0] != &into[0] {
				t.Errorf("%+v: part %d is %+v; expected an exchange", c, k, part)
			}
			got = append(got, part.Peer)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: exchanges with %v; expected %v", c, got, c.want)
		}
		if m, n := s.Sent(&s.Steps[0]); m != len(c.want) || n != len(c.want) {
			t.Errorf("%+v: %d messages of %d bytes are sent; expected %d of as many", c, m, n, len(c.want))
		}
	}
}

// TestDoublingOfNothing: where there is nothing to combine, a round is an exchange only.
func TestDoublingOfNothing(t *testing.T) {
	var s Schedule
	s.Reset(0, 4)
	s.Double(0, 0, 0, nil, nil)
	for k, want := range []bool{true, true, false} {
		if part, more := s.Part(&s.Steps[0], k); more != want || more && part.Action != Exchange {
			t.Errorf("part %d is %+v, %v; expected an exchange: %v", k, part, more, want)
		}
	}
}

// TestStepsForEachRank: one step stands for a message with each other rank, the nearest first, of its own part.
func TestStepsForEachRank(t *testing.T) {
	var s Schedule
	s.Reset(1, 4)
	s.ReceiveEach([]byte("aabbccdd"))
	s.SendEach([]byte("efgh"))
	var got []string
	for i := range s.Steps {
		for k := 0; ; k++ {
			part, more := s.Part(&s.Steps[i], k)
			if !more {
				break
			}
			got = append(got, fmt.Sprint(part.Action == Send, part.Peer, string(part.From), string(part.Into)))
		}
	}
	want := []string{"false 0aa", "false 3dd", "false 2cc", "true 2g", "true 3h", "true 0e"}
	if !slices.Equal(got, want) {
		t.Errorf("messages %q; expected %q", got, want)
	}
	if m, n := s.Sent(&s.Steps[1]); m != 3 || n != 3 {
		t.Errorf("%d messages of %d bytes are sent; expected 3 of 3", m, n)
	}
	s.Wait()
	for _, c := range []struct {
		next, parts, open int
		want              float64
	}{{0, 0, 0, 0}, {0, 2, 2, 0}, {1, 1, 3, 1. / 7}, {1, 1, 4, 0}, {2, 0, 1, 5. / 7}, {3, 0, 0, 1}} {
		if got := s.Done(c.next, c.parts, c.open); got != c.want {
			t.Errorf("before step %d, of which %d parts are taken, with %d messages open, %v is done; expected %v", c.next, c.parts, c.open, got, c.want)
		}
	}
}

// TestExchangeIsOneStep of the size of a cache line, as large jobs have very many.
func TestExchangeIsOneStep(t *testing.T) {
	var s Schedule
	from, into := []byte{1}, []byte{2}
	s.Exchange(4, from, 3, into)
	if got := actions(&s); !slices.Equal(got, []Action{Exchange}) {
		t.Fatalf("steps %v", got)
	}
	if x := s.Steps[0]; x.Source != 3 || &x.Into[0] != &into[0] || x.Peer != 4 || &x.From[0] != &from[0] {
		t.Errorf("step %+v; expected to receive from 3 and to send to 4", x)
	}
	if size := unsafe.Sizeof(Step{}); size != 64 {
		t.Errorf("a step has %d bytes", size)
	}
}

// TestStepsWithoutEffectAreLeftOut: there are no steps for empty memory, nor for a copy onto itself.
func TestStepsWithoutEffectAreLeftOut(t *testing.T) {
	var s Schedule
	memory := make([]byte, 16)
	s.Copy(memory, nil)
	s.Copy(memory, memory)
	s.Combine(nil, nil)
	if len(s.Steps) != 0 {
		t.Errorf("steps %v; expected none", actions(&s))
	}
	s.Copy(memory[:8], memory[8:])
	s.Combine(memory[:8], memory[8:])
	if got := actions(&s); !slices.Equal(got, []Action{Copy, Combine}) {
		t.Errorf("steps %v; expected a copy and a combination", got)
	}
}

// TestLeftAndRightAreInverse in a circle of any size.
func TestLeftAndRightAreInverse(t *testing.T) {
	for size := 1; size < 9; size++ {
		for rank := range size {
			s := Schedule{Rank: rank, Size: size}
			for places := range size {
				left, right := s.Left(places), s.Right(places)
				back := Schedule{Rank: left, Size: size}
				if back.Right(places) != rank || right != (rank+places)%size || left < 0 || left >= size {
					t.Errorf("rank %d of %d: %d places left is %d, right %d", rank, size, places, left, right)
				}
			}
		}
	}
}

// TestComputeDoesWhatTheStepSays, and changes nothing else.
func TestComputeDoesWhatTheStepSays(t *testing.T) {
	sum := reduction.Op{Apply: func(in, inout []byte) {
		for i, v := range in {
			inout[i] += v
		}
	}}
	every := datatype.Strided(2, 1, 2) // bytes 0 and 2
	for _, c := range []struct {
		add              func(s *Schedule, into, from []byte)
		from, into, want []byte
	}{
		{func(s *Schedule, into, from []byte) { s.Combine(from, into) }, []byte{1, 2, 3}, []byte{10, 20, 30}, []byte{11, 22, 33}},
		{(*Schedule).Copy, []byte{1, 2, 3}, []byte{10, 20, 30}, []byte{1, 2, 3}},
		{func(s *Schedule, into, from []byte) { s.Pack(into, from, &every) }, []byte{1, 2, 3}, []byte{10, 20}, []byte{1, 3}},
		{func(s *Schedule, into, from []byte) { s.Unpack(into, from, &every) }, []byte{1, 2}, []byte{10, 20, 30}, []byte{1, 20, 2}},
	} {
		var s Schedule
		from := bytes.Clone(c.from)
		c.add(&s, c.into, c.from)
		step := s.Steps[0]
		s.Compute(&step, sum)
		if !bytes.Equal(c.into, c.want) || !bytes.Equal(c.from, from) {
			t.Errorf("step %d makes %v of %v; expected %v", step.Action, c.into, c.from, c.want)
		}
	}
}
