package ring

import (
	"unsafe"

	"musubi/internal/prefetch"
)

// What large jobs have of rings and records does not fit in the processor's cache. These methods bring some of it there
// which will be needed soon. They have no other effect.

const (
	receiverBytes = unsafe.Offsetof(Receiver{}.status) + unsafe.Offsetof(status{}.few)
	// UsualBytes is how much of a receiver nearly each packet needs, from its beginning on.
	UsualBytes = receiverBytes + unsafe.Sizeof(slot{})
)

// PrefetchRing asks for what placing and writing a packet for a ring, and releasing a record of it, needs.
func (r *Receiver) PrefetchRing(i int) {
	prefetch.Bytes(unsafe.Pointer(r), receiverBytes)
	r.PrefetchEntry(i)
}

// PrefetchEntry is PrefetchRing where the first lines of the receiver are there.
func (r *Receiver) PrefetchEntry(i int) {
	r.others.Prefetch(int32(i))
	r.heads.Prefetch(int32(i))
}

// PrefetchStatus asks for what tells whether there is a record.
func (r *Receiver) PrefetchStatus() { prefetch.Bytes(unsafe.Pointer(&r.status), 1) }

// PrefetchNext asks for the record that Next takes.
func (r *Receiver) PrefetchNext() {
	if i := r.status.first; i != none {
		prefetch.Bytes(unsafe.Pointer(r.status.slot(i)), unsafe.Sizeof(slot{}))
	}
}
