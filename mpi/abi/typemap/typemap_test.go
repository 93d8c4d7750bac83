package typemap

import (
	"musubi/mpi/internal/datatype"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"musubi/mpi/abi/standard"
)

// naive is a type map as the standard defines it: basic elements with their displacements.
type naive struct {
	elements     []basic
	lower, upper int
	bounded      bool
}

type basic struct{ at, bytes, word int }

func (n *naive) size() (bytes int) {
	for _, e := range n.elements {
		bytes += e.bytes
	}
	return bytes
}

// anyType returns a type and the same by the definition.
func anyType(t *rapid.T, depth int) (Type, naive) {
	if depth == 0 || rapid.Bool().Draw(t, "basic") {
		b := rapid.SampledFrom([]basic{{0, 1, 1}, {0, 4, 4}, {0, 8, 8}, {0, 16, 8}}).Draw(t, "kind")
		return Basic(Element{Basic: int64(b.bytes), Bytes: b.bytes}, b.word), naive{[]basic{b}, 0, b.bytes, true}
	}
	if rapid.Bool().Draw(t, "array") {
		return anyArray(t, depth)
	}
	var blocks []Block
	var made naive
	for range rapid.IntRange(0, 4).Draw(t, "blocks") {
		of, by := anyType(t, depth-1)
		b := Row(rapid.IntRange(-40, 80).Draw(t, "at"), rapid.IntRange(0, 3).Draw(t, "count"), &of)
		if rapid.Bool().Draw(t, "apart") {
			b.Stride = rapid.IntRange(-40, 40).Draw(t, "stride")
		}
		blocks = append(blocks, b)
		made.append(b, &by)
	}
	return Compose(blocks), made
}

func (n *naive) append(b Block, of *naive) {
	for i := range b.Count {
		base := b.At + i*b.Stride
		if !n.bounded {
			n.lower, n.upper, n.bounded = base+of.lower, base+of.upper, true
		}
		n.lower, n.upper = min(n.lower, base+of.lower), max(n.upper, base+of.upper)
		for _, e := range of.elements {
			n.elements = append(n.elements, basic{base + e.at, e.bytes, e.word})
		}
	}
}

// anyArray returns some blocks of an array in two dimensions.
func anyArray(t *rapid.T, depth int) (Type, naive) {
	of, by := anyType(t, depth-1)
	sizes := []int{rapid.IntRange(1, 4).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "columns")}
	order := rapid.SampledFrom([]int{standard.OrderC, standard.OrderFortran}).Draw(t, "order")
	indices := make([][]Range, 2)
	has := make([]map[int]bool, 2)
	for d := range indices {
		kind := rapid.SampledFrom([]int{standard.DistributeBlock, standard.DistributeCyclic}).Draw(t, "distribution")
		processes := rapid.IntRange(1, 3).Draw(t, "processes")
		own, block := rapid.IntRange(0, processes-1).Draw(t, "own"), rapid.IntRange(1, 4).Draw(t, "block")
		indices[d] = Distributed(kind, block, sizes[d], processes, own)
		has[d] = map[int]bool{}
		for i := range sizes[d] {
			has[d][i] = i/block%processes == own
		}
	}
	made := naive{bounded: true, upper: (by.upper - by.lower) * sizes[0] * sizes[1]}
	outer, inner := 0, 1
	if order == standard.OrderFortran {
		outer, inner = 1, 0
	}
	for i := range sizes[outer] {
		for j := range sizes[inner] {
			if !has[outer][i] || !has[inner][j] {
				continue
			}
			base := (i*sizes[inner] + j) * (by.upper - by.lower)
			for _, e := range by.elements {
				made.elements = append(made.elements, basic{base + e.at, e.bytes, e.word})
			}
		}
	}
	return Array(&of, sizes, indices, order), made
}

