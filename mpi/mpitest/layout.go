package mpitest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/mpi"
)

var layoutChecks = group{"layouts", []check{
	{name: "columns and rows", ranks: 2, program: vectors},
	{name: "blocks", ranks: 2, program: indexedBlocks},
	{name: "long layouts", ranks: 2, program: longLayouts},
	{name: "subarrays", ranks: 2, program: subarrays},
	{name: "layouts of nothing", ranks: 1, program: layoutsOfNothing},
	{name: "types that are known at run time", program: runTimeTypes},
}}

// A column of one matrix becomes a row, and a row a column of another.
func vectors(c *mpi.Comm) error {
	for _, n := range []int{1, 7, 60} {
		if err := columns(c, n); err != nil {
			return fmt.Errorf("%d x %d: %w", n, n, err)
		}
	}
	return nil
}

func columns(c *mpi.Comm, n int) error {
	column := mpi.Vector(n, 1, n)
	matrix := make([]int32, n*n)
	if c.Rank() == 0 {
		for i := range matrix {
			matrix[i] = int32(i)
		}
		return first(mpi.SendLayout(c, 1, 0, matrix[n/2:], column), mpi.Send(c, 1, 0, matrix[:n]))
	}
	row, want, wanted := make([]int32, n), make([]int32, n), make([]int32, n*n)
	for i := range n {
		want[i], wanted[i*n] = int32(i*n+n/2), int32(i)
	}
	if _, err := mpi.Receive(c, 0, 0, row); err != nil {
		return err
	}
	if _, err := mpi.ReceiveLayout(c, 0, 0, matrix, column); err != nil {
		return err
	}
	return first(same("the column as a row", row, want), same("the row as a column", matrix, wanted))
}

// randomLayout returns blocks of a slice that do not overlap, in random order.
func randomLayout(rng *rand.Rand, length int) ([]mpi.Block, int) {
	var blocks []mpi.Block
	n := 0
	for at := rng.IntN(5); at < length; {
		b := mpi.Block{At: at, Count: rng.IntN(min(20, length-at+1))}
		blocks = append(blocks, b)
		n += b.Count
		at += b.Count + rng.IntN(10)
	}
	rng.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	return blocks, n
}

// What blocks name is received in their order, and nothing else is written; shorter
// messages fill the first blocks, longer ones are truncated.
func indexedBlocks(c *mpi.Comm) error {
	const length, messages = 3000, 20
	rng := rand.New(rand.NewPCG(5, 5)) // the same for both
	for i := range messages {
		from, fromElements := randomLayout(rng, length)
		to, toElements := randomLayout(rng, length)
		data := make([]uint64, length)
		for k := range data {
			data[k] = rng.Uint64()
		}
		if c.Rank() == 0 {
			r, err := mpi.ISendLayout(c, 1, i, data, mpi.Indexed(from...))
			if err != nil {
				return err
			}
			if _, err := r.Wait(); err != nil {
				return err
			}
			continue
		}
		var packed []uint64
		for _, b := range from {
			packed = append(packed, data[b.At:][:b.Count]...)
		}
		want, got := make([]uint64, length), make([]uint64, length)
		for _, b := range to {
			packed = packed[copy(want[b.At:][:b.Count], packed):]
		}
		r, err := mpi.IReceiveLayout(c, 0, i, got, mpi.Indexed(to...))
		if err != nil {
			return err
		}
		status, err := r.Wait()
		if errors.Is(err, mpi.ErrTruncate) != (fromElements > toElements) {
			return fmt.Errorf("%d elements into %d: %v", fromElements, toElements, err)
		}
		if n := mpi.Count[uint64](status); n != min(fromElements, toElements) || !slices.Equal(got, want) {
			return fmt.Errorf("message %d of %d elements into %d: %d elements, or wrong ones", i, fromElements, toElements, n)
		}
	}
	return nil
}

