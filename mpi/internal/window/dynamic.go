package window

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"musubi/mpi/internal/core"
	"musubi/mpi/internal/datatype"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/reduction"
)

// A dynamic window has memory that its ranks attach and detach without the others. Elements are named
// by places that the owner hands out, such as addresses. Only the owner knows where the memory of a
// place is, so it carries all accesses out, as it does accumulates: a Put is an accumulate that
// replaces, and a Get fetches without an operation.

// attached is the memory of this rank in a dynamic window, in the order of the places.
type attached []piece

// piece is memory with the place of its first element.
type piece struct {
	at     int // elements
	length int
	memory []byte
}

// MakeDynamic makes the window a dynamic one, without memory.
func (w *Window) MakeDynamic() { w.dynamic = new(attached) }

// Attach lets others access memory from a place on.
func (w *Window) Attach(call string, at int, memory []byte) error {
	if err := w.expectDynamic(call); err != nil {
		return err
	}
	list := *w.dynamic
	i, _ := slices.BinarySearchFunc(list, at, func(p piece, at int) int { return p.at - at })
	next := piece{at, len(memory) / w.element, memory}
	if i > 0 && list[i-1].at+list[i-1].length > at || i < len(list) && list[i].at < at+next.length {
		return w.failf(fault.RMAAttach, call, "memory of %d elements from %d on, of which some are attached; expected others", next.length, at)
	}
	*w.dynamic = slices.Insert(list, i, next)
	return nil
}

// Detach ends the use of memory that has been attached at a place.
func (w *Window) Detach(call string, at int) error {
	if err := w.expectDynamic(call); err != nil {
		return err
	}
	list := *w.dynamic
	i, found := slices.BinarySearchFunc(list, at, func(p piece, at int) int { return p.at - at })
	if !found {
		return w.failf(fault.RMAAttach, call, "place %d, at which nothing is attached; expected that of Attach", at)
	}
	*w.dynamic = slices.Delete(list, i, i+1)
	return nil
}

func (w *Window) expectDynamic(call string) error {
	if err := w.Check(call); err != nil {
		return err
	}
	if w.dynamic == nil {
		return w.failf(fault.Window, call, "a window of fixed memory; expected a dynamic one")
	}
	return nil
}

// cut cuts the runs of a message where attached memory ends, as the next elements may lie in memory
// that has been attached by itself.
func (a *attached) cut(runs []byte) []byte {
	var whole []byte
	for ; len(runs) > 0; runs = runs[runBytes:] {
		at, count := decodeRun(runs)
		for count > 0 {
			n := count
			if p := a.last(at); p != nil && at-uint64(p.at) < uint64(p.length) {
				n = min(n, uint64(p.length)-(at-uint64(p.at)))
			}
			whole = appendRun(whole, at, n)
			at += n
			count -= n
		}
	}
	return whole
}

// last returns the last memory that begins at a place or before it, nil if there is none.
func (a *attached) last(at uint64) *piece {
	list := *a
	i, _ := slices.BinarySearchFunc(list, at, func(p piece, at uint64) int {
		if uint64(p.at) > at {
			return 1
		}
		return -1
	})
	if i == 0 {
		return nil
	}
	return &list[i-1]
}

// find returns elements from a place on.
func (a *attached) find(at, count uint64, element int) ([]byte, error) {
	if p := a.last(at); p != nil && at-uint64(p.at) <= uint64(p.length) && count <= uint64(p.length)-(at-uint64(p.at)) {
		return p.memory[int(at-uint64(p.at))*element:][:int(count)*element], nil
	}
	return nil, fmt.Errorf("an access to %d elements from place %#x on of a dynamic window, where so many are not attached", count, at)
}

// exchangeNothing lets ranks access a dynamic window. What they may access only its owner knows.
func (w *Window) exchangeNothing() error {
	w.places = make([]extent, w.C.Size())
	for i := range w.places {
		w.places[i] = extent{Length: math.MaxInt / w.element}
	}
	return w.C.Barrier("Barrier")
}

// moveByMessages starts to put or get the bytes that types name.
func (w *Window) moveByMessages(call string, puts bool, p *peer, at int, there *datatype.Type, memory []byte, here *datatype.Type) error {
	before := w.typed
	w.typed = typed{reduction.Kind(reflect.Uint8), 1}
	defer func() { w.typed = before }()
	if puts {
		buffer := w.e.Buffers.Get(here.Size)
		here.Pack(buffer, memory)
		err := w.accumulateType(call, p.rank, at, there, buffer, reduction.ReplaceID)
		w.e.Buffers.Put(buffer)
		return err
	}
	if err := w.enterFetch(call, p); err != nil {
		return err
	}
	r := w.newAccess(call, p, w.e.Buffers.Get(there.Size))
	r.UnpackTo(memory, here)
	return w.startFetch(r, at, there, nil, reduction.NoOpID)
}

// moveNow is moveByMessages with a request, which is complete.
func (w *Window) moveNow(call string, puts bool, p *peer, at int, there *datatype.Type, memory []byte, here *datatype.Type) (*core.Request, error) {
	err := w.moveByMessages(call, puts, p, at, there, memory, here)
	if err == nil {
		err = w.flush(call, p, false)
	}
	return w.Done(call, core.Status{From: p.rank, Bytes: there.Size}), err
}