// Types copy, count and turn around what the definition says.
func TestTypesAreTheirMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of, by := anyType(t, 3)
		if of.Size != by.size() {
			t.Fatalf("%d bytes; expected %d", of.Size, by.size())
		}
		if of.Lower != by.lower || of.Upper != by.upper {
			t.Fatalf("bounds %d and %d; expected %d and %d", of.Lower, of.Upper, by.lower, by.upper)
		}
		count := rapid.IntRange(0, 3).Draw(t, "count")
		low, span := of.Span(count)
		memory := rapid.SliceOfN(rapid.Byte(), span, span).Draw(t, "memory")
		var packed, swapped []byte
		for i := range count {
			base := i*of.Extent() - low
			for _, e := range by.elements {
				data := memory[base+e.at:][:e.bytes]
				packed = append(packed, data...)
				for rest := slices.Clone(data); len(rest) > 0; rest = rest[e.word:] {
					slices.Reverse(rest[:e.word])
					swapped = append(swapped, rest[:e.word]...)
				}
			}
		}
		got := make([]byte, count*of.Size)
		of.Pack(got, memory, low, count)
		if !slices.Equal(got, packed) {
			t.Fatalf("packed %v; expected %v", got, packed)
		}
		into := slices.Clone(memory)
		of.Unpack(into, packed, low, count)
		if !slices.Equal(into, memory) {
			t.Fatalf("unpacked to %v; expected %v", into, memory)
		}
		some := rapid.IntRange(0, len(packed)).Draw(t, "some")
		into, want := make([]byte, span), make([]byte, span)
		of.Unpack(into, packed[:some], low, count)
		for i, rest := 0, packed[:some]; i < count; i++ {
			for _, e := range by.elements {
				rest = rest[copy(want[i*of.Extent()-low+e.at:][:e.bytes], rest):]
			}
		}
		if !slices.Equal(into, want) {
			t.Fatalf("%d bytes unpacked to %v; expected %v", some, into, want)
		}
		external := of.ToExternal(got)
		if !slices.Equal(external, swapped) || len(external) != count*of.ExternalSize() {
			t.Fatalf("turned around %v; expected %v", external, swapped)
		}
		if back := of.FromExternal(external); !slices.Equal(back, packed) {
			t.Fatalf("turned back %v; expected %v", back, packed)
		}
		if len(external) == 0 {
			return
		}
		some = rapid.IntRange(0, len(external)).Draw(t, "external") // as where a file ends
		if back := of.FromExternal(external[:some]); !slices.Equal(back, packed[:len(back)]) || len(back) != of.FromExternalSize(some) || len(back) > some || some-len(back) >= 8 {
			t.Fatalf("%d bytes turned back to %v, %d expected; all are %v", some, back, of.FromExternalSize(some), packed)
		}
	})
}

// An MPI_LONG has 4 bytes in external32, and comes back with its sign.
func TestLongsAreShorterInExternal32(t *testing.T) {
	long := Basic(Element{Basic: 1, Bytes: 8}, 8)
	long.Parts[0].External, long.Parts[0].Signed = 4, true
	data := []byte{1, 2, 0, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	external := long.ToExternal(data)
	if want := []byte{0, 0, 2, 1, 0xff, 0xff, 0xff, 0xfe}; !slices.Equal(external, want) {
		t.Errorf("%v; expected %v", external, want)
	}
	if back := long.FromExternal(external); !slices.Equal(back, data) {
		t.Errorf("%v; expected %v", back, data)
	}
}

// Pairs in a vector keep their gaps, and what lies between the pairs does not become data.
func TestWholePairs(t *testing.T) {
	pair := Pair(1, 0, 8) // a double, an int and a gap of 4 bytes
	vector := Compose([]Block{Row(0, 2, &pair), Row(48, 1, &pair)})
	whole := vector.Whole(12)
	if want := []datatype.Run{{Bytes: 32}, {At: 48, Bytes: 16}}; !slices.Equal(slices.Collect(whole.Runs(1)), want) || whole.Size != 48 || whole.TrueUp != 64 {
		t.Errorf("%+v; expected runs %v", whole, want)
	}
}

// Bytes and basic elements are each other's count, also within an element.
func TestBasicsAndBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of, by := anyType(t, 2)
		if of.Size == 0 {
			return
		}
		bytes, n := 0, 0
		for range 2 {
			for _, e := range by.elements {
				if got := of.Basics(bytes); got != n {
					t.Fatalf("%d basic elements in %d bytes; expected %d", got, bytes, n)
				}
				if got := of.BytesOf(n); got != bytes {
					t.Fatalf("%d bytes in %d basic elements; expected %d", got, n, bytes)
				}
				if got := of.Basics(bytes + e.bytes - 1); e.bytes > 1 && got != -1 {
					t.Fatalf("%d basic elements in %d bytes, which end within one", got, bytes+e.bytes-1)
				}
				bytes, n = bytes+e.bytes, n+1
			}
		}
	})
}

