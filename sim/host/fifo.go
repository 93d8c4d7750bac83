package host

// fifo is a queue of plain values. The zero value is empty.
type FIFO[T any] struct {
	items []T
	first int // of those that are left
}

func (f *FIFO[T]) Len() int { return len(f.items) - f.first }

// All returns what is left, the first item first, which is valid until the next push.
func (f *FIFO[T]) All() []T { return f.items[f.first:] }

// Front returns the first item, which is valid until the next push or pop.
func (f *FIFO[T]) Front() *T { return &f.items[f.first] }

// Push appends an item. It moves what is left to the start if that makes as much
// room as there are items.
func (f *FIFO[T]) Push(item T) {
	if f.first > 0 && len(f.items) == cap(f.items) && f.first >= f.Len() {
		f.items = f.items[:copy(f.items, f.items[f.first:])]
		f.first = 0
	}
	f.items = append(f.items, item)
}

// Pop removes the first item.
func (f *FIFO[T]) Pop() T {
	item := f.items[f.first]
	f.first++
	return item
}
