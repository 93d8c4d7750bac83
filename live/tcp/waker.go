package tcp

import "sync"

// waker wakes a rank that sleeps when one of its streams has something: a rank sleeps on a
// word in memory, which the system cannot watch together with sockets. It does nothing
// until the rank sleeps for the first time.
type waker struct {
	wake    func() // the rank
	ready   *readySet
	armed   chan struct{} // holds one if the rank is to be woken
	running sync.WaitGroup
	started bool
}

func newWaker(wake func(), ready *readySet) *waker {
	return &waker{wake: wake, ready: ready, armed: make(chan struct{}, 1)}
}

// arm lets the rank be woken once. It has said that it sleeps before.
func (w *waker) arm() {
	if !w.started {
		w.started = true
		w.running.Go(w.run)
	}
	select {
	case w.armed <- struct{}{}:
	default: // what was asked for before has not been begun
	}
}

func (w *waker) run() {
	for range w.armed {
		w.ready.wait()
		w.wake()
	}
}

// stop ends the waker. The rank must not sleep any more.
func (w *waker) stop() {
	close(w.armed)
	w.ready.interrupt()
	w.running.Wait()
	w.ready.close()
}
