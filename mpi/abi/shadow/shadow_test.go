package shadow

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// program is the memory of a program, from address 1000 on.
type program []byte

func (p program) Look(at []uintptr, into [][]byte) bool {
	for i := range at {
		if copy(into[i], p[at[i]-1000:]) < len(into[i]) {
			return false
		}
	}
	return true
}
func (p program) Store(at uintptr, data []byte) { copy(p[at-1000:], data) }

// A program, its calls and others write to different bytes at random. After each call both have all
// that has been written.
func TestBothHaveWhatEitherHasWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for _, n := range []int{0, 1, block, block + 1, 5*block - 3} {
		memory, want := make(program, n), make([]byte, n)
		s := New(memory, 1000, n)
		var all All
		all.Add(s)
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
			all.Take()
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
			all.Put(written)
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
	var all All
	all.Add(s)
	host.program = host.program[:1]
	all.Take()
	all.Put(true)
	if host.stored != 0 {
		t.Errorf("%d bytes are stored; expected none", host.stored)
	}
	s.Now[3] = 1
	all.Put(true)
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
	var all All
	all.Add(s)
	memory[1] = 1
	all.Take()
	all.Put(false)
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

// Of several copies each has its own, also when the program has given back the memory of one.
func TestSeveralCopies(t *testing.T) {
	host := make(program, 3*block)
	var all All
	var copies []*Copy
	for i := range 3 {
		s := New(host, int64(1000+i*block), block-i)
		copies = append(copies, s)
		all.Add(s)
	}
	if all.Near(999, 1) || !all.Near(999, 2) || !all.Near(999+3*block-2, 1) || all.Near(1000+3*block-2, 1) {
		t.Error("Near does not hold to the bounds of the copies")
	}
	short := &leaver{program: host[:2*block+1]}
	for i, s := range copies {
		s.host = short
		host[i*block] = byte(i + 1)
	}
	all.Take()
	if copies[0].Now[0] != 1 || copies[1].Now[0] != 2 || copies[2].Now[0] != 0 {
		t.Errorf("copies begin with %d, %d, %d; expected 1, 2, and 0, whose memory is not all there", copies[0].Now[0], copies[1].Now[0], copies[2].Now[0])
	}
	all.Drop(copies[1])
	if len(all.Copies) != 2 || all.Copies[1] != copies[2] {
		t.Errorf("%d copies are left; expected 2", len(all.Copies))
	}
}
