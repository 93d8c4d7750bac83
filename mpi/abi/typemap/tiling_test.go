package typemap

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"musubi/mpi/internal/datatype"
)

// drawView draws a type whose data is in order and apart: blocks of blocks of bytes.
func drawView(t *rapid.T, depth int) *Type {
	if depth == 0 {
		n := rapid.IntRange(1, 5).Draw(t, "bytes")
		b := Type{Size: n, Upper: n, TrueUp: n, Data: []Series{{Count: 1, Bytes: n}}, Parts: []Part{words(n, 1)}}
		b.setSimple()
		return &b
	}
	var blocks []Block
	at := 0
	for range rapid.IntRange(1, 3).Draw(t, "blocks") {
		of := drawView(t, depth-1)
		at += rapid.IntRange(0, 3).Draw(t, "gap")
		b := Block{At: at, Count: rapid.IntRange(1, 3).Draw(t, "count"), Of: of}
		b.Stride = of.Extent() + rapid.IntRange(0, 3).Draw(t, "between")
		blocks = append(blocks, b)
		at += (b.Count-1)*b.Stride + of.Extent()
	}
	whole := Compose(blocks)
	whole.SetBounds(-rapid.IntRange(0, 2).Draw(t, "below"), at+rapid.IntRange(0, 4).Draw(t, "above"))
	return &whole
}

// placesOf are the places of the first bytes of data, one by one.
func placesOf(t *Type, at, bytes int) (all []int) {
	for k := 0; len(all) < bytes; k++ {
		for r := range t.Runs(1) {
			for i := range r.Bytes {
				all = append(all, at+k*t.Extent()+r.At+i)
			}
		}
	}
	return all[:bytes]
}

// Pieces from any byte on are those that a walk from byte to byte finds, and single ones that touch are one.
func TestTilingShowsWhatAWalkFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of, at := drawView(t, rapid.IntRange(0, 3).Draw(t, "depth")), rapid.IntRange(0, 50).Draw(t, "at")
		from, bytes := rapid.IntRange(0, 3*of.Size).Draw(t, "from"), rapid.IntRange(0, 3*of.Size).Draw(t, "length")
		tiling, want := of.Tile(at), placesOf(of, at, from+bytes)[from:]
		var got []int
		var last Pieces
		tiling.Visit(from, bytes, func(p Pieces) bool {
			if p.Bytes <= 0 || p.Count <= 0 || p.Count == 1 && last.Count == 1 && p.At == last.End() {
				t.Fatalf("%+v behind %+v", p, last)
			}
			last = p
			for k := range p.Count {
				for i := range p.Bytes {
					got = append(got, p.At+k*p.Stride+i)
				}
			}
			return true
		})
		if !slices.Equal(got, want) {
			t.Fatalf("%d bytes from %d on of %+v are at %v; expected %v", bytes, from, of.Data, got, want)
		}
		if bytes > 0 && tiling.Place(from) != want[0] {
			t.Fatalf("byte %d is at %d; expected %d", from, tiling.Place(from), want[0])
		}
		if order := of.Order(); !order.Monotonic || !order.Apart {
			t.Fatalf("%+v: %+v; expected data in order and apart", of.Data, order)
		}
	})
}

// The order of data of random blocks is what a look at all pieces finds.
func TestOrderIsThatOfAllPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var blocks []Block
		for range rapid.IntRange(1, 3).Draw(t, "blocks") {
			of := drawView(t, rapid.IntRange(0, 1).Draw(t, "depth"))
			blocks = append(blocks, Block{At: rapid.IntRange(0, 20).Draw(t, "at"), Count: rapid.IntRange(1, 3).Draw(t, "count"), Stride: rapid.IntRange(-2, 30).Draw(t, "stride"), Of: of})
		}
		of := Compose(blocks)
		want, last := Order{true, true}, datatype.Run{At: -1 << 20}
		for r := range of.Runs(1) {
			want.Monotonic = want.Monotonic && r.At >= last.At
			want.Apart = want.Apart && r.At >= last.At+last.Bytes
			last = r
		}
		if got := of.Order(); got != want {
			t.Fatalf("%+v: %+v; expected %+v", of.Data, got, want)
		}
	})
}