// longLayouts: a long message of one layout comes as another one has it, whole, with the last blocks missing, or cut within a
// block, and nothing else is written.
func longLayouts(c *mpi.Comm) error {
	const least, messages = 20000, 18
	rng := rand.New(rand.NewPCG(11, 2)) // the same for both
	for i := range messages {
		from := longLayout(rng, i%3, least)
		to := longLayout(rng, i/3%3, least+rng.IntN(3)*5000-5000)
		if err := betweenLayouts(c, i, from, to); err != nil {
			return fmt.Errorf("message %d of blocks %v... to blocks %v...: %w", i, from[0], to[0], err)
		}
	}
	return nil
}

// longLayout returns blocks with at least so many elements: one, equal ones that are equally far apart, or equal ones in
// random order.
func longLayout(rng *rand.Rand, kind, elements int) []mpi.Block {
	if kind == 0 {
		return []mpi.Block{{At: rng.IntN(5), Count: elements}}
	}
	size := []int{1, 2, 3, 100}[rng.IntN(4)]
	if kind == 2 {
		size = 100 + rng.IntN(100)
	}
	stride := size + 1 + rng.IntN(5)
	blocks := make([]mpi.Block, (elements+size-1)/size)
	for i := range blocks {
		blocks[i] = mpi.Block{At: i * stride, Count: size}
	}
	if kind == 2 {
		rng.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	}
	return blocks
}

// layoutOf returns a vector if the blocks are in order, equal and equally far apart.
func layoutOf(blocks []mpi.Block) mpi.Layout {
	if len(blocks) > 1 && blocks[0].At == 0 && blocks[1].At > 0 && blocks[len(blocks)-1].At == blocks[1].At*(len(blocks)-1) {
		return mpi.Vector(len(blocks), blocks[0].Count, blocks[1].At)
	}
	return mpi.Indexed(blocks...)
}

// betweenLayouts sends a message from blocks of a slice to blocks of another one.
func betweenLayouts(c *mpi.Comm, tag int, from, to []mpi.Block) error {
	data := make([]uint64, length(from))
	for i := range data {
		data[i] = uint64(i+1) << (tag % 32)
	}
	if c.Rank() == 0 {
		return mpi.SendLayout(c, 1, tag, data, layoutOf(from))
	}
	var packed []uint64
	for _, b := range from {
		packed = append(packed, data[b.At:][:b.Count]...)
	}
	sent, room := len(packed), layoutOf(to).Elements()
	want, got := make([]uint64, length(to)), make([]uint64, length(to))
	for _, b := range to {
		packed = packed[copy(want[b.At:][:b.Count], packed):]
	}
	status, err := receiveLong(c, tag, got, to)
	if errors.Is(err, mpi.ErrTruncate) != (sent > room) || err != nil && !errors.Is(err, mpi.ErrTruncate) {
		return fmt.Errorf("%d elements into %d: %v", sent, room, err)
	}
	if n := mpi.Count[uint64](status); n != min(sent, room) || !slices.Equal(got, want) {
		return fmt.Errorf("%d elements into %d: %d elements, or wrong ones", sent, room, n)
	}
	return nil
}

// receiveLong receives a message, each in one of several ways.
func receiveLong(c *mpi.Comm, tag int, into []uint64, to []mpi.Block) (mpi.Status, error) {
	switch {
	case len(to) == 1:
		return mpi.Receive(c, mpi.AnySource, tag, into[to[0].At:][:to[0].Count])
	case tag%2 == 0:
		return mpi.ReceiveLayout(c, 0, tag, into, layoutOf(to))
	}
	r, err := mpi.IReceiveLayout(c, 0, tag, into, layoutOf(to))
	if err != nil {
		return mpi.Status{}, err
	}
	return r.Wait()
}

// length returns how many elements a slice with some blocks has.
func length(blocks []mpi.Block) (n int) {
	for _, b := range blocks {
		n = max(n, b.At+b.Count)
	}
	return n + 3
}

