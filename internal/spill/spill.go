// Package spill keeps long lists in a file without a name instead of in memory: the system writes pages of it out when it
// needs their memory. Lists are slices as others are. Short ones, and all where there is no such file, lie on the heap.
package spill

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// InMemory is how many bytes of the lists of an area lie on the heap before others go to the file. Tests of those who have
// long lists make it less.
var InMemory = 16 << 20

const (
	// short is up to how many bytes a list lies on the heap in any case.
	short = 4 << 10
	// chunk is by how many bytes the file grows, at least.
	chunk = 64 << 20
	// aligned is what places in the file are multiples of, in bytes.
	aligned = 64
)

// Area has lists that come and go together. Whoever uses one of them keeps the area, too: when nobody has it any more,
// the file goes. Nil is an area all of whose lists lie on the heap. One goroutine at a time makes lists.
type Area struct {
	limit  int // see InMemory
	heap   int // bytes on the heap so far
	file   *file
	rest   []byte           // of the last chunk: free, and zero
	former map[int][][]byte // places that Append has left, by their bytes
	used   atomic.Int64     // entries, since Used has given memory back
}

// file is what an area has beyond the heap.
type file struct{ chunks [][]byte }

// New returns an area without lists.
func New() *Area {
	a := &Area{limit: InMemory, file: &file{}, former: map[int][][]byte{}}
	runtime.AddCleanup(a, (*file).drop, a.file)
	return a
}

// drop gives all chunks up.
func (f *file) drop() {
	for _, c := range f.chunks {
		unmap(c)
	}
}

// Make returns a list of n zero values, which have no pointers.
func Make[T any](a *Area, n int) []T {
	size := int(unsafe.Sizeof(*new(T)))
	if place := a.place(n * size); place != nil {
		return unsafe.Slice((*T)(unsafe.Pointer(&place[0])), n)
	}
	return make([]T, n)
}

// Append appends a value, which has no pointers, to a list of the area. The list that it was must not be used any more.
func Append[T any](a *Area, list []T, value T) []T {
	if len(list) == cap(list) {
		list = grow(a, list)
	}
	return append(list, value)
}

// grow returns a list with twice the room.
func grow[T any](a *Area, list []T) []T {
	size := int(unsafe.Sizeof(*new(T)))
	room := max(2*cap(list), 16)
	if a == nil || room*size <= short {
		return append(make([]T, 0, room), list...)
	}
	var to []T
	if places := a.former[room*size]; len(places) > 0 {
		place := places[len(places)-1]
		a.former[room*size] = places[:len(places)-1]
		to = unsafe.Slice((*T)(unsafe.Pointer(&place[0])), room)
	} else {
		to = Make[T](a, room)
	}
	to = append(to[:0], list...)
	if bytes := cap(list) * size; bytes > short { // whether on the heap or not, it is free
		place := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), bytes)
		a.former[bytes] = append(a.former[bytes], place)
	}
	return to
}

// place returns room in the file, which is zero; nil: the heap is to be used.
func (a *Area) place(bytes int) []byte {
	if a == nil || bytes <= short {
		return nil
	}
	if a.heap+bytes <= a.limit {
		a.heap += bytes
		return nil
	}
	if len(a.rest) < bytes {
		a.giveBack()
		c := mapped(max(bytes, chunk))
		if c == nil {
			return nil
		}
		a.file.chunks, a.rest = append(a.file.chunks, c), c
	}
	place := a.rest[:bytes:bytes]
	a.rest = a.rest[min(len(a.rest), (bytes+aligned-1)/aligned*aligned):]
	return place
}

// often is after how many entries Used gives memory back.
const often = 1 << 20

// Used counts entries of lists that have been used. Now and then it gives the memory of the file's pages back, which lets those
// come again that are used again.
func (a *Area) Used(entries int) {
	if a == nil || len(a.file.chunks) == 0 {
		return
	}
	if a.used.Add(int64(entries)) >= often {
		a.used.Store(0)
		a.giveBack()
	}
}

func (a *Area) giveBack() {
	for _, c := range a.file.chunks {
		release(c)
	}
}
