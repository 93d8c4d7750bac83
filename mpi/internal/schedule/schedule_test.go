package schedule

import (
	"bytes"
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
			piece := s.Scratch(n)
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

// TestScratchIsKeptUpToALimit: an operation reuses the scratch of the one before without an
// allocation, unless that was long.
func TestScratchIsKeptUpToALimit(t *testing.T) {
	for _, bytes := range []int{8, 1000, mostScratch, mostScratch + 1} {
		var s Schedule
		first := s.Scratch(bytes)
		s.Reset(0, 1)
		again := s.Scratch(bytes)
		if kept := &first[0] == &again[0]; kept != (bytes <= mostScratch) {
			t.Errorf("%d bytes of scratch are kept: %v; at most %d bytes are", bytes, kept, mostScratch)
		}
	}
	// A short piece after a long one does not replace what is kept.
	var s Schedule
	long := s.Scratch(100)
	s.Scratch(8)
	s.Reset(0, 1)
	if again := s.Scratch(100); &again[0] != &long[0] {
		t.Error("a shorter piece of scratch has replaced a longer one")
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

// TestExchangePostsTheReceiveFirst, so that the message that comes back is not unexpected.
func TestExchangePostsTheReceiveFirst(t *testing.T) {
	var s Schedule
	from, into := []byte{1}, []byte{2}
	s.Exchange(4, from, 3, into)
	if got := actions(&s); !slices.Equal(got, []Action{Receive, Send, Wait}) {
		t.Fatalf("steps %v", got)
	}
	if r, x := s.Steps[0], s.Steps[1]; r.Peer != 3 || &r.Into[0] != &into[0] || x.Peer != 4 || &x.From[0] != &from[0] {
		t.Errorf("steps %+v; expected to receive from 3 and to send to 4", s.Steps)
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

// TestMergeKeepsTheOrderOfRanks: the operand from lower ranks is the first, unless the order does not
// matter; then the partial result stays where it is.
func TestMergeKeepsTheOrderOfRanks(t *testing.T) {
	for _, commutative := range []bool{false, true} {
		for _, receivedIsLower := range []bool{false, true} {
			var s Schedule
			have, received := []byte{1}, []byte{2}
			result, spare := s.Merge(reduction.Op{Commutative: commutative}, have, received, receivedIsLower)
			step := s.Steps[0]
			inOrder := (&step.From[0] == &received[0]) == receivedIsLower
			if !commutative && !inOrder || commutative && &result[0] != &have[0] {
				t.Errorf("commutative %v, received is lower %v: combines %v with %v", commutative, receivedIsLower, step.From, step.Into)
			}
			if &result[0] != &step.Into[0] || &spare[0] != &step.From[0] {
				t.Errorf("the result is in %v, and %v is spare; expected %v and %v", result, spare, step.Into, step.From)
			}
		}
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
		step Step
		want []byte
	}{
		{Step{Action: Combine, From: []byte{1, 2, 3}, Into: []byte{10, 20, 30}}, []byte{11, 22, 33}},
		{Step{Action: Copy, From: []byte{1, 2, 3}, Into: []byte{10, 20, 30}}, []byte{1, 2, 3}},
		{Step{Action: Pack, From: []byte{1, 2, 3}, Into: []byte{10, 20}, Memory: &every}, []byte{1, 3}},
		{Step{Action: Unpack, From: []byte{1, 2}, Into: []byte{10, 20, 30}, Memory: &every}, []byte{1, 20, 2}},
	} {
		from := bytes.Clone(c.step.From)
		c.step.Compute(sum)
		if !bytes.Equal(c.step.Into, c.want) || !bytes.Equal(c.step.From, from) {
			t.Errorf("step %d makes %v of %v; expected %v", c.step.Action, c.step.Into, c.step.From, c.want)
		}
	}
}
