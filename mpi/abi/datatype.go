package abi

import (
	"math/bits"

	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
	"musubi/mpi/internal/reduction"
)

// datatype is a type of the program or of the standard.
type datatype struct {
	typemap.Type
	handle     int64
	made       envelope
	name       string
	attributes attributes
	committed  bool
	predefined bool
}

// envelope is how a type was made.
type envelope struct {
	combiner  int
	ints      []int
	addresses []int
	counts    []int
	types     []int64
}

// compose makes a type of blocks.
func compose(blocks []typemap.Block, made envelope) *datatype {
	return &datatype{Type: typemap.Compose(blocks), made: made}
}

// clone is a type with the same data.
func (t *datatype) clone(made envelope) *datatype {
	return &datatype{Type: t.Type.Clone(), made: made}
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
	p.predefined[handle-standard.DatatypeNull] = &datatype{
		Type: t, handle: handle, made: envelope{combiner: standard.CombinerNamed}, name: name, committed: true, predefined: true,
	}
}

// word returns how many bytes of a type keep together when its bytes are turned around.
func (b *basicType) word() int {
	switch b.handle {
	case standard.Complex, standard.DoubleComplex, standard.CFloatComplex, standard.CDoubleComplex, standard.CLongDoubleComplex,
		standard.CxxFloatComplex, standard.CxxDoubleComplex, standard.CxxLongDoubleComplex, standard.Complex8, standard.Complex16:
		return b.bytes / 2
	}
	return b.bytes
}

// typeAt returns the type of a handle, nil if there is none.
func (p *Process) typeAt(h int64) *datatype {
	if i := uint64(h - standard.DatatypeNull); i < predefinedTypes {
		return p.predefined[i]
	}
	return p.types.Get(h)
}

func (c *call) datatype(i int) (*datatype, error) {
	t := c.typeAt(c.a[i])
	if t == nil {
		if c.a[i] == standard.DatatypeNull {
			return nil, wrong(standard.ErrType, "MPI_DATATYPE_NULL; expected a datatype")
		}
		return nil, wrong(standard.ErrType, "%#x is no datatype", c.a[i])
	}
	return t, nil
}

// data returns the count and the committed type at words i and i+1.
func (c *call) counted(i int) (int, *datatype, error) {
	count := c.at(i)
	t, err := c.datatype(i + 1)
	if err != nil {
		return 0, nil, err
	}
	return count, t, checkData(count, t)
}

func checkData(count int, t *datatype) error {
	switch {
	case count < 0:
		return wrong(standard.ErrCount, "%d elements; expected at least 0", count)
	case !t.committed:
		return wrong(standard.ErrType, "a datatype that has not been committed")
	case t.Size > 0:
		if hi, _ := bits.Mul64(uint64(count), uint64(max(t.Size, t.Extent(), 1))); hi != 0 {
			return wrong(standard.ErrCount, "%d elements; expected what a process can address", count)
		}
	}
	return nil
}
