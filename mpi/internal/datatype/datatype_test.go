package datatype_test

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"

	"musubi/mpi/internal/datatype"
)

func drawType(t *rapid.T) datatype.Type {
	if rapid.Bool().Draw(t, "strided") {
		return datatype.Strided(rapid.IntRange(-1, 4).Draw(t, "count"), rapid.IntRange(-1, 4).Draw(t, "bytes"), rapid.IntRange(-2, 6).Draw(t, "stride"))
	}
	runs := make([]datatype.Run, rapid.IntRange(0, 4).Draw(t, "runs"))
	for i := range runs {
		runs[i] = datatype.Run{rapid.IntRange(-1, 20).Draw(t, "at"), rapid.IntRange(-1, 4).Draw(t, "length")}
	}
	return datatype.Indexed(runs)
}

// places are the bytes that a type names, in its order.
func places(of *datatype.Type) (list []int) {
	for i := range of.Runs() {
		r := of.Run(i)
		for k := range max(0, r.Bytes) {
			list = append(list, r.At+k)
		}
	}
	return list
}

// A type that Check lets pass names bytes of the memory only, as many as its size; packing and
// unpacking move just these.
func TestTypesNameBytesOfMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := drawType(t)
		memory := make([]byte, 16)
		for i := range memory {
			memory[i] = byte(i)
		}
		if of.Check(len(memory), 1) != nil {
			return
		}
		named := places(&of)
		if len(named) != of.Size {
			t.Fatalf("%+v names %d bytes; expected %d", of, len(named), of.Size)
		}
		packed := make([]byte, of.Size)
		of.Pack(packed, memory)
		back := make([]byte, len(memory))
		of.Unpack(back, packed)
		want := make([]byte, len(memory))
		for i, at := range named {
			if int(packed[i]) != at {
				t.Fatalf("%+v packs %v; expected %v", of, packed, named)
			}
			want[at] = byte(at)
		}
		if !bytes.Equal(back, want) {
			t.Fatalf("%+v unpacks to %v; expected %v", of, back, want)
		}
	})
}

// What does not lie in memory is refused, however far beyond.
func TestTypesBeyondMemoryAreRefused(t *testing.T) {
	for _, of := range []datatype.Type{
		datatype.Strided(2, 4, 13), datatype.Strided(math.MaxInt, 1, math.MaxInt), datatype.Strided(1<<62, 1, 4), datatype.Strided(2, 4, -1), datatype.Strided(-1, 4, 4),
		datatype.Strided(1, math.MaxInt, 1), datatype.Indexed([]datatype.Run{{0, 4}, {13, 4}}), datatype.Indexed([]datatype.Run{{4, -1}}), datatype.Indexed([]datatype.Run{{-1, 4}}),
	} {
		if err := of.Check(16, 1); err == nil {
			t.Errorf("%+v is accepted of 16 bytes", of)
		}
	}
}
