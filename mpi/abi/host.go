package abi

import (
	"encoding/binary"
	"slices"

	"musubi/rma"
)

// Host is where a program runs: its memory, and what only its process can do.
type Host interface {
	// View returns memory of the program: itself if Direct, else a copy.
	View(at uintptr, bytes int) []byte
	// Read copies memory of the program. Look copies pieces of it, and reports whether the program has them.
	Read(at uintptr, into []byte)
	Look(at []uintptr, into [][]byte) bool
	// Store writes to memory of the program.
	Store(at uintptr, data []byte)
	// Direct reports whether View returns the memory itself.
	Direct() bool
	// Request lets the process of the program do something. It may make calls meanwhile.
	Request(what Demand, words *[8]int64) int64
	// Share makes memory, all zero, that Map of several hosts maps, and returns its number for as long
	// as Unshare has not been called. Map returns it as this process has it, and its address in the
	// program. Only a host that is not Direct has these.
	Share(bytes int) (number int, err error)
	Unshare(number int)
	Map(number, bytes int) (memory []byte, at int64, err error)
	Unmap(memory []byte, at int64)
	// Tell tells the user why the process ends.
	Tell(text string)
	// Join returns the process of the world that the program runs in, and how to leave it.
	Join() (p rma.Process, leave func() error, err error)
	// Path returns how this process reaches a file that the program names.
	Path(name string) string
	// Name is that of the computer.
	Name() string
	// Simulated reports whether time is.
	Simulated() bool
	// OwnsProcessor reports whether the process is live and need not share a processor with other ranks.
	OwnsProcessor() bool
	// Thread returns a number of the thread that calls, not 0. Yield lets other threads and processes run.
	Thread() int64
	Yield()
}

// Demand is what a Host can be asked to do. The numbers are those of abi/front/front.h, which says
// what the words mean.
type Demand int

// Requests.
const (
	Reduce Demand = iota + 1
	CopyAttribute
	DeleteAttribute
	HandleError
	Allocate
	Free
	Exit
	Query
	Release
	Cancel
	ReduceWide
	MapShared
	UnmapShared
	DoneAlready
)

// Numbers in the program's memory.

// Int reads an int of the program.
func (p *Process) Int(at int64) int {
	return int(int32(binary.NativeEndian.Uint32(p.Host.View(uintptr(at), 4))))
}

// Word reads a word of the program: a handle, an address or a count.
func (p *Process) Word(at int64) int64 {
	return int64(binary.NativeEndian.Uint64(p.Host.View(uintptr(at), 8)))
}

// PutInt writes an int.
func (p *Process) PutInt(at int64, v int) {
	b := p.result[:4]
	binary.NativeEndian.PutUint32(b, uint32(int32(v)))
	p.Store(at, b)
}

// PutWord writes a word.
func (p *Process) PutWord(at, v int64) {
	b := p.result[:8]
	binary.NativeEndian.PutUint64(b, uint64(v))
	p.Store(at, b)
}

// Store writes a result. A null pointer for it is an error of the call.
func (p *Process) Store(at int64, data []byte) {
	switch {
	case len(data) == 0:
	case at == 0:
		p.nullResult = true
	default:
		p.written = p.written || p.shadows.Near(at, len(data))
		p.Host.Store(uintptr(at), data)
	}
}

// PutBool writes an int that is 1 or 0.
func (p *Process) PutBool(at int64, v bool) {
	if v {
		p.PutInt(at, 1)
	} else {
		p.PutInt(at, 0)
	}
}

// Ints reads an array of ints, or of words if the function is one for large counts.
func (p *Process) Ints(at int64, n int, words bool) []int { return p.IntsInto(nil, at, n, words) }

// IntsInto is Ints into the room of a list that is not needed any more.
func (p *Process) IntsInto(room []int, at int64, n int, words bool) []int {
	list := slices.Grow(room[:0], max(n, 0))[:max(n, 0)]
	if n <= 0 || at == 0 {
		clear(list)
		return list
	}
	if words {
		b := p.Host.View(uintptr(at), 8*n)
		for i := range list {
			list[i] = int(binary.NativeEndian.Uint64(b[8*i:]))
		}
		return list
	}
	b := p.Host.View(uintptr(at), 4*n)
	for i := range list {
		list[i] = int(int32(binary.NativeEndian.Uint32(b[4*i:])))
	}
	return list
}

// PutInts writes an array of ints, or of words.
func (p *Process) PutInts(at int64, list []int, words bool) {
	b := p.integers[:0]
	for _, v := range list {
		if words {
			b = binary.NativeEndian.AppendUint64(b, uint64(v))
		} else {
			b = binary.NativeEndian.AppendUint32(b, uint32(int32(v)))
		}
	}
	p.integers = b
	p.Store(at, b)
}

// longestText is the longest text that a program may give, in bytes.
const longestText = 1 << 16

// Text reads a text of C. It reads to the end of a page at most, as behind it may be no memory.
func (p *Process) Text(at int64) string {
	const page = 4096
	var text []byte
	for at != 0 && len(text) < longestText {
		n := page - int(at%page)
		part := p.Host.View(uintptr(at), n)
		for i, b := range part {
			if b == 0 {
				return string(append(text, part[:i]...))
			}
		}
		text = append(text, part...)
		at += int64(n)
	}
	return string(text)
}

// PutText writes a text of C into room for so many bytes, its end included.
func (p *Process) PutText(at int64, text string, room int) int {
	if room > 0 && len(text) > room-1 {
		text = text[:room-1]
	}
	p.Store(at, append([]byte(text), 0))
	return len(text)
}

// Ask lets the process of the program do something.
func (p *Process) Ask(what Demand, words ...int64) (int64, *[8]int64) {
	var a [8]int64
	copy(a[:], words)
	p.written = true
	return p.Host.Request(what, &a), &a
}
