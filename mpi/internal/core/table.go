package core

import "slices"

// Table numbers what waits for an answer, so that the answer can name it.
type Table[T comparable] struct {
	items []T // by number; zero: the number is free
	free  []uint32
}

// Add returns the number of an item.
func (t *Table[T]) Add(item T) uint32 {
	if last := len(t.free) - 1; last >= 0 {
		id := t.free[last]
		t.free = t.free[:last]
		t.items[id] = item
		return id
	}
	t.items = append(t.items, item)
	return uint32(len(t.items) - 1)
}

// Get returns the item with a number, zero if there is none.
func (t *Table[T]) Get(id uint32) (item T) {
	if int(id) < len(t.items) {
		item = t.items[id]
	}
	return item
}

// find returns the number of an item.
func (t *Table[T]) find(item T) (uint32, bool) {
	id := slices.Index(t.items, item)
	return uint32(id), id >= 0
}

// Remove makes a number free.
func (t *Table[T]) Remove(id uint32) {
	var none T
	t.items[id] = none
	t.free = append(t.free, id)
}
