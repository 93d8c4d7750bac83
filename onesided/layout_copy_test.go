package onesided

import (
	"bytes"
	"math"
	"musubi/internal/check"
	"testing"

	"pgregory.net/rapid"
)

// places is an layout byte by byte: where in the memory each byte of the packed
// form is. It is what all else is compared with.
func places(a *Layout, memory int) []int {
	var all []int
	if a.IsContiguous() {
		for at := range memory {
			all = append(all, at)
		}
		return all
	}
	for i := range a.Count {
		begin := i * a.Stride
		if a.Offsets != nil {
			begin = a.Offsets[i]
		}
		for k := range a.Element {
			all = append(all, begin+k)
		}
	}
	return all
}

// drawLayout draws an layout and a memory that it fits.
func drawLayout(t *rapid.T) (Layout, []byte) {
	memory := make([]byte, rapid.IntRange(1, 60).Draw(t, "memory"))
	for i := range memory {
		memory[i] = byte(i + 1)
	}
	element := rapid.IntRange(1, min(9, len(memory))).Draw(t, "element")
	last := len(memory) - element // where the last element may begin
	a := Layout{Element: element, Stride: rapid.IntRange(0, 12).Draw(t, "stride")}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return Layout{}, memory
	case 1: // a list, elements of which may overlap or follow each other
		a.Offsets = rapid.SliceOfN(rapid.IntRange(0, last), 0, 8).Draw(t, "offsets")
		a.Count = len(a.Offsets)
	case 2: // a list, elements of which often follow each other
		a.Offsets = []int{}
		for at := 0; at <= last; at += element + rapid.IntRange(0, 1).Draw(t, "gap") {
			a.Offsets = append(a.Offsets, at)
		}
		a.Count = len(a.Offsets)
	case 3: // without gaps
		a.Stride = element
		a.Count = rapid.IntRange(0, last/element+1).Draw(t, "count")
	case 4:
		a.Count = rapid.IntRange(0, last/max(1, a.Stride)+1).Draw(t, "count")
	}
	if err := a.Check(len(memory)); err != nil {
		t.Fatalf("%+v in %d bytes: %v", a, len(memory), err)
	}
	return a, memory
}

// eachPart calls f for all parts of the packed form, and for some that begin
// before it or reach beyond its end. valid is how many bytes of a part there are.
func eachPart(packed int, f func(from, n, valid int)) {
	for from := -1; from <= packed+1; from++ {
		for n := range packed + 3 {
			valid := 0
			if from >= 0 {
				valid = max(0, min(n, packed-from))
			}
			f(from, n, valid)
		}
	}
}

func TestGatherIsByteByByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, memory := drawLayout(t)
		at := places(&a, len(memory))
		dst, want := make([]byte, len(at)+3), make([]byte, len(at)+3)
		eachPart(len(at), func(from, n, valid int) {
			clear(dst)
			clear(want)
			for i := range valid {
				want[i] = memory[at[from+i]]
			}
			if got := a.Gather(dst[:n], memory, from); got != valid || !bytes.Equal(dst, want) {
				t.Fatalf("%+v: %d bytes from %d: %d gathered, %v; expected %d, %v", a, n, from, got, dst, valid, want)
			}
		})
	})
}

func TestScatterIsByteByByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, memory := drawLayout(t)
		at := places(&a, len(memory))
		src := make([]byte, len(at)+3)
		for i := range src {
			src[i] = byte(200 + i)
		}
		got, want := make([]byte, len(memory)), make([]byte, len(memory))
		eachPart(len(at), func(from, n, valid int) {
			copy(got, memory)
			copy(want, memory)
			for i := range valid {
				want[at[from+i]] = src[i]
			}
			if done := a.Scatter(got, src[:n], from); done != valid || !bytes.Equal(got, want) {
				t.Fatalf("%+v: %d bytes from %d: %d scattered, %v; expected %d, %v", a, n, from, done, got, valid, want)
			}
		})
	})
}

func TestPiecesAreRunsOfBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, memory := drawLayout(t)
		at := places(&a, len(memory))
		eachPart(len(at), func(from, n, valid int) {
			if a.IsContiguous() && from >= 0 && valid < n {
				return // it does not know where the memory ends
			}
			want := 0
			if valid > 0 {
				want = runs(at[from : from+valid])
			}
			if got := a.Pieces(from, n); got != want {
				t.Fatalf("%+v: %d bytes from %d in %d pieces; expected %d", a, n, from, got, want)
			}
		})
	})
}

// runs counts the runs of places that follow each other.
func runs(at []int) int {
	n := 1
	for i := 1; i < len(at); i++ {
		if at[i] != at[i-1]+1 {
			n++
		}
	}
	return n
}

// A message of one layout that arrives with another in packets of any size, which
// cut elements of both in two.
func TestPacketsCutElements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gather, source := drawLayout(t)
		scatter, target := drawLayout(t)
		from, to := places(&gather, len(source)), places(&scatter, len(target))
		size := min(len(from), len(to))
		want := bytes.Clone(target)
		for i := range size {
			want[to[i]] = source[from[i]]
		}
		payload := rapid.IntRange(1, 20).Draw(t, "payload")
		packet := make([]byte, payload)
		for offset := 0; offset < size; offset += payload {
			n := min(payload, size-offset)
			got := gather.Gather(packet[:n], source, offset)
			if done := scatter.Scatter(target, packet[:n], offset); got != n || done != n {
				t.Fatalf("packet of %d bytes at %d: %d gathered, %d scattered", n, offset, got, done)
			}
		}
		if !bytes.Equal(target, want) {
			t.Fatalf("%+v to %+v in packets of %d bytes: %v; expected %v", gather, scatter, payload, target, want)
		}
	})
}

func TestAccessCheck(t *testing.T) {
	for _, test := range []struct {
		name   string
		layout Layout
		size   int
		err    string // part of the error, none if empty
	}{
		{"contiguous", Layout{}, 0, ""},
		{"strided to the last byte", Layout{Element: 4, Stride: 10, Count: 3}, 24, ""},
		{"strided beyond", Layout{Element: 4, Stride: 10, Count: 3}, 23, "3 elements of 4 bytes, 10 bytes apart, reach beyond 23 bytes"},
		{"no elements in no memory", Layout{Element: 4, Stride: 10}, 0, ""},
		{"the same element again and again", Layout{Element: 4, Count: 9}, 4, ""},
		{"element of no bytes", Layout{Stride: 4, Count: 9}, 100, "9 elements of 0 bytes in 100 bytes; expected elements of at least 1 byte"},
		{"negative stride", Layout{Element: 1, Stride: -1, Count: 9}, 100, "stride -1; expected at least 0"},
		{"negative count", Layout{Element: 1, Stride: 1, Count: -9}, 100, "-9 elements"},
		{"bytes that overflow", Layout{Element: 8, Count: math.MaxInt / 4}, 100, "elements of 8 bytes in 100 bytes"},
		{"list", Layout{Element: 4, Count: 2, Offsets: []int{96, 0}}, 100, ""},
		{"list beyond", Layout{Element: 4, Count: 2, Offsets: []int{97, 0}}, 100, "an element of 4 bytes at offset 97 reaches beyond 100 bytes"},
		{"list of another length", Layout{Element: 4, Count: 1, Offsets: []int{96, 0}}, 100, "1 elements at 2 offsets; expected as many"},
	} {
		t.Run(test.name, func(t *testing.T) { check.Error(t, test.layout.Check(test.size), test.err) })
	}
}
