package shadow

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// program is the memory of a program, from address 1000 on.
type program []byte

func (p program) Look(at uintptr, into []byte) bool {
	return copy(into, p[at-1000:]) == len(into)
}
func (p program) Store(at uintptr, data []byte) { copy(p[at-1000:], data) }

// A program, its calls and others write to different bytes at random. After each call both have all
// that has been written.
func TestBothHaveWhatEitherHasWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for _, n := range []int{0, 1, block, block + 1, 5*block - 3} {
		memory, want := make(program, n), make([]byte, n)
		s := New(memory, 1000, n)
		write := func(at int, to ...[]byte) {
			b := byte(rng.Uint32())
			for _, data := range append(to, want) {
				data[at] = b
			}
		}
		for call := range 200 {
			places := rng.Perm(n)
			some := func() []int {
				k := rng.IntN(len(places) + 1)
				if rng.IntN(2) == 0 {
					k = min(k, 2)
				}
				chosen := places[:k]
				places = places[k:]
				return chosen
			}
			for _, at := range some() { // the program, before it calls
				write(at, memory)
			}
			s.Take()
			if !bytes.Equal(s.Now, want) {
				t.Fatalf("%d bytes, call %d: the copy lacks what the program has written", n, call)
			}
			for _, at := range some() { // others
				write(at, s.Now)
			}
			written := rng.IntN(2) == 0
			if written {
				for _, at := range some() { // the call
					write(at, memory)
				}
			}
			s.Put(written)
			if !bytes.Equal(memory, want) || !bytes.Equal(s.Now, want) {
				t.Fatalf("%d bytes, call %d, written %v: program and copy differ from what has been written", n, call, written)
			}
		}
	}
}

// Memory that the program has given back is not written to, until others put something there.
func TestMemoryThatTheProgramDoesNotHave(t *testing.T) {
	host := &leaver{program: make(program, block)}
	s := New(host, 1000, block)
	host.program = host.program[:1]
	s.Take()
	s.Put(true)
	if host.stored != 0 {
		t.Errorf("%d bytes are stored; expected none", host.stored)
	}
	s.Now[3] = 1
	s.Put(true)
	if host.stored == 0 {
		t.Error("what others have put is not stored")
	}
}

// leaver is a program whose memory may become shorter.
type leaver struct {
	program
	stored int
}

func (l *leaver) Store(_ uintptr, data []byte) { l.stored += len(data) }

// What nobody has changed is not written to the program, whose threads may do so themselves.
func TestWhatHasNotChangedIsNotStored(t *testing.T) {
	memory := make(program, 3*block)
	s := New(counted{memory, t}, 1000, len(memory))
	memory[1] = 1
	s.Take()
	s.Put(false)
	if s.Now[1] != 1 {
		t.Error("what the program has written is not in the copy")
	}
}

// counted fails if something is stored.
type counted struct {
	program
	t *testing.T
}

func (c counted) Store(at uintptr, data []byte) {
	c.t.Errorf("%d bytes are stored at %d; expected none", len(data), at)
}
