package engine

// A front of more than few keys is divided by parts of the slot before it is sorted: 64 of them, or, with many keys, as many as
// there are picoseconds.
const (
	few      = 8
	many     = 512
	partBits = 5
)

// sortFront sorts the keys of a slot.
func (q *Queue) sortFront() {
	switch n := len(q.front); {
	case n <= few:
		sortFew(q.front)
	case n <= many:
		var next [1<<(slotBits-partBits) + 1]uint32
		q.divideFront(next[:], partBits)
		sortAlmost(q.front)
	default:
		var next [1<<slotBits + 1]uint32
		q.divideFront(next[:], 0) // those of one time keep their order
	}
}

// sortFew sorts a few keys. No jump depends on what they are, as the processor could not foretell it.
func sortFew(keys []key) {
	for i := 1; i < len(keys); i++ {
		k := keys[i]
		for j := range keys[:i] {
			keys[j], k = min(keys[j], k), max(keys[j], k)
		}
		keys[i] = k
	}
}

// sortAlmost sorts keys that are in order but for few.
func sortAlmost(keys []key) {
	for i := 1; i < len(keys); i++ {
		k := keys[i]
		j := i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}

// divideFront sorts the keys of a slot by its parts of 2^partBits picoseconds. next has one element more than there are parts.
func (q *Queue) divideFront(next []uint32, bits uint) {
	shift := 64 - slotBits + bits
	for _, k := range q.front {
		next[k>>shift+1]++
	}
	for i := range next[1:] {
		next[i+1] += next[i]
	}
	mixed := q.front
	q.front = append(q.mixed[:0], mixed...) // as long; all of them are overwritten
	for _, k := range mixed {
		at := &next[k>>shift]
		q.front[*at] = k
		*at++
	}
	q.mixed = mixed
}
