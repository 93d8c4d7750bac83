package health

import "sync"

// outbox sends messages to a member one after the other, in a goroutine that there is as long as some wait.
// So nobody waits for a member that does not read, as its process gets no processor: neither the other
// members nor who has the hub's lock.
type outbox struct {
	connection *Connection
	tasks      *sync.WaitGroup // has the goroutine

	mu      sync.Mutex
	waiting []ControlMessage
	sending bool
}

// post lets a message be sent, behind those that wait.
func (o *outbox) post(m ControlMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = append(o.waiting, m)
	o.wake()
}

// beat lets a heartbeat be sent, unless something is being sent: that is a sign of life as well.
func (o *outbox) beat() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.sending {
		o.waiting = append(o.waiting, ControlMessage{})
		o.wake()
	}
}

func (o *outbox) wake() {
	if !o.sending {
		o.sending = true
		o.tasks.Go(o.send)
	}
}

// send sends what waits. If the connection has ended the messages are lost.
func (o *outbox) send() {
	for m, any := o.next(); any; m, any = o.next() {
		o.connection.Send(m)
	}
}

func (o *outbox) next() (m ControlMessage, any bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) == 0 {
		o.waiting, o.sending = nil, false
		return m, false
	}
	m, o.waiting = o.waiting[0], o.waiting[1:]
	return m, true
}
