package mpi

import (
	"errors"
	"fmt"
	"math"

	"musubi/mpi/internal/core"
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/elements"
	"musubi/mpi/internal/fault"
)

// Datatype says which bytes of memory a message is made of, in their order, for programs that learn only at run
// time what their data is: records of a file, columns that a user names, fields of a struct. It is made of
// other ones, as MPI's derived datatypes are, and is a value. Layout does the same for the elements of a slice.
//
// Items of a type follow each other in memory at distances of its extent. The zero value has no bytes. A type
// that does not exist, such as one with a negative count, is refused by the function that is given it.
type Datatype struct {
	runs   []datatype.Run // of one item; neighbours are one
	size   int            // bytes of them together
	extent int
	wrong  error
}

// DatatypeOf is the type of the elements that a Go type has. It fails with ErrType if these cannot be sent.
func DatatypeOf[T any]() (Datatype, error) {
	if err := checkElement[T](); err != nil {
		return Datatype{}, &Error{Class: ErrType, Call: "DatatypeOf", Rank: -1, Err: err}
	}
	n := elements.Size[T]()
	return Datatype{runs: []datatype.Run{{At: 0, Bytes: n}}, size: n, extent: n}, nil
}

// Field is some items of a type at a place in a struct, in bytes from its beginning.
type Field struct {
	At, Count int
	Type      Datatype
}

// StructOf is fields, in their order. Its extent reaches from the beginning to the end of the last field.
func StructOf(fields ...Field) Datatype {
	var all Datatype
	for _, f := range fields {
		all.add(f.Type, f.At, f.Count)
	}
	return all
}

// Contiguous is items that follow each other.
func (t Datatype) Contiguous(count int) Datatype { return t.Indexed(Block{Count: count}) }

// mostBlocks is how many blocks a Vector has at most.
const mostBlocks = 1 << 30

// Vector is count blocks of some items each that begin stride items from each other.
func (t Datatype) Vector(count, block, stride int) Datatype {
	if count < 0 || count > mostBlocks || block < 0 {
		return Datatype{wrong: fmt.Errorf("a datatype of %d blocks of %d items; expected at least 0, and at most %d blocks", count, block, mostBlocks)}
	}
	blocks := make([]Block, count)
	for i := range blocks {
		if high := float64(i) * float64(stride); math.Abs(high) > addressable {
			return Datatype{wrong: errTooLong}
		}
		blocks[i] = Block{At: i * stride, Count: block}
	}
	return t.Indexed(blocks...)
}

// Indexed is any blocks of items.
func (t Datatype) Indexed(blocks ...Block) Datatype {
	var all Datatype
	for _, b := range blocks {
		if math.Abs(float64(b.At)*float64(t.extent)) > addressable {
			return Datatype{wrong: errTooLong}
		}
		all.add(t, b.At*t.extent, b.Count)
	}
	return all
}

// Resized is the type with another extent, in bytes: for structs that end with bytes of no field.
func (t Datatype) Resized(extent int) Datatype {
	if extent < 0 {
		return Datatype{wrong: fmt.Errorf("a datatype with an extent of %d bytes; expected at least 0", extent)}
	}
	t.extent = extent
	return t
}

var errTooLong = errors.New("a datatype of more memory than there is")

// add appends count items of a type from a place on.
func (t *Datatype) add(item Datatype, at, count int) {
	switch {
	case t.wrong != nil:
		return
	case item.wrong != nil:
		t.wrong = item.wrong
	case at < 0 || count < 0:
		t.wrong = fmt.Errorf("a datatype with %d items at byte %d; expected at least 0", count, at)
	case float64(at)+float64(count)*float64(max(item.extent, item.size)) > addressable || float64(t.size)+float64(count)*float64(item.size) > addressable:
		t.wrong = errTooLong
	}
	if t.wrong != nil {
		return
	}
	if count == 0 {
		return
	}
	if item.isContiguous() {
		t.addRun(datatype.Run{At: at, Bytes: count * item.size})
	} else if len(item.runs) > 0 {
		for i := range count {
			for _, r := range item.runs {
				t.addRun(datatype.Run{At: at + i*item.extent + r.At, Bytes: r.Bytes})
			}
		}
	}
	t.extent = max(t.extent, at+count*item.extent)
}

