//go:build cgo

package main

// #include <stdlib.h>
// #include "front/short.h"
import "C"

import (
	"runtime"
	"unsafe"

	"musubi/mpi/abi"
)

// reached are the windows of this program that the front accesses by itself. Ranks must not sleep: who changes their memory would have to
// wake them.
type reached struct {
	rank   laned
	front  *C.struct_musubi_windows
	pinned [C.MUSUBI_WINDOWS]runtime.Pinner // what each window there points to
}

// C and Go say the same.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_window_state{})-unsafe.Sizeof(abi.WinState{})]
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_peer_state{})-unsafe.Sizeof(abi.PeerState{})]
	_ = [1]struct{}{}[unsafe.Sizeof(C.struct_musubi_target{})-unsafe.Sizeof(abi.Target{})]
	_ = [1]struct{}{}[C.MUSUBI_FENCE_EPOCH-abi.InFence]
	_ = [1]struct{}{}[C.MUSUBI_LOCK_EPOCH-abi.InLock]
	_ = [1]struct{}{}[C.MUSUBI_LOCK_ALL_EPOCH-abi.InLockAll]
	_ = [1]struct{}{}[C.MUSUBI_SHARED-abi.SharedLock]
	_ = [1]struct{}{}[C.MUSUBI_EXCLUSIVE-abi.ExclusiveLock]
	_ = [1]struct{}{}[C.MUSUBI_HELD_WORD-abi.HeldWord]
	_ = [1]struct{}{}[C.MUSUBI_WRITER-abi.Writer]
	_ = [1]struct{}{}[C.MUSUBI_CALLS_PER_POLL-abi.PollEvery]
	_ = [1]struct{}{}[C.MUSUBI_INDEX_SHIFT-abi.HandleIndexAt]
)

func newReached(rank laned, front *C.struct_musubi_lanes) *reached {
	return &reached{rank: rank, front: &front.windows}
}

// place is where the front has a window, if it has it.
func place(w *abi.Win) int { return int(uint64(w.Handle)>>abi.HandleIndexAt) % C.MUSUBI_WINDOWS }

// Open implements abi.Reached.
func (r *reached) Open(w *abi.Win) {
	at := place(w)
	if r.rank.Sleeps() || r.front.all[at].handle != 0 {
		return
	}
	state, targets := w.Targets()
	if state == nil {
		return
	}
	p := &r.pinned[at]
	p.Pin(state)
	list := unsafe.Slice((*abi.Target)(C.calloc(C.size_t(len(targets)), C.sizeof_struct_musubi_target)), len(targets))
	for i, t := range targets {
		p.Pin(t.State)
		list[i] = t
	}
	r.front.all[at] = C.struct_musubi_window{
		handle: C.int64_t(w.Handle), ranks: C.uint64_t(len(list)), own: C.uint64_t(w.Inner.C.Rank()),
		state: (*C.struct_musubi_window_state)(unsafe.Pointer(state)), targets: (*C.struct_musubi_target)(unsafe.Pointer(unsafe.SliceData(list))),
	}
}

// Close implements abi.Reached.
func (r *reached) Close(w *abi.Win) {
	if at := place(w); int64(r.front.all[at].handle) == w.Handle {
		r.close(at)
	}
}

// CloseAll implements abi.Reached.
func (r *reached) CloseAll() {
	for at := range r.front.all {
		if r.front.all[at].handle != 0 {
			r.close(at)
		}
	}
}

func (r *reached) close(at int) {
	C.free(unsafe.Pointer(r.front.all[at].targets))
	r.front.all[at] = C.struct_musubi_window{}
	r.pinned[at].Unpin()
}
