package onesided

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLayoutConstructors(t *testing.T) {
	for _, test := range []struct {
		name       string
		layout     Layout
		contiguous bool
		bytes      int
	}{
		{"zero value", Layout{}, true, 0},
		{"strided", Strided(4, 10, 3), false, 12},
		{"no elements", Strided(4, 10, 0), false, 0},
		{"list", List(8, 100, 0, 50), false, 24},
		{"empty list", List(8), false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.layout.IsContiguous(); got != test.contiguous {
				t.Errorf("IsContiguous() = %v; expected %v", got, test.contiguous)
			}
			if got := test.layout.Bytes(); got != test.bytes {
				t.Errorf("Bytes() = %d; expected %d", got, test.bytes)
			}
		})
	}
}

func TestLayoutCheck(t *testing.T) {
	for _, test := range []struct {
		name   string
		layout Layout
		size   int
		err    string // part of the error, none if empty
	}{
		{"contiguous", Layout{}, 0, ""},
		{"last element ends with the memory", Strided(4, 10, 3), 24, ""},
		{"last element ends one beyond", Strided(4, 10, 3), 23, "3 elements of 4 bytes, 10 bytes apart, reach beyond 23"},
		{"one element needs no stride", Strided(4, 1000, 1), 4, ""},
		{"no elements in no memory", Strided(4, 10, 0), 0, ""},
		{"the same element again and again", Strided(4, 0, 1000), 4, ""},
		{"overlapping elements", Strided(4, 1, 5), 8, ""},
		{"element of no bytes", Strided(0, 8, 3), 100, "at least 1 byte"},
		{"element of negative size", Strided(-8, 8, 3), 100, "3 elements of -8 bytes"},
		{"negative stride", Strided(8, -8, 3), 100, "stride -8"},
		{"negative stride of no elements", Strided(8, -8, 0), 100, "stride -8"},
		{"negative count", Strided(8, 8, -1), 100, "-1 elements"},
		{"element larger than the memory", Strided(101, 8, 1), 100, "elements of 101 bytes in 100 bytes"},
		{"reach that overflows", Strided(8, math.MaxInt/2, 4), math.MaxInt, "reach beyond"},
		{"bytes that overflow", Strided(8, 0, math.MaxInt/4), 100, "elements of 8 bytes in 100 bytes"},
		{"list in any order", List(8, 92, 0, 50), 100, ""},
		{"list beyond the end", List(8, 0, 93), 100, "8 bytes at offset 93 reaches beyond 100"},
		{"list before the start", List(8, 0, -1), 100, "offset -1"},
		{"offset that overflows", List(8, math.MaxInt), 100, "reaches beyond 100"},
		{"list of elements of no bytes", List(0, 1, 2), 100, "at least 1 byte"},
		{"more offsets than elements", Layout{Element: 1, Count: 1, Offsets: []int{0, 1}}, 100, "1 elements at 2 offsets"},
		{"offsets that are empty", Layout{Element: 1, Count: 1, Offsets: []int{}}, 100, "1 elements at 0 offsets"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.layout.Check(test.size)
			if test.err == "" && err != nil {
				t.Errorf("%+v in %d bytes: %v; expected no error", test.layout, test.size, err)
			}
			if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("%+v in %d bytes: error %v; expected one with %q", test.layout, test.size, err, test.err)
			}
		})
	}
}

// What Check accepts is what lies inside the memory byte by byte.
func TestLayoutCheckIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := smallLayout(t)
		size := rapid.IntRange(0, 60).Draw(t, "size")
		wellFormed := layout.Element >= 1 && layout.Count >= 0 && layout.Stride >= 0
		want := layout.IsContiguous() || wellFormed && fits(layout, size)
		if err := layout.Check(size); (err == nil) != want {
			t.Fatalf("%+v in %d bytes: error %v; expected that it fits to be %v", layout, size, err, want)
		}
	})
}

// fits looks at every byte that a layout takes.
func fits(l Layout, size int) bool {
	for i := range l.Count {
		begin := i * l.Stride
		if l.Offsets != nil {
			begin = l.Offsets[i]
		}
		for at := begin; at < begin+l.Element; at++ {
			if at < 0 || at >= size {
				return false
			}
		}
	}
	return true
}

func smallLayout(t *rapid.T) Layout {
	small := rapid.IntRange(-1, 12)
	if rapid.Bool().Draw(t, "list") {
		offsets := rapid.SliceOfN(rapid.IntRange(-1, 40), 0, 6).Draw(t, "offsets")
		return Layout{Element: small.Draw(t, "element"), Count: len(offsets), Offsets: offsets}
	}
	return Strided(small.Draw(t, "element"), small.Draw(t, "stride"), small.Draw(t, "count"))
}
