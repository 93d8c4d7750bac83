package live

import "time"

// watch ends connections of which the other end has not acknowledged for bound what was
// sent. That is for the system of the other host to do, also while its process computes
// and reads nothing.
func (f *far) watch(bound time.Duration) {
	ticker := beats(bound)
	defer ticker.Stop()
	unanswered := make([]int, len(f.streams)) // ticks
	for {
		select {
		case <-f.linker.closed:
			return
		case <-ticker.C:
			for i, s := range f.streams {
				unanswered[i]++
				if !s.socket.isUnanswered() {
					unanswered[i] = 0
				}
				if unanswered[i] > beatsPerBound {
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
