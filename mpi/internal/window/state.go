package window

import (
	"unsafe"

	"musubi/mpi/internal/wordlock"
)

// A program in C accesses near memory by itself between two calls (package abi). What it has to know of a window, and what it
// changes, lies in these types, which abi/front/windows.h has, too.

// State is what such a program changes of a window.
type State struct {
	epoch epoch
	used  bool   // something has been accessed in the epoch of a fence
	wrote bool   // this rank has written to near memory, and others may not see it yet
	Owes  bool   // the caller has something to do when accesses are complete
	held  uint32 // locks that this rank has
	busy  uint32 // ranks with which something is under way
	idle  uint32 // calls that found nothing to do
}

// PeerState is what such a program changes of a rank of a window.
type PeerState struct {
	open bool // it may be accessed in this epoch
	busy bool // it is in the list of those with which something is under way
	lock lock // that this rank has there
}

// Target is near memory of a rank.
type Target struct {
	State  *PeerState
	memory unsafe.Pointer
	bytes  uint64
	lock   *nearLock
	Unit   uint64 // of displacements, if the caller has such
}

// Targets returns the memory of all ranks, if it is near and a program may access it without this package. They are so until the
// window is freed.
func (w *Window) Targets() (of *State, list []Target) {
	if w.near == nil || !w.C.IsUnseen() {
		return nil, nil
	}
	list = make([]Target, len(w.near))
	for rank := range list {
		memory := w.near[rank].bytes
		list[rank] = Target{State: &w.peer(rank).PeerState, memory: unsafe.Pointer(unsafe.SliceData(memory)), bytes: uint64(len(memory)), lock: w.near[rank].lock, Unit: 1}
	}
	return &w.State, list
}

// What such a program knows by a number.
const (
	InFence   = fenceEpoch
	InLock    = lockEpoch
	InLockAll = lockAllEpoch
	HeldWord  = heldWord
	Writer    = wordlock.Writer
	PollEvery = pollEvery
)
