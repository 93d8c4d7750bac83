package dimmnet

import (
	"fmt"
	"musubi/internal/check"
	"testing"
)

// path is what every packet goes through between two processes besides its data:
// stamp and encode, decode and admit.
type path struct {
	from, to Port
	header   Header
	lines    [3]Line
}

func newPath(long bool) *path {
	return &path{
		from: NewPort(7, 1), to: NewPort(7, 2),
		header: Header{Operation: IPush, Flags: EndOfMessage, Data: 8, To: 2, Address: 4096, Sequence: 9, Long: long},
	}
}

func (p *path) pass() bool {
	p.from.Stamp(&p.header)
	n := p.header.Encode(p.lines[:])
	got, _, err := DecodeHeader(p.lines[:n])
	return err == nil && p.to.Admit(&got)
}

func BenchmarkHeaderPath(b *testing.B) {
	for _, long := range []bool{false, true} {
		b.Run(fmt.Sprint("long=", long), func(b *testing.B) {
			p := newPath(long)
			check.PerPacket(b, 1, func() {
				if !p.pass() {
					b.Fatal("a packet did not pass")
				}
			})
		})
	}
}

// Data per packet: a word, a window of DIMMnet-2, the most that fits.
var dataSizes = []int{8, 496, MaxData}

func BenchmarkLines(b *testing.B) {
	for _, size := range dataSizes {
		b.Run(fmt.Sprint("bytes=", size), func(b *testing.B) {
			lines, data := make([]Line, MaxLines), make([]byte, size)
			b.SetBytes(int64(size))
			check.PerPacket(b, 1, func() {
				if err := throughLines(lines, data); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// throughLines encodes data as lines and decodes them to where it was.
func throughLines(lines []Line, data []byte) error {
	h := Header{Operation: Push, Data: len(data)}
	n := h.Encode(lines[:])
	m := EncodeData(lines[n:], data)
	return DecodeData(&h, lines[n:n+m], data)
}

func BenchmarkSegmenter(b *testing.B) {
	const packets = 64
	check.PerPacket(b, packets, func() {
		if cutAll(packets*496, 496) != packets {
			b.Fatal("packets are missing")
		}
	})
}

// cutAll returns of how many packets a message consists.
func cutAll(size, payload int) int {
	cut := NewSegmenter(size, payload)
	for n := 0; ; n++ {
		if _, _, _, ok := cut.Next(); !ok {
			return n
		}
	}
}

// Nothing that is done per packet allocates.
func TestPacketsDoNotAllocate(t *testing.T) {
	short, long := newPath(false), newPath(true)
	h := Header{Operation: Push, Data: 496}
	lines, data := make([]Line, MaxLines), make([]byte, 496)
	for _, test := range []struct {
		name string
		f    func() bool
	}{
		{"header", short.pass},
		{"long header", long.pass},
		{"check", func() bool { return h.Check() == nil }},
		{"lines", func() bool { return throughLines(lines, data) == nil }},
		{"segments", func() bool { return cutAll(5000, 496) == 11 }},
	} {
		allocs := testing.AllocsPerRun(100, func() {
			if !test.f() {
				t.Errorf("%s: a packet did not pass", test.name)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations per packet; expected none", test.name, allocs)
		}
	}
}
