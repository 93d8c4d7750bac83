package mpi

import (
	"bytes"
	"slices"
	"testing"

	"musubi/mpi/internal/reduction"
)

func TestAccessMessages(t *testing.T) {
	runs := []run{{3, 1}, {1 << 40, 7}}
	b := make([]byte, remoteBytes+2*runBytes, 100)
	encodeAccess(b, fetch, reduction.XorID, runs)
	b = append(b, "elements"...)
	a, err := decodeAccess(b)
	if err != nil || a.wish != fetch || a.op != reduction.XorID || string(a.data) != "elements" {
		t.Fatalf("decoded %+v, %v", a, err)
	}
	for i, want := range runs {
		if at, count := a.run(i); at != uint64(want.at) || count != uint64(want.count) {
			t.Errorf("run %d is %d from %d on; expected %+v", i, count, at, want)
		}
	}
	for name, spoil := range map[string]func([]byte) []byte{
		"shorter than its head": func(b []byte) []byte { return b[:remoteBytes-1] },
		"of no kind":            func(b []byte) []byte { b[0] = 0; return b },
		"beyond the last kind":  func(b []byte) []byte { b[0] = byte(completed) + 1; return b },
		"of no operation":       func(b []byte) []byte { b[1] = byte(reduction.LastID) + 1; return b },
		"not zero":              func(b []byte) []byte { b[3] = 1; return b },
		"without its runs":      func(b []byte) []byte { return b[:remoteBytes+2*runBytes-1] },
		"with too many runs":    func(b []byte) []byte { b[7] = 0xff; return b },
	} {
		if a, err := decodeAccess(spoil(slices.Clone(b))); err == nil {
			t.Errorf("a message that is %s is decoded as %+v", name, a)
		}
	}
}

// What is decoded is what would be encoded as the same bytes.
func FuzzDecodeAccess(f *testing.F) {
	b := make([]byte, remoteBytes+runBytes+3)
	encodeAccess(b, accumulate, reduction.SumID, []run{{1, 2}})
	f.Add(b)
	f.Add([]byte{byte(grant), 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := decodeAccess(b)
		if err != nil {
			return
		}
		var runs []run
		for i := range len(a.runs) / runBytes {
			at, count := a.run(i)
			runs = append(runs, run{int(at), int(count)})
		}
		again := make([]byte, remoteBytes+len(a.runs))
		encodeAccess(again, a.wish, a.op, runs)
		if again = append(again, a.data...); !bytes.Equal(again, b) {
			t.Errorf("%x is decoded as %+v, which is %x", b, a, again)
		}
	})
}

// Each operation has the kinds of elements that its type parameter allows, and every
// kind has those that take any element.
func TestReducersAreForWhatTheirOperationsAllow(t *testing.T) {
	kinds := map[string]reduction.Kind{
		"int8": kindOf[int8](), "uint": kindOf[uint](), "float32": kindOf[float32](), "complex128": kindOf[complex128](),
		"bool": kindOf[bool](), "located": kindOf[Located[float64]](), "located uint8": kindOf[Located[uint8]](),
	}
	for op, want := range map[reduction.ID][]string{
		reduction.User:  nil,
		reduction.SumID: {"int8", "uint", "float32", "complex128"}, reduction.ProductID: {"int8", "uint", "float32", "complex128"},
		reduction.MaxID: {"int8", "uint", "float32"}, reduction.MinID: {"int8", "uint", "float32"},
		reduction.AndID: {"int8", "uint"}, reduction.OrID: {"int8", "uint"}, reduction.XorID: {"int8", "uint"},
		reduction.LogicalAndID: {"bool"}, reduction.LogicalOrID: {"bool"}, reduction.LogicalXorID: {"bool"},
		reduction.MaxLocationID: {"located", "located uint8"}, reduction.MinLocationID: {"located", "located uint8"},
		reduction.ReplaceID: {"int8", "uint", "float32", "complex128", "bool", "located", "located uint8"},
		reduction.NoOpID:    {"int8", "uint", "float32", "complex128", "bool", "located", "located uint8"},
	} {
		for name, kind := range kinds {
			if got, expected := reduction.Of(op, kind) != nil, slices.Contains(want, name); got != expected {
				t.Errorf("operation %d on %s: there is one: %v; expected %v", op, name, got, expected)
			}
		}
	}
	type named float64
	type pair struct{ Value, Index int }
	if kindOf[named]() != kindOf[float64]() || kindOf[pair]() != 0 || kindOf[[2]int]() != 0 {
		t.Errorf("kinds %d of a named number, %d of a struct, %d of an array", kindOf[named](), kindOf[pair](), kindOf[[2]int]())
	}
}
