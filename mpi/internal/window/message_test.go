package window

import (
	"bytes"
	"slices"
	"testing"

	"musubi/mpi/internal/reduction"
)

func TestAccessMessages(t *testing.T) {
	runs := []run{{3, 1}, {1 << 40, 7}}
	b := make([]byte, headerBytes+2*runBytes, 100)
	encodeMessage(b, fetch, reduction.XorID, 0, runs)
	b = append(b, "elements"...)
	a, err := decodeMessage(b)
	if err != nil || a.kind != fetch || a.op != reduction.XorID || string(a.data) != "elements" {
		t.Fatalf("decoded %+v, %v", a, err)
	}
	for i, want := range runs {
		if at, count := a.run(i); at != uint64(want.at) || count != uint64(want.count) {
			t.Errorf("run %d is %d from %d on; expected %+v", i, count, at, want)
		}
	}
	for name, spoil := range map[string]func([]byte) []byte{
		"shorter than its head": func(b []byte) []byte { return b[:headerBytes-1] },
		"of no kind":            func(b []byte) []byte { b[0] = 0; return b },
		"beyond the last kind":  func(b []byte) []byte { b[0] = byte(lastKind) + 1; return b },
		"of no operation":       func(b []byte) []byte { b[1] = byte(reduction.LastID) + 1; return b },
		"not zero":              func(b []byte) []byte { b[3] = 1; return b },
		"without its runs":      func(b []byte) []byte { return b[:headerBytes+2*runBytes-1] },
		"with too many runs":    func(b []byte) []byte { b[7] = 0xff; return b },
	} {
		if a, err := decodeMessage(spoil(slices.Clone(b))); err == nil {
			t.Errorf("a message that is %s is decoded as %+v", name, a)
		}
	}
}

// What is decoded is what would be encoded as the same bytes.
func FuzzDecodeMessage(f *testing.F) {
	b := make([]byte, headerBytes+runBytes+3)
	encodeMessage(b, accumulate, reduction.SumID, 5, []run{{1, 2}})
	f.Add(b)
	f.Add([]byte{byte(lockGranted), 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := decodeMessage(b)
		if err != nil {
			return
		}
		var runs []run
		for i := range len(a.runs) / runBytes {
			at, count := a.run(i)
			runs = append(runs, run{int(at), int(count)})
		}
		again := make([]byte, headerBytes+len(a.runs))
		encodeMessage(again, a.kind, a.op, a.of, runs)
		if again = append(again, a.data...); !bytes.Equal(again, b) {
			t.Errorf("%x is decoded as %+v, which is %x", b, a, again)
		}
	})
}
