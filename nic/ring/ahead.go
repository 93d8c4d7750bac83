package ring

import (
	"unsafe"

	"musubi/internal/prefetch"
)

// What large jobs have of rings and records does not fit in the processor's cache. These methods bring some of it there
// which will be needed soon. They have no other effect.

const (
	receiverLines = (unsafe.Offsetof(Receiver{}.status) + unsafe.Offsetof(status{}.few) + prefetch.LineBytes - 1) / prefetch.LineBytes
	slotLines     = (unsafe.Sizeof(slot{}) + prefetch.LineBytes - 1) / prefetch.LineBytes
)

// PrefetchRing asks for what placing and writing a packet for a ring, and releasing a record of it, needs.
func (r *Receiver) PrefetchRing(i int) {
	prefetch.Lines(uintptr(unsafe.Pointer(r)), int(receiverLines))
	if g := r.inUse(i); g != nil {
		prefetch.Lines(uintptr(unsafe.Pointer(g)), 1)
	} else if head := r.heads.Known(int32(i)); head != nil {
		prefetch.Lines(uintptr(unsafe.Pointer(head)), 1)
	}
}

// PrefetchNext asks for the record that Next takes.
func (r *Receiver) PrefetchNext() {
	if i := r.status.first; i != none {
		prefetch.Lines(uintptr(unsafe.Pointer(r.status.slot(i))), int(slotLines))
	}
}
