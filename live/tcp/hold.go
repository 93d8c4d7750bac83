package tcp

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Of several packets that a program sends in a row, the first goes to the network at once,
// and those that follow together, when the rank next polls or enough have come together:
// each time costs a system call and a frame. If the program is in no call for holdTime,
// they are sent in the background. So is an Ack that is due after oweTime: who waits for it
// must not wait for the next call, but most often that comes at once, and has something to
// send that carries it along. A timer that is set more often would cost those more.
const (
	holdTime = 100 * time.Microsecond
	oweTime  = time.Millisecond
	holdMost = 4 << 10 // bytes
)

// holding says who may use the sending end of a stream.
type holding struct{ atomic.Uint32 }

const (
	notHeld uint32 = iota // the rank
	held                  // whoever changes it first
	inHand                // who sends in the background
)

// own lets the rank use the sending end again. Who has it in hand may need the processor that
// Go has given the rank, and the garbage collector to go on, which waits for this goroutine:
// so yielding to other threads is not enough.
func (h *holding) own() {
	for h.Load() != notHeld && !h.CompareAndSwap(held, notHeld) {
		runtime.Gosched()
	}
}

// Own lets the rank use a stream again.
func (s *Stream) Own() {
	s.streams.Come()
	s.own()
}

// Tell sends what has been added to a stream, or holds it. While packets of the stream are
// taken, what answers them waits for the end of that, and goes with the Ack for them.
func (f *Streams) Tell(s *Stream) {
	switch {
	case f.Taking:
		return
	case s.followed && s.Socket.unsent() < holdMost:
		s.holding.Store(held)
		f.holds.set(holdTime, f)
		return
	}
	s.followed = true
	f.flush(s)
}

// Depart is called when a call ends that may have taken packets, or the sending end of a
// stream back: from now on who waits for an Ack depends on the program, or on the alarm. While
// packets are taken no call ends. Who attends to the streams beside the rank may do so now.
func (f *Streams) Depart() {
	if f.Taking {
		return
	}
	if f.asked {
		f.Come()
		f.owe()
	}
	f.leave()
}

// owe holds the Acks that are due and that others may wait for.
func (f *Streams) owe() {
	for _, s := range f.Streams {
		if s.holding.Load() == notHeld && s.asked {
			s.holding.Store(held)
			f.owes.set(oweTime, f)
		}
	}
}

// alarm lets what is held be sent in the background. The rank sets it.
type alarm struct {
	isSet atomic.Bool
	timer *time.Timer // nil until it is set for the first time
}

// set sets the alarm to some time from now, unless it is set already.
func (a *alarm) set(after time.Duration, f *Streams) {
	if a.isSet.Load() {
		return
	}
	a.isSet.Store(true)
	if a.timer != nil {
		a.timer.Reset(after)
		return
	}
	a.timer = time.AfterFunc(after, func() {
		a.isSet.Store(false) // first: what comes from now on is for the next time
		f.sendHeld()
	})
}

// sendHeld sends what has been held, in the background.
func (f *Streams) sendHeld() {
	for _, s := range f.beside() {
		if s.holding.CompareAndSwap(held, inHand) {
			f.flush(s)
			s.holding.Store(notHeld)
		}
	}
}
