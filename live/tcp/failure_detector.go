package tcp

import (
	"musubi/live/wire"
	"time"
)

// watch ends connections of which the other end has not acknowledged for bound what was
// sent. That is for the system of the other host to do, also while its process computes
// and reads nothing.
func (f *Streams) watch(bound time.Duration) {
	ticker := wire.Heartbeats(bound)
	defer ticker.Stop()
	for {
		select {
		case <-f.Linker.ctx.Done():
			return
		case <-ticker.C:
			for _, s := range f.beside() {
				s.unanswered++
				if !s.Socket.isUnanswered() {
					s.unanswered = 0
				}
				if s.unanswered > wire.HeartbeatsPerBound {
					s.Socket.hangUp()
				}
			}
		}
	}
}

// isUnanswered reports whether the other end owes an acknowledgement, and the system has
// asked for it again. It may be called beside the rank.
func (s *Socket) isUnanswered() bool {
	s.closing.Lock()
	defer s.closing.Unlock()
	return s.Fd != notDetached && isUnanswered(s.Fd)
}

// hangUp ends the connection, so that the rank finds its end. It may be called beside the
// rank.
func (s *Socket) hangUp() {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.Fd != notDetached {
		hangUp(s.Fd)
	}
}
