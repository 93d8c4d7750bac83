package prefetch

import "unsafe"

// atOnce is how many lines may be asked for at once. A processor waits for about twenty from memory (measured on an AMD EPYC),
// and forgets what it is asked for beyond.
const atOnce = 16

// pieces is how many pieces of memory may wait.
const pieces = 16

// Later is memory that will be needed soon. Its lines are asked for at once, or, if it is Spread, a few at a time.
type Later struct {
	Spread     bool // lines come from memory, not from a cache
	first, end uint
	waiting    [pieces]piece
}

type piece struct {
	address uintptr
	lines   int
}

// Add adds n lines, at least one, from the one with an address on. Of very many the oldest are forgotten.
func (l *Later) Add(address uintptr, n int) {
	if !l.Spread {
		Lines(address, n)
		return
	}
	l.waiting[l.end%pieces] = piece{address, n}
	l.end++
}

// AddBytes adds all lines that have some of the bytes from an address on.
func (l *Later) AddBytes(begin unsafe.Pointer, bytes uintptr) {
	if !l.Spread {
		Bytes(begin, bytes)
		return
	}
	first := uintptr(begin) &^ (LineBytes - 1)
	l.Add(first, int((uintptr(begin)+bytes-first+LineBytes-1)/LineBytes))
}

// Ask asks for the lines that are next. Between two calls the processor needs time to get what it has been asked for. It is
// short enough to be inlined.
func (l *Later) Ask() {
	if l.first != l.end {
		l.ask()
	}
}

func (l *Later) ask() {
	if l.end-l.first > pieces {
		l.first = l.end - pieces
	}
	for left := atOnce; l.first != l.end; l.first++ {
		p := &l.waiting[l.first%pieces]
		if p.lines > left {
			Lines(p.address, left)
			p.address += uintptr(left * LineBytes)
			p.lines -= left
			return
		}
		Lines(p.address, p.lines)
		if left -= p.lines; left == 0 {
			l.first++
			return
		}
	}
}
