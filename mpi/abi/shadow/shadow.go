// Package shadow keeps copies of memory that lies in another process: that of windows, which others
// access by the copy. At the beginning of each call of the program, what it has changed is brought into the
// copy, and at the end what others have changed is brought into the program.
package shadow

import (
	"bytes"
	"math"
	"slices"
)

// Host reaches the memory of the program.
type Host interface {
	Look(at []uintptr, into [][]byte) bool // copies pieces; false if the program does not have one of them
	Store(at uintptr, data []byte)
}

// block is how many bytes are compared at once.
const block = 512

// Copy is a copy of some memory.
type Copy struct {
	At  int64  // address in the program
	Now []byte // as others have changed it

	host   Host
	last   []byte // as program and copy had it at the end of the last call
	memory []byte // as the program has it
}

// All are the copies of memory of one program.
type All struct {
	Copies    []*Copy
	low, high int64 // bounds of their addresses
	at        []uintptr
	into      [][]byte
}

// Add adds a copy.
func (a *All) Add(s *Copy) {
	a.Copies = append(a.Copies, s)
	a.prepare()
}

// Drop brings what others have changed into the program a last time.
func (a *All) Drop(s *Copy) {
	if i := slices.Index(a.Copies, s); i >= 0 {
		s.read()
		s.put()
		a.Copies = slices.Delete(a.Copies, i, i+1)
		a.prepare()
	}
}

func (a *All) prepare() {
	a.at, a.into = a.at[:0], a.into[:0]
	a.low, a.high = math.MaxInt64, 0
	for _, s := range a.Copies {
		if len(s.memory) > 0 {
			a.at, a.into = append(a.at, uintptr(s.At)), append(a.into, s.memory)
			a.low, a.high = min(a.low, s.At), max(a.high, s.At+int64(len(s.memory)))
		}
	}
}

// Near reports whether some bytes of the program may be among those that have a copy.
func (a *All) Near(at int64, bytes int) bool { return at < a.high && at+int64(bytes) > a.low }

// read reads the memory of the program at once: there may be very many copies.
func (a *All) read() {
	if len(a.at) == 0 || a.Copies[0].host.Look(a.at, a.into) {
		return
	}
	for _, s := range a.Copies {
		s.read()
	}
}

// Take brings in what the program has changed.
func (a *All) Take() {
	a.read()
	for _, s := range a.Copies {
		s.take()
	}
}

// Put brings what others have changed into the program. If the call may have written to the memory of
// the program since Take, what it has written is kept where others have changed nothing.
func (a *All) Put(written bool) {
	if written {
		a.read()
	}
	for _, s := range a.Copies {
		s.put()
	}
}

// New returns a copy of memory that lies at an address.
func New(host Host, at int64, n int) *Copy {
	all := make([]byte, 3*n)
	s := &Copy{At: at, Now: all[:n:n], host: host, last: all[n : 2*n : 2*n], memory: all[2*n:]}
	s.read()
	copy(s.Now, s.memory)
	copy(s.last, s.memory)
	return s
}

// read reads the memory of the program. Some give memory back before they free its window; it is as it was then.
func (s *Copy) read() {
	if len(s.memory) > 0 && !s.host.Look([]uintptr{uintptr(s.At)}, [][]byte{s.memory}) {
		copy(s.memory, s.last)
	}
}

// blocks calls a function with the bounds of each block.
func (s *Copy) blocks(do func(from, end int)) {
	for from := 0; from < len(s.Now); from += block {
		do(from, min(from+block, len(s.Now)))
	}
}

// take is Take of what has been read.
func (s *Copy) take() {
	if bytes.Equal(s.memory, s.last) {
		return
	}
	s.blocks(func(from, end int) {
		if !bytes.Equal(s.memory[from:end], s.last[from:end]) {
			merge(s.Now[from:end], s.memory[from:end], s.last[from:end])
		}
	})
}

// merge brings the bytes of changed that differ from before into data.
func merge(data, changed, before []byte) {
	for i, b := range changed {
		if b != before[i] {
			data[i] = b
		}
	}
}

// put is Put of what has been read.
func (s *Copy) put() {
	if bytes.Equal(s.Now, s.last) && bytes.Equal(s.memory, s.last) {
		return
	}
	dirty := 0 // bytes before from that have to be stored
	s.blocks(func(from, end int) {
		changed := s.mergeBack(from, end)
		if !changed && dirty > 0 {
			s.store(from-dirty, from)
			dirty = 0
		}
		if changed {
			dirty += end - from
		}
	})
	s.store(len(s.Now)-dirty, len(s.Now))
}

// mergeBack makes the block the same everywhere, and reports whether the program's differed.
func (s *Copy) mergeBack(from, end int) (changed bool) {
	now, memory, last := s.Now[from:end], s.memory[from:end], s.last[from:end]
	if !bytes.Equal(now, last) && !bytes.Equal(now, memory) {
		merge(memory, now, last)
		changed = true
	}
	copy(now, memory)
	copy(last, memory)
	return changed
}

func (s *Copy) store(from, end int) {
	if from < end {
		s.host.Store(uintptr(s.At)+uintptr(from), s.memory[from:end])
	}
}
