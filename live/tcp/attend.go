package tcp

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"musubi/live/wire"
)

// While the program of a rank computes, others may want something of memory that the rank exposes,
// for which that is not needed: locks of windows above all, which the others pass on among
// themselves. An attendant does that for the rank, in the order in which it has come, up to the first
// packet that the rank itself has to take. It does so only when the rank has been in no call for a
// while, and so costs a rank that waits or communicates next to nothing.

// presence says who may use the streams of a rank that has an attendant: all that package tcp has of
// them, but for what is held (hold.go).
type presence struct{ atomic.Uint32 }

const (
	here     uint32 = iota // the rank, which is in a call
	away                   // who changes it first
	watched                // the same, and the attendant has seen that
	attended               // the attendant
)

// Come lets the rank use the streams again. The attendant keeps them for as long as it takes to do what
// a few packets say.
func (f *Streams) Come() {
	for p := f.presence.Load(); p != here; p = f.presence.Load() {
		if p != attended && f.presence.CompareAndSwap(p, here) {
			return
		}
		if p == attended {
			runtime.Gosched()
		}
	}
}

// leave lets the attendant use the streams from now on.
func (f *Streams) leave() {
	if f.attendant != nil && f.presence.Load() == here {
		f.presence.Store(away)
	}
}

// An attendant looks after attendSoon whether the rank is away. As long as it is not, it looks less and
// less often, but after attendLate.
const (
	attendSoon = time.Millisecond
	attendLate = 16 * time.Millisecond
)

// attendant serves the streams of a rank while that is away.
type attendant struct {
	streams *Streams
	news    *readySet // tells once of each time that something has come
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// Attend lets the streams be served while the rank is in no call, from the end of this one on.
func (f *Streams) Attend() error {
	f.Come()
	if f.attendant != nil {
		return nil
	}
	news, err := newReadySet()
	if err != nil {
		return err
	}
	a := &attendant{streams: f, news: news}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	for i, s := range f.Streams {
		if s.Lost == nil {
			err = a.add(s, i)
		}
		if err != nil {
			news.close()
			return err
		}
	}
	f.attendant = a
	a.running.Go(a.run)
	return nil
}

// add adds the stream with some index.
func (a *attendant) add(s *Stream, index int) error {
	if a == nil {
		return nil
	}
	return a.news.addOnce(s, index)
}

func (a *attendant) stop() {
	if a == nil {
		return
	}
	a.cancel()
	a.news.interrupt()
	a.running.Wait()
	a.news.close()
}

func (a *attendant) run() {
	f := a.streams
	look := time.NewTimer(attendSoon)
	defer look.Stop()
	for pause := attendSoon; ; look.Reset(pause) {
		select {
		case <-a.ctx.Done():
			return
		case <-look.C:
		}
		switch {
		case f.presence.CompareAndSwap(away, watched):
			pause = attendSoon
		case f.presence.Load() == watched:
			a.attend()
		default:
			pause = min(2*pause, attendLate)
		}
	}
}

// attend serves the streams until the rank is back.
func (a *attendant) attend() {
	for _, s := range a.streams.beside() {
		if !a.serve(s) {
			return
		}
	}
	for a.ctx.Err() == nil {
		index, ok := a.news.next()
		if !ok {
			continue
		}
		all := a.streams.beside()
		if index >= len(all) || !a.serve(all[index]) { // one that is not there yet the rank adds, which so is back
			return
		}
	}
}

// serve does what has come by a stream. It reports false if the rank is back.
func (a *attendant) serve(s *Stream) bool {
	f := a.streams
	if !f.presence.CompareAndSwap(watched, attended) {
		return false
	}
	for !s.holding.CompareAndSwap(held, inHand) && !s.holding.CompareAndSwap(notHeld, inHand) {
		runtime.Gosched()
	}
	s.attend()
	s.holding.Store(notHeld)
	f.presence.Store(watched)
	return true
}

// attend takes packets for which the rank is not needed, and answers them.
func (s *Stream) attend() {
	for s.Lost == nil && s.longReceive.bytes == 0 {
		if len(s.Packets) == 0 && !s.nextAttended() {
			break
		}
		if !s.takeAttended() {
			break
		}
	}
	if s.Lost == nil && (s.Owed > 0 || s.frame != noFrame || s.hasUnsent()) {
		s.streams.flush(s)
	}
}

// mostAttended is how much the attendant receives at once.
const mostAttended = 4 << 10

// beginsLong reports whether a long frame comes next. That is for the rank, which takes its data as it
// comes.
func (s *Stream) beginsLong() bool {
	b := s.Socket.Buffered()
	if len(b) < wire.FrameHead {
		return false
	}
	kind, _, err := wire.ReadFrameHead(b, s.by)
	return err == nil && kind == wire.LongFrame
}

// nextAttended receives the next frame, and reports whether that is there.
func (s *Stream) nextAttended() bool {
	if s.lent {
		s.Socket.renew()
		s.lent = false
	}
	for !s.hasFrame() {
		some, _, err := s.Socket.fill(mostAttended)
		if err != nil {
			s.failedToReceive(err)
		}
		if !some || s.beginsLong() {
			return false
		}
	}
	if err := s.takeFrame(); err != nil {
		s.streams.reject(s, BrokenStream, err)
		return false
	}
	return true
}

// takeAttended handles the packets of a frame, up to one that the rank has to take. It reports whether
// that were all.
func (s *Stream) takeAttended() bool {
	for len(s.Packets) > 0 {
		var h wire.Header
		body, rest, err := h.Parse(s.Packets, s.long)
		if err != nil || h.Group != s.streams.Identity.Group || int(h.To) != s.streams.number || !s.takeBesideRank(&h, body) {
			return false
		}
		s.Packets = rest
		s.Received++
	}
	return true
}

// takeBesideRank does what a packet says, unless the rank has to. It reports whether it has.
func (s *Stream) takeBesideRank(h *wire.Header, body []byte) bool {
	switch {
	case int(h.From) != s.Peer || h.Beside:
		return false
	case h.Kind == wire.Ack:
		return s.takeAck(h) == nil
	case h.Kind == wire.Nack || s.check(h) != nil || s.long || s.Socket.unsent() > flushAt:
		return false
	case !s.receiver.Attend(h.Kind, body, s.answer):
		return false
	}
	s.Inbox.Take()
	s.accepted++
	s.Owed++
	s.midst = false
	return true
}

// answer adds all packets of an answer, which are not numbered: what the rank sends has its own order.
func (s *Stream) answer(t *wire.Transfer) {
	for !t.IsOver() {
		s.addPart(t, &wire.Header{Kind: t.Next(wire.PacketBody), Beside: true})
	}
}