// A type is simple only if its elements lie one behind the other from their address on.
func TestSimple(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of, by := anyType(t, 3)
		at, contiguous := 0, true
		for _, e := range by.elements {
			contiguous = contiguous && e.at == at
			at += e.bytes
		}
		if want := contiguous && of.Lower == 0 && of.Extent() == of.Size; of.Simple != want {
			t.Fatalf("simple: %v; expected %v: %+v", of.Simple, want, by)
		}
	})
}

// A vector takes as much memory with many blocks as with few, also one of structs, and of such vectors.
func TestLongVectorsAreShort(t *testing.T) {
	const blocks = 1 << 30
	int32s, double := Basic(Element{Basic: 1, Bytes: 4}, 4), Basic(Element{Basic: 2, Bytes: 8}, 8)
	mixed := Compose([]Block{Row(0, 1, &int32s), Row(8, 1, &double)})
	for name, c := range map[string]struct {
		of     Type
		basics int
	}{"ints": {int32s, 1}, "structs": {mixed, 2}} {
		vector := Compose([]Block{{Count: blocks, Stride: 48, Of: &c.of}})
		twice := Compose([]Block{Row(0, 2, &vector)})
		if size := 2 * blocks * c.of.Size; twice.Size != size || twice.Basics(size) != 2*blocks*c.basics || twice.BytesOf(2*blocks*c.basics) != size {
			t.Errorf("%s: %d bytes, of which %d are %d basic elements; expected %d bytes of %d", name, twice.Size, size, twice.Basics(size), size, 2*blocks*c.basics)
		}
		if within := vector.Size + 3*c.of.Size + 1; twice.Basics(within) != -1 {
			t.Errorf("%s: %d bytes are %d basic elements; expected that they end within one", name, within, twice.Basics(within))
		}
		next := 0
		for r := range twice.Runs(1) {
			if r.At > 1000 {
				break
			}
			if r.At/48*48 != next/c.basics*48 {
				t.Errorf("%s: run %d is %v; expected one of the element at %d", name, next, r, next/c.basics*48)
			}
			next++
		}
		if next != 21*c.basics {
			t.Errorf("%s: %d runs within 1,000 bytes; expected %d", name, next, 21*c.basics)
		}
	}
}

// Types of several basic types have no element, in whatever order they come.
func TestMixedTypesHaveNoElement(t *testing.T) {
	a, b := Basic(Element{Basic: 1, Bytes: 4}, 4), Basic(Element{Basic: 2, Bytes: 8}, 8)
	mixed := Compose([]Block{Row(0, 1, &a), Row(8, 1, &b)})
	nothing := Compose(nil)
	for name, c := range map[string]struct {
		blocks []Block
		want   int64
	}{
		"one":              {[]Block{Row(0, 2, &a), Row(16, 1, &a)}, 1},
		"two":              {[]Block{Row(0, 2, &a), Row(16, 1, &b)}, 0},
		"mixed, then one":  {[]Block{Row(0, 1, &mixed), Row(16, 1, &a)}, 0},
		"nothing, and one": {[]Block{Row(0, 1, &nothing), Row(0, 1, &a), Row(8, 1, &nothing)}, 1},
	} {
		made := Compose(c.blocks)
		if got := made.Element.Basic; got != c.want {
			t.Errorf("%s: element %d; expected %d", name, got, c.want)
		}
	}
}

// A column of a matrix of doubles, and of one of structs with an int and a double.
func BenchmarkPack(b *testing.B) {
	const rows = 1024
	whole, double := Basic(Element{Basic: 1, Bytes: 4}, 4), Basic(Element{Basic: 2, Bytes: 8}, 8)
	mixed := Compose([]Block{Row(0, 1, &whole), Row(8, 1, &double)})
	for name, of := range map[string]Type{"ints": whole, "doubles": double, "structs": mixed} {
		b.Run(name, func(b *testing.B) {
			column := Compose([]Block{{Count: rows, Stride: 64, Of: &of}})
			memory, into := make([]byte, 64*rows), make([]byte, column.Size)
			b.SetBytes(int64(column.Size))
			for b.Loop() {
				column.Pack(into, memory, 0, 1)
				column.Unpack(memory, into, 0, 1)
			}
		})
	}
}
