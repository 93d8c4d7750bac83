package abi

// Handles of objects that programs make: an index, and the generation and the kind of what is there,
// so that a handle of something freed is refused. All are larger than those of the standard's own
// objects, and fit an int of C.

type kind int

const (
	commKind kind = iota + 1
	groupKind
	typeKind
	requestKind
	opKind
	errhandlerKind
	infoKind
	messageKind
	winKind
	sessionKind
)

const (
	kindBits       = 4
	generationBits = 7
	indexAt        = kindBits + generationBits
	mostObjects    = 1<<20 - 2
)

// table has the objects of one kind by handle.
type table[T any] struct {
	kind    kind
	objects []*T
	from    []uint8 // generation of each
	free    []int32
}

// add gives an object a handle.
func (t *table[T]) add(x *T) int64 {
	var i int
	if last := len(t.free) - 1; last >= 0 {
		i = int(t.free[last])
		t.free = t.free[:last]
	} else {
		i = len(t.objects)
		t.objects = append(t.objects, nil)
		t.from = append(t.from, 0)
	}
	t.objects[i] = x
	return int64(i+1)<<indexAt | int64(t.from[i])<<kindBits | int64(t.kind)
}

// get returns the object of a handle, nil if there is none.
func (t *table[T]) get(h int64) *T {
	i := int(h>>indexAt) - 1
	if uint(i) >= uint(len(t.objects)) || kind(h&(1<<kindBits-1)) != t.kind || uint8(h>>kindBits)&(1<<generationBits-1) != t.from[i] {
		return nil
	}
	return t.objects[i]
}

// remove takes a handle back.
func (t *table[T]) remove(h int64) {
	if t.get(h) == nil {
		return
	}
	i := int(h>>indexAt) - 1
	t.objects[i] = nil
	t.from[i] = (t.from[i] + 1) & (1<<generationBits - 1)
	t.free = append(t.free, int32(i))
}
