package health

import (
	"net"
	"runtime"
	"testing"
)

// A message that the other side does not read is sent for some looks, however much time is
// between them, and no longer.
func TestSendingIsLimitedByLooks(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	l := NewConnection(here)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		l.Send(ControlMessage{Ask: 1})
	}()
	for l.looks.Load() == 0 {
		runtime.Gosched()
	}
	for range sendLooks / 2 {
		l.look()
	}
	select {
	case <-sent:
		t.Error("the message is given up after half of the looks")
	default:
	}
	for l.looks.Load() > 0 {
		l.look()
	}
	<-sent
	if _, err := l.receive(); err == nil {
		t.Error("the connection has not ended")
	}
}

// A look that comes late ends nothing.
func TestLooksAfterMessagesAreHarmless(t *testing.T) {
	here, there := net.Pipe()
	l, other := NewConnection(here), NewConnection(there)
	for question := range uint64(3) {
		heard := make(chan error)
		go func() {
			_, err := other.receive()
			heard <- err
		}()
		l.Send(ControlMessage{Ask: question + 1})
		for range 2 * sendLooks {
			l.look()
		}
		if err := <-heard; err != nil {
			t.Fatalf("question %d: %v", question+1, err)
		}
	}
}
