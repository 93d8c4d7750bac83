package abi

import (
	"musubi/mpi/abi/handle"
	"musubi/mpi/internal/window"
)

// Reached are windows whose memory a program in C reaches by itself between two calls.
type Reached interface {
	// Open lets the program reach a window, if all of its ranks share memory.
	Open(w *Win)
	// Close ends that.
	Close(w *Win)
	// CloseAll does so for all windows.
	CloseAll()
}

// What such a program has in common with package window.
type (
	WinState  = window.State
	PeerState = window.PeerState
	Target    = window.Target
)

// And what it knows by a number.
const (
	InFence       = window.InFence
	InLock        = window.InLock
	InLockAll     = window.InLockAll
	SharedLock    = window.SharedLock
	ExclusiveLock = window.ExclusiveLock
	HeldWord      = window.HeldWord
	Writer        = window.Writer
	PollEvery     = window.PollEvery
	HandleIndexAt = handle.IndexAt
)

// Targets returns the memory of all ranks of a window, as window.Window.Targets does.
func (w *Win) Targets() (*WinState, []Target) {
	state, list := w.Inner.Targets()
	for rank := range list {
		list[rank].Unit = uint64(w.Units[rank])
	}
	return state, list
}
