// Package shadow keeps copies of memory that lies in another process: that of windows, which others
// access by the copy. At the beginning of each call of the program, what it has changed is brought into the
// copy, and at the end what others have changed is brought into the program.
package shadow

import "bytes"

// Host reaches the memory of the program.
type Host interface {
	Look(at uintptr, into []byte) bool // false if the program does not have it
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
	if len(s.memory) > 0 && !s.host.Look(uintptr(s.At), s.memory) {
		copy(s.memory, s.last)
	}
}

// blocks calls a function with the bounds of each block.
func (s *Copy) blocks(do func(from, end int)) {
	for from := 0; from < len(s.Now); from += block {
		do(from, min(from+block, len(s.Now)))
	}
}

// Take brings in what the program has changed.
func (s *Copy) Take() {
	s.read()
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

// Put brings what others have changed into the program. If the call may have written to the memory of
// the program since Take, what it has written is kept where others have changed nothing.
func (s *Copy) Put(written bool) {
	if written {
		s.read()
	}
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
