package engine

import "math/bits"

// A front of more than few keys is divided by parts of the slot before it is sorted: as many as there are picoseconds, if it has
// many keys.
const (
	few       = 8
	some      = 40
	many      = 512
	someParts = 16
	manyParts = 64
)

// sortFront sorts the keys of a slot.
func (q *Queue) sortFront() {
	switch n := len(q.front); {
	case n == 1:
	case n <= few:
		q.front = append(q.front, padding[:]...)
		sortFew((*[few]key)(q.front))
		q.front = q.front[:n]
	case n <= some:
		var next [someParts]uint32
		q.divideFront(next[:])
		sortAlmost(q.front)
	case n <= many:
		var next [manyParts]uint32
		q.divideFront(next[:])
		sortAlmost(q.front)
	default:
		var next [1 << slotBits]uint32
		q.divideFront(next[:]) // those of one time keep their order
	}
}

// lastKey is behind all keys.
const lastKey = ^key(0)

// padding makes short fronts equally long.
var padding = [few]key{lastKey, lastKey, lastKey, lastKey, lastKey, lastKey, lastKey, lastKey}

// sortFew sorts a few keys by Batcher's network: no jump depends on what they are, as the processor could not foretell it.
func sortFew(k *[few]key) {
	a, b, c, d := sortFour(k[0], k[1], k[2], k[3])
	if k[4] != lastKey {
		e, f, g, h := sortFour(k[4], k[5], k[6], k[7])
		a, e = inOrder(a, e)
		b, f = inOrder(b, f)
		c, g = inOrder(c, g)
		d, h = inOrder(d, h)
		c, e = inOrder(c, e)
		d, f = inOrder(d, f)
		b, c = inOrder(b, c)
		d, e = inOrder(d, e)
		f, g = inOrder(f, g)
		k[4], k[5], k[6], k[7] = e, f, g, h
	}
	k[0], k[1], k[2], k[3] = a, b, c, d
}

func sortFour(a, b, c, d key) (key, key, key, key) {
	a, b = inOrder(a, b)
	c, d = inOrder(c, d)
	a, c = inOrder(a, c)
	b, d = inOrder(b, d)
	b, c = inOrder(b, c)
	return a, b, c, d
}

func inOrder(a, b key) (key, key) { return min(a, b), max(a, b) }

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

// divideFront sorts the keys of a slot by as many parts of it as next has elements.
func (q *Queue) divideFront(next []uint32) {
	shift := 65 - bits.Len(uint(len(next)))
	for _, k := range q.front {
		next[k>>shift]++
	}
	before := uint32(0)
	for part, n := range next {
		next[part] = before
		before += n
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
