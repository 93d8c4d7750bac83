package mbc

import (
	"testing"

	"musubi/internal/check"
	"musubi/onesided"
)

func TestAtomicsTravelInPackets(t *testing.T) {
	for _, a := range []onesided.Atomic{
		{Reduction: onesided.NoOp}, {Reduction: onesided.Replace, Operand: -1}, {Compare: true, Expected: 3, Operand: 5},
	} {
		data := a.Append(nil)
		h := Header{Type: AtomicType(&a), Size: len(data)}
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
		if got, err := ParseAtomic(h.Type, data); err != nil || got != a {
			t.Errorf("%+v came back as %+v, error %v", a, got, err)
		}
	}
}

func TestParseAtomicErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		of   Type
		data []byte
		err  string
	}{
		{"short", FetchOp, make([]byte, 9), "fetch-and-op with 9 bytes of data; expected 10 in a fetch-and-op or 16 in a compare-and-swap"},
		{"long", CompareSwap, make([]byte, 17), "compare-and-swap with 17 bytes of data"},
		{"no atomic", Write, make([]byte, 16), "write with 16 bytes of data"},
		{"fetch-and-op as long as a compare-and-swap", FetchOp, make([]byte, 16), "fetch-and-op with 16 bytes of data"},
		{"reduction of barriers only", FetchOp, []byte{8: byte(onesided.Replace) + 1, 9: 0}, "fetch-and-op with reduction 8; expected 0 to 7"},
		{"unknown reduction", FetchOp, []byte{9: 1}, "fetch-and-op with reduction 256; expected 0 to 7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseAtomic(test.of, test.data)
			check.Error(t, err, test.err)
		})
	}
}
