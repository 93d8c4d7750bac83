package onesided

import (
	"testing"

	"musubi/internal/check"
)

// layouts take 496 bytes, a packet of DIMMnet-2, in elements of 8 or 62 bytes.
var layouts = []struct {
	name   string
	layout Layout
}{
	{"contiguous", Layout{}},
	{"strided-8", Layout{Element: 8, Stride: 64, Count: 62}},
	{"strided-62", Layout{Element: 62, Stride: 496, Count: 8}},
	{"list-8", listOf(8, 64, 62)},
}

func listOf(element, stride, count int) Layout {
	a := Layout{Element: element, Count: count}
	for i := range count {
		a.Offsets = append(a.Offsets, (count-1-i)*stride)
	}
	return a
}

func BenchmarkGatherScatter(b *testing.B) {
	memory, packet := make([]byte, 4096), make([]byte, 496)
	for _, test := range layouts {
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(2 * int64(len(packet)))
			check.PerPacket(b, 1, func() {
				if test.layout.Gather(packet, memory, 0)+test.layout.Scatter(memory, packet, 0) != 2*len(packet) {
					b.Fatal("bytes are missing")
				}
			})
		})
	}
}

// Gathering, scattering and encoding allocate nothing.
func TestLayoutsDoNotAllocate(t *testing.T) {
	memory, data, encoded := make([]byte, 4096), make([]byte, 496), make([]byte, 0, 4096)
	for _, test := range layouts {
		allocs := testing.AllocsPerRun(100, func() {
			l := test.layout
			if l.Gather(data, memory, 0) != 496 || l.Scatter(memory, data, 0) != 496 || l.Pieces(0, 496) == 0 {
				t.Errorf("%s: bytes are missing", test.name)
			}
			encoded = l.Encode(encoded[:0])
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations; expected none", test.name, allocs)
		}
	}
}
