package mpi

import (
	"fmt"
	"math"

	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// Block is contiguous elements of a slice.
type Block struct{ At, Count int }

// Layout names the elements of a slice of which a message is made, in their order, as a
// derived datatype of MPI does. The zero value has no elements.
type Layout struct {
	blocks               []Block
	count, block, stride int   // without blocks
	wrong                error // why it is refused; nil: it may be valid
}

// Vector is count blocks of some elements each that begin stride elements from each
// other, such as the columns of a matrix.
func Vector(count, block, stride int) Layout {
	return Layout{count: count, block: block, stride: stride}
}

// Indexed is any blocks. Those of a receive may not overlap.
func Indexed(blocks ...Block) Layout {
	if blocks == nil {
		blocks = []Block{}
	}
	return Layout{blocks: blocks}
}

// Elements returns how many elements it has.
func (l Layout) Elements() int {
	if l.blocks == nil {
		return l.count * l.block
	}
	n := 0
	for _, b := range l.blocks {
		n += b.Count
	}
	return n
}

// of returns the layout in bytes, of elements of a size.
func (l *Layout) of(size int) datatype.Type {
	if l.wrong != nil {
		return datatype.Invalid(l.wrong)
	}
	most := math.MaxInt / max(size, 1)
	if l.blocks == nil {
		if max(l.block, l.stride, -l.stride) > most {
			return datatype.Invalid(fmt.Errorf("a layout of blocks of %d elements, %d from each other; there is no memory of so many", l.block, l.stride))
		}
		return datatype.Strided(l.count, l.block*size, l.stride*size)
	}
	runs := make([]datatype.Run, len(l.blocks))
	for i, b := range l.blocks {
		if max(b.At, b.Count) > most {
			return datatype.Invalid(fmt.Errorf("block %d of the layout, %d elements from %d on; there is no memory of so many", i, b.Count, b.At))
		}
		runs[i] = datatype.Run{At: b.At * size, Bytes: b.Count * size}
	}
	return datatype.Indexed(runs)
}

// typesOf returns layouts in bytes, of elements of a size.
func typesOf(layouts []Layout, size int) []datatype.Type {
	types := make([]datatype.Type, len(layouts))
	for i := range layouts {
		types[i] = layouts[i].of(size)
	}
	return types
}

// SendLayout is Send of the elements that a layout names, in its order. The receiver
// need not have the same layout, nor any. It fails with ErrArgument if the layout
// names elements that do not exist.
func SendLayout[T any](c *Comm, to, tag int, data []T, l Layout) error {
	const call = "SendLayout"
	if c.reaches(to, tag) && isUsual[T]() {
		return sendLayout[T](c, call, to, tag, elements.Memory(data), &l)
	}
	b, err := sending(c, call, to, tag, data)
	if err != nil {
		return err
	}
	return c.enter(call).Returns(sendLayout[T](c, call, to, tag, b, &l))
}

func sendLayout[T any](c *Comm, call string, to, tag int, b []byte, l *Layout) error {
	t, err := typeWithin[T](c, call, l, b)
	if err != nil {
		return err
	}
	return c.comm.SendType(call, to, tag, b, &t)
}

// typeWithin returns a layout in bytes, if memory has the elements that it names.
func typeWithin[T any](c *Comm, call string, l *Layout, memory []byte) (datatype.Type, error) {
	t := l.of(elements.Size[T]())
	if err := t.Check(len(memory), elements.Size[T]()); err != nil {
		return t, c.comm.Fail(fault.Argument, call, err)
	}
	return t, nil
}

// ISendLayout starts a SendLayout. The elements may be changed at once.
func ISendLayout[T any](c *Comm, to, tag int, data []T, l Layout) (*Request, error) {
	defer c.enter("ISendLayout").Leave()
	return startLayout(c, "ISendLayout", to, tag, data, l)
}

func startLayout[T any](c *Comm, call string, to, tag int, data []T, l Layout) (*Request, error) {
	b, err := sending(c, call, to, tag, data)
	if err != nil {
		return nil, err
	}
	t, err := typeWithin[T](c, call, &l, b)
	if err != nil {
		return nil, err
	}
	return requestOr(c.comm.SendPacked(call, to, tag, b, t))
}

// ReceiveLayout is Receive to the elements that a layout names, in its order. It
// fails with ErrArgument if the layout names elements that do not exist.
func ReceiveLayout[T any](c *Comm, from, tag int, into []T, l Layout) (Status, error) {
	const call = "ReceiveLayout"
	if c.reaches(from, tag) && isUsual[T]() {
		return waitForLayout[T](c, call, from, tag, elements.Memory(into), &l)
	}
	b, err := receiving(c, call, from, tag, into)
	if err != nil {
		return Status{}, err
	}
	defer c.enter(call).Leave()
	return waitForLayout[T](c, call, from, tag, b, &l)
}

func waitForLayout[T any](c *Comm, call string, from, tag int, b []byte, l *Layout) (Status, error) {
	t, err := typeWithin[T](c, call, l, b)
	if err != nil {
		return Status{}, err
	}
	return received(c.comm.ReceiveType(call, from, tag, b, &t))
}

// IReceiveLayout starts a ReceiveLayout.
func IReceiveLayout[T any](c *Comm, from, tag int, into []T, l Layout) (*Request, error) {
	defer c.enter("IReceiveLayout").Leave()
	return receiveLayout(c, "IReceiveLayout", from, tag, into, l)
}

func receiveLayout[T any](c *Comm, call string, from, tag int, into []T, l Layout) (*Request, error) {
	b, err := receiving(c, call, from, tag, into)
	if err != nil {
		return nil, err
	}
	t, err := typeWithin[T](c, call, &l, b)
	if err != nil {
		return nil, err
	}
	return requestOr(c.comm.ReceivePacked(call, from, tag, b, t))
}

// Subarray is part of an array of any number of dimensions, such as a column of a matrix or a
// face of a block: in each dimension, of which dims tells the length, counts elements from
// begins on. The last dimension is that whose elements follow each other in the slice. What
// is not in the array is refused by the function that is given the layout.
func Subarray(dims, counts, begins []int) Layout {
	if err := checkSubarray(dims, counts, begins); err != nil {
		return Layout{wrong: err}
	}
	last, inner := len(dims)-1, 1 // behind the last one whole dimensions, of so many elements
	for last > 0 && counts[last] == dims[last] {
		inner *= dims[last]
		last--
	}
	places := []int{0} // in an array of the dimensions so far
	for d := range last {
		places = inDimension(places, dims[d], counts[d], begins[d])
	}
	blocks := make([]Block, len(places))
	for i, place := range places {
		blocks[i] = Block{At: (place*dims[last] + begins[last]) * inner, Count: counts[last] * inner}
	}
	return Layout{blocks: blocks}
}

// inDimension adds a dimension to the places of elements in an array: each place becomes count
// places, from begin on in the new dimension.
func inDimension(places []int, dim, count, begin int) []int {
	list := make([]int, 0, len(places)*count)
	for _, place := range places {
		for i := range count {
			list = append(list, place*dim+begin+i)
		}
	}
	return list
}

// checkSubarray fails if there is no such part.
func checkSubarray(dims, counts, begins []int) error {
	if len(dims) == 0 || len(counts) != len(dims) || len(begins) != len(dims) {
		return fmt.Errorf("a subarray of %d dimensions, with %d counts and %d begins; expected at least 1, and as many",
			len(dims), len(counts), len(begins))
	}
	for d, dim := range dims {
		if begins[d] < 0 || counts[d] < 0 || begins[d] > dim-counts[d] {
			return fmt.Errorf("dimension %d of a subarray, %d elements from %d on; there are %d elements", d, counts[d], begins[d], dim)
		}
	}
	return nil
}
