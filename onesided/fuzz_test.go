package onesided

import (
	"bytes"
	"math"
	"testing"
)

// FuzzDecodeLayout reads any bytes as a layout. What decodes is well-formed, no
// larger than the bytes, and gives the same bytes again.
func FuzzDecodeLayout(f *testing.F) {
	for _, a := range []Layout{
		{},
		{Element: 8, Stride: 64, Count: 62},
		{Element: 1, Offsets: []int{}},
		{Element: 8, Count: 3, Offsets: []int{100, 0, 50}},
	} {
		f.Add(a.Encode(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := DecodeLayout(b)
		if err != nil {
			return
		}
		if err := a.Check(math.MaxInt); err != nil {
			t.Fatalf("decoded a layout that fails: %v", err)
		}
		if a.Bytes() < 0 || cap(a.Offsets)*lineSize > len(b) {
			t.Fatalf("%d bytes became %d offsets for %d bytes", len(b), cap(a.Offsets), a.Bytes())
		}
		if again := a.Encode(nil); !bytes.Equal(again, b) {
			t.Fatalf("%+v encodes to %x; it was decoded from %x", a, again, b)
		}
	})
}
