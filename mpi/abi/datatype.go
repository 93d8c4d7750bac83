package abi

import (
	"math/bits"

	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/reduction"
)

// Datatype is a type of the program or of the standard.
type Datatype struct {
	typemap.Type
	Handle     int64
	Made       Envelope
	Name       string
	Attributes Attributes
	Committed  bool
	Predefined bool
	last       *bytesOf
}

// bytesOf is the bytes of some elements of a type, as typemap.Type.FewBytes has them.
type bytesOf struct {
	count, low int
	of         datatype.Type
	ok         bool
}

// bytes is FewBytes, which it remembers for the next message of as many elements.
func (t *Datatype) bytes(count int) *bytesOf {
	if t.last == nil || t.last.count != count { // a call that waits may still use the old one
		of, low, ok := t.FewBytes(count)
		t.last = &bytesOf{count, low, of, ok && of.Size <= of.Extent} // elements that overlap are packed
	}
	return t.last
}

// Envelope is how a type was made.
type Envelope struct {
	Combiner  int
	Ints      []int
	Addresses []int
	Counts    []int
	Types     []*Datatype // the program may have freed them since
}

// Compose makes a type of blocks.
func Compose(blocks []typemap.Block, made Envelope) *Datatype {
	return &Datatype{Type: typemap.Compose(blocks), Made: made}
}

// Clone is a type with the same data.
func (t *Datatype) Clone(made Envelope) *Datatype {
	return &Datatype{Type: t.Type.Clone(), Made: made}
}

// The types of the standard.

// predefinedTypes is the number of handles from cDatatypeNull on that the standard has for types.
const predefinedTypes = 0x100

// basicType is a type of the standard: its name, and its kind for reductions.
type basicType struct {
	handle int64
	name   string
	kind   reduction.Kind
	bytes  int
}

// external are the bytes of those that external32 has shorter (MPI 5.0, table 14.2).
var external = map[int64]int{standard.Long: 4, standard.UnsignedLong: 4, standard.Wchar: 2}

func (p *Process) makePredefined() {
	for _, b := range basicTypes {
		t := typemap.Basic(typemap.Element{Basic: b.handle, Kind: b.kind, Bytes: b.bytes}, b.word())
		if n, narrow := external[b.handle]; narrow {
			t.Parts[0].External, t.Parts[0].Signed = n, b.handle == standard.Long
		}
		p.predefine(b.handle, b.name, t)
	}
	for _, b := range pairTypes {
		p.predefine(b.handle, b.name, typemap.Pair(b.handle, b.kind, b.value))
	}
}

func (p *Process) predefine(handle int64, name string, t typemap.Type) {
	p.predefined[handle-standard.DatatypeNull] = &Datatype{
		Type: t, Handle: handle, Made: Envelope{Combiner: standard.CombinerNamed}, Name: name, Committed: true, Predefined: true,
	}
}

// word returns how many bytes of a type keep together when its bytes are turned around.
func (b *basicType) word() int {
	switch b.handle {
	case standard.Complex, standard.DoubleComplex, standard.CFloatComplex, standard.CDoubleComplex, standard.CLongDoubleComplex,
		standard.CxxFloatComplex, standard.CxxDoubleComplex, standard.CxxLongDoubleComplex, standard.Complex8, standard.Complex16, standard.Complex32:
		return b.bytes / 2
	}
	return b.bytes
}

// TypeAt returns the type of a handle, nil if there is none.
func (p *Process) TypeAt(h int64) *Datatype {
	if i := uint64(h - standard.DatatypeNull); i < predefinedTypes {
		return p.predefined[i]
	}
	return p.Types.Get(h)
}

// BytesInRow returns the bytes of an element of a type of the standard, 0 if there is no such type or it has gaps.
func (p *Process) BytesInRow(h int64) int {
	if t := p.TypeAt(h); t != nil && t.Simple {
		return t.Size
	}
	return 0
}

// KindInRow returns the kind of the elements of a type of the standard, as reductions have it; 0 if they are no numbers, or have gaps.
func (p *Process) KindInRow(h int64) reduction.Kind {
	if t := p.TypeAt(h); t != nil && t.Simple && h != standard.Byte {
		return t.Element.Kind
	}
	return 0
}

// Datatype returns the type at a word.
func (c *Call) Datatype(i int) (*Datatype, error) {
	t := c.TypeAt(c.Words[i])
	if t == nil {
		if c.Words[i] == standard.DatatypeNull {
			return nil, Wrong(standard.ErrType, "MPI_DATATYPE_NULL; expected a datatype")
		}
		return nil, Wrong(standard.ErrType, "%#x is no datatype", c.Words[i])
	}
	return t, nil
}

// Counted returns the count and the committed type at words i and i+1.
func (c *Call) Counted(i int) (int, *Datatype, error) {
	count := c.At(i)
	t, err := c.Datatype(i + 1)
	if err != nil {
		return 0, nil, err
	}
	return count, t, CheckData(count, t)
}

// CheckData fails if so many elements of a type cannot be sent: their number is negative, or the type is not committed.
func CheckData(count int, t *Datatype) error {
	switch {
	case count < 0:
		return Wrong(standard.ErrCount, "%d elements; expected at least 0", count)
	case !t.Committed:
		return Wrong(standard.ErrType, "a datatype that has not been committed")
	case t.Size > 0:
		if hi, _ := bits.Mul64(uint64(count), uint64(max(t.Size, t.Extent(), 1))); hi != 0 {
			return Wrong(standard.ErrCount, "%d elements; expected what a process can address", count)
		}
	}
	return nil
}
