//go:build cgo

package main

// #include "front/short.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Where threads of a program call at once each of them holds a lock of the front while it uses the lanes, and the core
// closes these whenever a call begins. It opens them again only if no other thread is in the core: such a one would go on there when it
// finds what it waits for.

// Share implements abi.Lanes.
func (l *lanes) Share() { l.front.shared = 1 }

// Take implements abi.Lanes.
func (l *lanes) Take() {
	l.hold()
	l.front.open = 0
	l.release()
	if l.front.started > 0 || l.front.claimed.lane != nil {
		adopt(l.front)
	}
}

// letIn opens the lanes.
func (l *lanes) letIn() {
	l.whileHeld(func() {
		if atomic.LoadInt64((*int64)(unsafe.Pointer(&l.front.callers))) <= 1 {
			l.front.open = 1
		}
	})
}

// whileHeld does something while no thread is in the front.
func (l *lanes) whileHeld(do func()) {
	if l.front.shared == 1 {
		l.hold()
		defer l.release()
	}
	do()
}

func (l *lanes) held() *uint32 { return (*uint32)(unsafe.Pointer(&l.front.held)) }

// hold waits for the lock. A thread that has it gives it back soon when another one has called.
func (l *lanes) hold() {
	for !atomic.CompareAndSwapUint32(l.held(), 0, 1) {
		self.Host.Yield()
		runtime.Gosched()
	}
}

func (l *lanes) release() { atomic.StoreUint32(l.held(), 0) }
