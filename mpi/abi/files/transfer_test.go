package files

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"musubi/mpi/abi"
	"musubi/mpi/abi/typemap"
)

// drawTiling draws a view of pieces at equal and at other distances, and lists the places of so many of its bytes.
func drawTiling(t *rapid.T, bytes int) (typemap.Tiling, []int) {
	piece := typemap.Basic(typemap.Element{Bytes: rapid.SampledFrom([]int{1, 4, 8, 24, 700}).Draw(t, "bytes")}, 1)
	gap := rapid.SampledFrom([]int{0, 1, 8, 40, 900, 5000}).Draw(t, "gap")
	blocks := []typemap.Block{{Count: rapid.IntRange(1, 40).Draw(t, "count"), Stride: piece.Size + gap, Of: &piece}}
	if rapid.Bool().Draw(t, "second block") {
		first := typemap.Compose(blocks)
		blocks = append(blocks, typemap.Block{At: first.Upper + rapid.SampledFrom([]int{0, 3, 6000}).Draw(t, "between"), Count: rapid.IntRange(1, 5).Draw(t, "second count"), Stride: 2 * piece.Size, Of: &piece})
	}
	of := typemap.Compose(blocks)
	of.SetBounds(0, of.Upper+rapid.SampledFrom([]int{0, 5, 3000}).Draw(t, "behind"))
	at := rapid.SampledFrom([]int{0, 7, 4096, 10_000}).Draw(t, "begin")
	var places []int
	for tile := 0; len(places) < bytes; tile++ {
		for r := range of.Runs(1) {
			for i := range r.Bytes {
				places = append(places, at+tile*of.Extent()+r.At+i)
			}
		}
	}
	return of.Tile(at), places[:bytes]
}

// What is written through a view lies where a walk from byte to byte puts it and changes no other byte, also behind the end of the file;
// reading brings it back, up to the end.
func TestAccessesAreThoseOfAByteByByteWalk(t *testing.T) {
	name := filepath.Join(t.TempDir(), "data")
	rapid.Check(t, func(t *rapid.T) {
		old := bytes.Repeat([]byte{0xEE}, rapid.SampledFrom([]int{0, 1, 5000, 100_000}).Draw(t, "size"))
		if err := os.WriteFile(name, old, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		from, n := rapid.IntRange(0, 500).Draw(t, "from"), rapid.IntRange(1, 3000).Draw(t, "length")
		f := &abi.File{OS: file, FD: file.Fd(), Mapped: rapid.Bool().Draw(t, "mapped") && mayMap(file), Atomic: rapid.Bool().Draw(t, "atomic") && lockable}
		var places []int
		f.View.Bytes, places = drawTiling(t, from+n)
		places = places[from:]

		data, want := make([]byte, n), old
		for i, place := range places {
			data[i] = byte(1 + i%200)
			for len(want) <= place {
				want = append(want, 0)
			}
			want[place] = data[i]
		}
		if done, err := write(f, from, data); err != nil || done != n {
			t.Fatalf("%d of %d bytes written, %v", done, n, err)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("a file of %d bytes (%v), in which one is other than in %d that a walk writes", len(got), err, len(want))
		}

		size := rapid.IntRange(0, len(want)).Draw(t, "size to read")
		if err := file.Truncate(int64(size)); err != nil {
			t.Fatal(err)
		}
		there := 0
		for there < n && places[there] < size {
			there++
		}
		got := make([]byte, n)
		if done, err := read(f, from, got); err != nil || done != there || !bytes.Equal(got[:there], data[:there]) {
			t.Fatalf("%d bytes read, %v; expected the first %d, as %d of the file are left", done, err, there, size)
		}
	})
}
