package live

import (
	"sync/atomic"
	"time"
)

// Of several packets that a program sends in a row, the first goes to the network at once,
// and those that follow together, when the rank next polls or enough have come together:
// each time costs a system call and a frame. If the program is in no call for holdTime,
// they are sent in the background.
const (
	holdTime = 100 * time.Microsecond
	holdMost = 4 << 10 // bytes
)

// holding says who may use the sending end of a stream.
type holding struct{ atomic.Uint32 }

const (
	notHeld uint32 = iota // the rank
	held                  // whoever changes it first
	inHand                // who sends in the background
)

// own lets the rank use the sending end again.
func (h *holding) own() {
	for h.Load() != notHeld && !h.CompareAndSwap(held, notHeld) {
		yield()
	}
}

// tell sends what has been added to a stream, or holds it. While packets of the stream are
// taken, what answers them waits for the end of that, and goes with the Ack for them.
func (f *far) tell(s *stream) {
	switch {
	case f.taking:
		return
	case s.followed && s.socket.unsent() < holdMost:
		f.hold(s)
		return
	}
	s.followed = true
	f.flush(s)
}

func (f *far) hold(s *stream) {
	s.holding.Store(held)
	if !f.later.CompareAndSwap(false, true) {
		return
	}
	if f.timer == nil {
		f.timer = time.AfterFunc(holdTime, f.sendHeld)
	} else {
		f.timer.Reset(holdTime)
	}
}

// sendHeld sends what has been held, in the background.
func (f *far) sendHeld() {
	f.later.Store(false) // first: what is held from now on is for the next time
	for _, s := range f.streams {
		if s.holding.CompareAndSwap(held, inHand) {
			f.flush(s)
			s.holding.Store(notHeld)
		}
	}
}
