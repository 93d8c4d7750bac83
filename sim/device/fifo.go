package device

// fifo is a queue of plain values. The zero value is empty.
type fifo[T any] struct {
	items []T
	first int // of those that are left
}

func (f *fifo[T]) len() int { return len(f.items) - f.first }

// front returns the first item, which is valid until the next push or pop.
func (f *fifo[T]) front() *T { return &f.items[f.first] }

// push appends an item. It moves what is left to the start if that makes as much
// room as there are items.
func (f *fifo[T]) push(item T) {
	if f.first > 0 && len(f.items) == cap(f.items) && f.first >= f.len() {
		f.items = f.items[:copy(f.items, f.items[f.first:])]
		f.first = 0
	}
	f.items = append(f.items, item)
}

// pop removes the first item.
func (f *fifo[T]) pop() T {
	item := f.items[f.first]
	f.first++
	return item
}
