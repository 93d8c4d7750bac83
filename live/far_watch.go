package live

import "time"

// watch ends connections of which the other end has not acknowledged for bound what was
// sent. That is for the system of the other host to do, also while its process computes
// and reads nothing.
func (f *far) watch(bound time.Duration) {
	ticker := beats(bound)
	defer ticker.Stop()
	for {
		select {
		case <-f.linker.ctx.Done():
			return
		case <-ticker.C:
			for _, s := range f.beside() {
				s.unanswered++
				if !s.socket.isUnanswered() {
					s.unanswered = 0
				}
				if s.unanswered > beatsPerBound {
					s.socket.hangUp()
				}
			}
		}
	}
}

// isUnanswered reports whether the other end owes an acknowledgement, and the system has
// asked for it again. It may be called beside the rank.
func (s *socket) isUnanswered() bool {
	s.closing.Lock()
	defer s.closing.Unlock()
	return s.fd != notDetached && isUnanswered(s.fd)
}

// hangUp ends the connection, so that the rank finds its end. It may be called beside the
// rank.
func (s *socket) hangUp() {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.fd != notDetached {
		hangUp(s.fd)
	}
}