// isContiguous reports whether several items are one run.
func (t *Datatype) isContiguous() bool {
	return len(t.runs) == 1 && t.runs[0].At == 0 && t.size == t.extent
}

func (t *Datatype) addRun(r datatype.Run) {
	t.size += r.Bytes
	if last := len(t.runs) - 1; last >= 0 && t.runs[last].At+t.runs[last].Bytes == r.At {
		t.runs[last].Bytes += r.Bytes
		return
	}
	t.runs = append(t.runs, r)
}

// Size returns how many bytes of a message an item is.
func (t Datatype) Size() int { return t.size }

// Extent returns how many bytes of memory are from one item to the next.
func (t Datatype) Extent() int { return t.extent }

// of returns the bytes of some items, and fails if memory does not have them.
func (t Datatype) of(memory []byte, count int) (datatype.Type, error) {
	if t.extent > 0 && count-1 > len(memory)/t.extent { // before so many are listed
		return datatype.Type{}, fmt.Errorf("%d items, %d bytes from each other, in %d bytes", count, t.extent, len(memory))
	}
	all := t.Contiguous(count)
	if all.wrong != nil {
		return datatype.Type{}, all.wrong
	}
	runs := datatype.Indexed(all.runs)
	return runs, runs.Check(len(memory), 1)
}

// Memory returns the memory of elements, for functions that take a Datatype. It fails with ErrType if the
// elements cannot be sent.
func Memory[T any](data []T) ([]byte, error) {
	b, err := bytesOf(data)
	if err != nil {
		return nil, &Error{Class: ErrType, Call: "Memory", Rank: -1, Err: err}
	}
	return b, nil
}

// SendDatatype is Send of some items of a type in memory. The receiver need not have the same type, nor any. It
// fails with ErrArgument if there is no such type, or memory does not have as many items.
func SendDatatype(c *Comm, to, tag int, memory []byte, count int, t Datatype) error {
	r, err := ISendDatatype(c, to, tag, memory, count, t)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// ISendDatatype starts a SendDatatype. The memory may be changed at once.
func ISendDatatype(c *Comm, to, tag int, memory []byte, count int, t Datatype) (*Request, error) {
	const call = "SendDatatype"
	defer c.enter(call).Leave()
	if err := c.inner().CheckTo(call, to, tag); err != nil {
		return nil, err
	}
	return withItems(c, call, memory, count, t, func(bytes datatype.Type) (*core.Request, error) {
		return c.comm.SendPacked(call, to, tag, memory, bytes)
	})
}

// ReceiveDatatype is Receive to some items of a type in memory, whose other bytes stay as they are. It fails
// with ErrArgument as SendDatatype does.
func ReceiveDatatype(c *Comm, from, tag int, memory []byte, count int, t Datatype) (Status, error) {
	r, err := IReceiveDatatype(c, from, tag, memory, count, t)
	if err != nil {
		return Status{}, err
	}
	return r.Wait()
}

// IReceiveDatatype starts a ReceiveDatatype.
func IReceiveDatatype(c *Comm, from, tag int, memory []byte, count int, t Datatype) (*Request, error) {
	const call = "ReceiveDatatype"
	defer c.enter(call).Leave()
	if err := c.inner().CheckFrom(call, from, tag); err != nil {
		return nil, err
	}
	return withItems(c, call, memory, count, t, func(bytes datatype.Type) (*core.Request, error) {
		return c.comm.ReceivePacked(call, from, tag, memory, bytes)
	})
}

// withItems starts something with the bytes of some items.
func withItems(c *Comm, call string, memory []byte, count int, t Datatype, start func(bytes datatype.Type) (*core.Request, error)) (*Request, error) {
	bytes, err := t.of(memory, count)
	if err != nil {
		return nil, c.comm.Fail(fault.Argument, call, err)
	}
	return requestOr(start(bytes))
}

// ItemsOf returns how many whole items of a type a message has.
func (s Status) ItemsOf(t Datatype) int {
	if t.size == 0 {
		return 0
	}
	return s.Bytes / t.size
}
