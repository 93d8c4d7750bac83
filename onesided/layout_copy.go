package onesided

import (
	"musubi/internal/phantom"
	"musubi/internal/strided"
)

// IsDense reports whether the elements lie in memory as they do in packets.
func (l *Layout) IsDense() bool {
	return l.IsContiguous() || l.Offsets == nil && (l.Stride == l.Element || l.Count == 1)
}

// begin returns where element i begins.
func (l *Layout) begin(i int) int {
	if l.Offsets != nil {
		return l.Offsets[i]
	}
	return i * l.Stride
}

// Gather copies the bytes of the packed form that begin at from out of memory to
// dst, as many as fit and there are, and returns how many. The layout has
// passed Check for the memory.
func (l *Layout) Gather(dst, memory []byte, from int) int {
	if l.IsDense() {
		return phantom.Copy(dst, l.dense(memory, from))
	}
	n := l.clip(from, len(dst))
	return l.gather(dst[:n], memory, from)
}

func (l *Layout) gather(dst, memory []byte, from int) int {
	if phantom.Is(dst) || phantom.Is(memory) {
		return len(dst)
	}
	i, skip := from/l.Element, from%l.Element
	done := 0
	if whole := len(dst) / l.Element; l.Offsets == nil && skip == 0 && whole > 0 {
		done = whole * l.Element
		strided.Gather(dst[:done], memory[l.begin(i):], l.Element, l.Stride)
		i += whole
	}
	for ; done < len(dst); i++ {
		at := l.begin(i)
		done += copy(dst[done:], memory[at+skip:at+l.Element])
		skip = 0
	}
	return done
}

// Scatter copies src to the places in memory of the packed bytes from index from on, as many as
// there are places, and returns how many. The layout has passed Check for the memory.
func (l *Layout) Scatter(memory, src []byte, from int) int {
	if l.IsDense() {
		return phantom.Copy(l.dense(memory, from), src)
	}
	n := l.clip(from, len(src))
	return l.scatter(memory, src[:n], from)
}

func (l *Layout) scatter(memory, src []byte, from int) int {
	if phantom.Is(memory) || phantom.Is(src) {
		return len(src)
	}
	i, skip := from/l.Element, from%l.Element
	done := 0
	if whole := len(src) / l.Element; l.Offsets == nil && skip == 0 && whole > 0 {
		done = whole * l.Element
		strided.Scatter(memory[l.begin(i):], src[:done], l.Element, l.Stride)
		i += whole
	}
	for ; done < len(src); i++ {
		at := l.begin(i)
		done += copy(memory[at+skip:at+l.Element], src[done:])
		skip = 0
	}
	return done
}

// dense returns the bytes from index from on of a memory whose elements are not scattered.
func (l *Layout) dense(memory []byte, from int) []byte {
	if !l.IsContiguous() {
		memory = memory[:l.Bytes()]
	}
	if from < 0 || from > len(memory) {
		return nil
	}
	return memory[from:]
}

// clip returns how many of the n packed bytes from index from on exist. A layout of all of a memory
// does not know its end.
func (l *Layout) clip(from, n int) int {
	if from < 0 {
		return 0
	}
	if !l.IsContiguous() {
		n = min(n, l.Bytes()-from)
	}
	return max(0, n)
}

// Pieces returns the number of pieces, each contiguous in memory and apart from the previous one,
// of the n packed bytes from index from on.
func (l *Layout) Pieces(from, n int) int {
	n = l.clip(from, n)
	if n == 0 {
		return 0
	}
	if l.IsDense() {
		return 1
	}
	first, last := from/l.Element, (from+n-1)/l.Element
	pieces := last - first + 1
	if l.Offsets == nil {
		return pieces
	}
	for i := first; i < last; i++ {
		if l.Offsets[i]+l.Element == l.Offsets[i+1] {
			pieces--
		}
	}
	return pieces
}