// subarrays: elements of arrays of one to four dimensions are sent from where they lie, and
// received there.
func subarrays(c *mpi.Comm) error {
	rng := rand.New(rand.NewPCG(3, 0))
	for i := range 40 {
		n := 1 + rng.IntN(4)
		dims, counts, begins := make([]int, n), make([]int, n), make([]int, n)
		for d := range dims {
			dims[d] = 1 + rng.IntN(6)
			counts[d] = rng.IntN(dims[d] + 1)
			if rng.IntN(2) == 0 {
				counts[d] = dims[d]
			}
			begins[d] = rng.IntN(dims[d] - counts[d] + 1)
		}
		if err := subarray(c, dims, counts, begins); err != nil {
			return fmt.Errorf("number %d, %v of %v from %v on: %w", i, counts, dims, begins, err)
		}
	}
	return nil
}

// subarray sends part of an array, whose elements are their places, from rank 0 to rank 1,
// and receives it in one that is else empty.
func subarray(c *mpi.Comm, dims, counts, begins []int) error {
	size := 1
	for _, dim := range dims {
		size *= dim
	}
	array, want, there := make([]int, size), []int{}, make([]int, size)
	for at := range array {
		array[at] = at
		if isInSubarray(at, dims, counts, begins) {
			want, there[at] = append(want, at), at
		}
	}
	l := mpi.Subarray(dims, counts, begins)
	if c.Rank() == 0 {
		return first(mpi.SendLayout(c, 1, 0, array, l), mpi.Send(c, 1, 0, want))
	}
	got, into := make([]int, l.Elements()), make([]int, size)
	_, err := mpi.Receive(c, 0, 0, got)
	_, failed := mpi.ReceiveLayout(c, 0, 0, into, l)
	return first(err, failed, same("what is sent", got, want), same("the array", into, there))
}

// isInSubarray tells whether the element at a place is, by its coordinates.
func isInSubarray(at int, dims, counts, begins []int) bool {
	for d := len(dims) - 1; d >= 0; d-- {
		if x := at%dims[d] - begins[d]; x < 0 || x >= counts[d] {
			return false
		}
		at /= dims[d]
	}
	return true
}

func layoutsOfNothing(c *mpi.Comm) error {
	for _, l := range []mpi.Layout{{}, mpi.Indexed(), mpi.Vector(0, 5, 5), mpi.Vector(3, 0, 1), mpi.Indexed(mpi.Block{At: 2})} {
		if n := l.Elements(); n != 0 {
			return fmt.Errorf("%+v has %d elements", l, n)
		}
		if err := mpi.SendLayout(c, 0, 0, make([]int, 2), l); err != nil {
			return err
		}
		if status, err := mpi.ReceiveLayout(c, 0, 0, make([]int, 2), l); err != nil || status.Bytes != 0 {
			return fmt.Errorf("received %+v, %v", status, err)
		}
	}
	return nil
}

// runTimeTypes: some bytes of records are sent, and come as another type has them.
func runTimeTypes(c *mpi.Comm) error {
	one, err := mpi.DatatypeOf[byte]()
	if err != nil {
		return err
	}
	some := mpi.StructOf(mpi.Field{At: 5, Count: 2, Type: one}, mpi.Field{At: 1, Count: 1, Type: one}).Resized(8)
	for _, n := range []int{short, large} {
		switch c.Rank() {
		case 0:
			err = mpi.SendDatatype(c, 1, 1, text(8*n, 1), n, some)
		case 1:
			into, sent, want := make([]byte, 4*n), text(8*n, 1), make([]byte, 4*n)
			status, failed := mpi.ReceiveDatatype(c, 0, 1, into, n, one.Contiguous(3).Resized(4))
			for i := range n {
				copy(want[4*i:], []byte{sent[8*i+5], sent[8*i+6], sent[8*i+1]})
			}
			err = first(failed, same("what came", into, want), same("bytes", []int{status.Bytes}, []int{3 * n}))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
