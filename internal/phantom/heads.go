package phantom

const (
	mostHead  = 40 // bytes of the largest head of a message
	shortHead = 8  // bytes of a head that lies in the table, as those of most messages do
)

// Heads are heads of messages by where these begin. They lie in a hash table, each in one place with
// its key: of many messages hardly any is in the processor's cache. The zero value has none.
type Heads struct {
	table []placed // a power of two; a head lies in the first free place from its hash on
	used  int
	shift uint8 // of a hash, which leaves a place

	long   [][mostHead]byte // heads that do not fit into the table
	unused []uint32         // indices of long to be used again
}

// placed is a place of the table.
type placed struct {
	key   uint64 // where the message begins, and 1; 0: free
	short [shortHead]byte
	long  uint32 // index of the head in long if it is not short
	n     uint8
}

// firstPlaces is the size of a table when it is made.
const firstPlaces, firstShift = 8, 64 - 3

// Set sets the head of the message that begins at a place. Of bytes it keeps as many as a head has.
func (h *Heads) Set(at uint64, bytes []byte) {
	if 4*(h.used+1) > 3*len(h.table) {
		h.grow()
	}
	p := &h.table[h.place(at+1)]
	if p.key == 0 {
		h.used++
		p.key, p.n = at+1, 0
	}
	h.free(p)
	if p.n = uint8(min(len(bytes), mostHead)); p.n > shortHead {
		p.long = h.newLong()
	}
	copy(h.bytes(p), bytes)
}

// bytes returns the head at a place.
func (h *Heads) bytes(p *placed) []byte {
	if p.n > shortHead {
		return h.long[p.long][:p.n]
	}
	return p.short[:p.n]
}

// newLong returns the index of memory for a head that is not short.
func (h *Heads) newLong() uint32 {
	if last := len(h.unused) - 1; last >= 0 {
		i := h.unused[last]
		h.unused = h.unused[:last]
		return i
	}
	h.long = append(h.long, [mostHead]byte{})
	return uint32(len(h.long) - 1)
}

// free gives back the memory of a head at a place, if it is not short.
func (h *Heads) free(p *placed) {
	if p.n > shortHead {
		h.unused = append(h.unused, p.long)
	}
}

// Get returns the head of the message that begins at a place, and whether it has one. It is valid
// until the next change.
func (h *Heads) Get(at uint64) ([]byte, bool) {
	if h.used == 0 {
		return nil, false
	}
	if p := &h.table[h.place(at+1)]; p.key != 0 {
		return h.bytes(p), true
	}
	return nil, false
}

// Delete removes the head of the message that begins at a place, if it has one.
func (h *Heads) Delete(at uint64) {
	if h.used == 0 {
		return
	}
	free := h.place(at + 1)
	if h.table[free].key == 0 {
		return
	}
	h.used--
	h.free(&h.table[free])
	last := len(h.table) - 1
	for i := (free + 1) & last; h.table[i].key != 0; i = (i + 1) & last {
		// What is behind moves up unless its hash is behind the free place.
		if (i-h.hash(h.table[i].key))&last >= (i-free)&last {
			h.table[free] = h.table[i]
			free = i
		}
	}
	h.table[free].key = 0
}

// place returns where a key is, or a free place where it goes.
func (h *Heads) place(key uint64) int {
	i := h.hash(key)
	for h.table[i].key != 0 && h.table[i].key != key {
		i = (i + 1) & (len(h.table) - 1)
	}
	return i
}

// hash returns the first place where a key may be.
func (h *Heads) hash(key uint64) int {
	const golden = 0x9e3779b97f4a7c15 // 2^64 by the golden ratio, which scatters keys at equal distances (Knuth)
	return int(key * golden >> h.shift)
}

// grow makes room for more heads.
func (h *Heads) grow() {
	old := h.table
	h.table, h.shift = make([]placed, max(firstPlaces, 2*len(old))), h.shift-1
	if old == nil {
		h.shift = firstShift
	}
	for i := range old {
		if p := &old[i]; p.key != 0 {
			h.table[h.place(p.key)] = *p
		}
	}
}
