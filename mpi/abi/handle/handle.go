// Package handle gives the objects that MPI programs make their handles: an index, and the
// generation and the kind of what is there, so that a handle of something freed, or of another
// kind, is refused. All are larger than those of the standard's own objects, and those of the first
// million objects fit an int of C, as Fortran keeps them.
package handle

// Kind is a kind of objects.
type Kind int

const (
	Comm Kind = iota + 1
	Group
	Datatype
	Request
	Op
	Errhandler
	Info
	Message
	Win
	Session
	File
)

const (
	kindBits       = 4
	generationBits = 7
	IndexAt        = kindBits + generationBits
)

// Table has the objects of one kind by handle.
type Table[T any] struct {
	Kind    Kind
	Objects []*T
	from    []uint8 // generation of each
	free    []int32
}

// Add gives an object a handle.
func (t *Table[T]) Add(x *T) int64 {
	var i int
	if last := len(t.free) - 1; last >= 0 {
		i = int(t.free[last])
		t.free = t.free[:last]
	} else {
		i = len(t.Objects)
		t.Objects = append(t.Objects, nil)
		t.from = append(t.from, 0)
	}
	t.Objects[i] = x
	return int64(i+1)<<IndexAt | int64(t.from[i])<<kindBits | int64(t.Kind)
}

// Get returns the object of a handle, nil if there is none.
func (t *Table[T]) Get(h int64) *T {
	i := int(h>>IndexAt) - 1
	if uint(i) >= uint(len(t.Objects)) || Kind(h&(1<<kindBits-1)) != t.Kind || uint8(h>>kindBits)&(1<<generationBits-1) != t.from[i] {
		return nil
	}
	return t.Objects[i]
}

// Remove takes a handle back.
func (t *Table[T]) Remove(h int64) {
	if t.Get(h) == nil {
		return
	}
	i := int(h>>IndexAt) - 1
	t.Objects[i] = nil
	t.from[i] = (t.from[i] + 1) & (1<<generationBits - 1)
	t.free = append(t.free, int32(i))
}
