package phantom

import "encoding/binary"

const (
	mostHead  = 40 // bytes of the largest head of a message
	shortHead = 8  // bytes of a head that lies in the table, as those of most messages do
)

// Heads are heads of messages by where these begin, and where the data behind them is, if that is in other memory (Refer).
// They lie in a hash table, each in one place with its key: of many messages hardly any is in the processor's cache. The
// zero value has none.
type Heads struct {
	table []placed // a power of two; a head lies in the first free place from its hash on
	used  int
	shift uint8 // of a hash, which leaves a place

	long   [][mostHead]byte // heads that do not fit into the table
	unused []uint32         // indices of long to be used again
}

// placed is a place of the table.
type placed struct {
	key uint64 // where the message begins, and 1, and above keyBits how long the head is; 0: free
	// head is the bytes of a short head, or the index of a longer one in long.
	head [shortHead]byte
	body uintptr // address of the data behind the head; 0: it is not in other memory
}

// keyBits is how many bits tell where messages begin: the addresses of the kernel's half differ in as many.
const (
	keyBits = 48
	keyMask = 1<<keyBits - 1
)

// start returns where the message of a place begins, and 1; n how long its head is.
func (p *placed) start() uint64 { return p.key & keyMask }
func (p *placed) n() int        { return int(p.key >> keyBits) }

// long returns the index of a head that is not short.
func (p *placed) long() uint32 { return binary.NativeEndian.Uint32(p.head[:]) }

// firstPlaces is the size of a table when it is made.
const firstPlaces, firstShift = 8, 64 - 3

// Set sets the head of the message that begins at a place. Of bytes it keeps as many as a head has.
func (h *Heads) Set(at uint64, bytes []byte) { h.set(at, bytes, 0) }

// SetLike sets the head of the message that begins at a place to that of a phantom message, if it has one, with where its
// data is.
func (h *Heads) SetLike(at uint64, message []byte) {
	if head, body := owner(message).heads.get(uint64(address(message))); len(head) > 0 {
		h.set(at, head, body)
	}
}

func (h *Heads) set(at uint64, bytes []byte, body uintptr) {
	if 4*(h.used+1) > 3*len(h.table) {
		h.grow()
	}
	key := keyOf(at)
	p := &h.table[h.place(key)]
	if p.key == 0 {
		h.used++
	}
	h.free(p)
	p.key, p.body = key|uint64(min(len(bytes), mostHead))<<keyBits, body
	if p.n() > shortHead {
		binary.NativeEndian.PutUint32(p.head[:], h.newLong())
	}
	copy(h.bytes(p), bytes)
}

// bytes returns the head at a place.
func (h *Heads) bytes(p *placed) []byte {
	if n := p.n(); n > shortHead {
		return h.long[p.long()][:n]
	}
	return p.head[:p.n()]
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
	if p.n() > shortHead {
		h.unused = append(h.unused, p.long())
	}
}

// Get returns the head of the message that begins at a place, and whether it has one. It is valid
// until the next change.
func (h *Heads) Get(at uint64) ([]byte, bool) {
	head, _ := h.get(at)
	return head, head != nil
}

// get returns the head of the message that begins at a place, nil if it has none, and where its data is.
func (h *Heads) get(at uint64) ([]byte, uintptr) {
	if h.used == 0 {
		return nil, 0
	}
	if p := &h.table[h.place(keyOf(at))]; p.key != 0 {
		return h.bytes(p), p.body
	}
	return nil, 0
}

// Fetch brings the message that begins at a place to memory: its head, and with it where its data is, if memory is phantom. It
// reports false if there is no such message.
func (h *Heads) Fetch(at uint64, into []byte) bool {
	head, body := h.get(at)
	if head == nil {
		return false
	}
	fetch(into, head, body)
	return true
}

// fetch brings a message of which the head is known, and where its data is, to memory.
func fetch(into, head []byte, body uintptr) {
	if Is(into) {
		owner(into).heads.set(uint64(address(into)), head, body)
		return
	}
	n := copy(into, head)
	copy(into[n:], dataAt(body, len(into)-n))
}

// Delete removes the head of the message that begins at a place, if it has one.
func (h *Heads) Delete(at uint64) {
	if h.used == 0 {
		return
	}
	free := h.place(keyOf(at))
	if h.table[free].key == 0 {
		return
	}
	h.used--
	h.free(&h.table[free])
	last := len(h.table) - 1
	for i := (free + 1) & last; h.table[i].key != 0; i = (i + 1) & last {
		// What is behind moves up unless its hash is behind the free place.
		if (i-h.hash(h.table[i].start()))&last >= (i-free)&last {
			h.table[free] = h.table[i]
			free = i
		}
	}
	h.table[free].key = 0
}

// place returns where a key is, or a free place where it goes.
func (h *Heads) place(key uint64) int {
	i := h.hash(key)
	for h.table[i].key != 0 && h.table[i].start() != key {
		i = (i + 1) & (len(h.table) - 1)
	}
	return i
}

// keyOf returns the key of a message that begins at a place.
func keyOf(at uint64) uint64 { return (at + 1) & keyMask }

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
			h.table[h.place(p.start())] = *p
		}
	}
}
