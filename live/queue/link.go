package queue

import (
	"bufio"
	"context"
	"musubi/live/shm"
	"musubi/live/wire"
	"net"
	"sync"
	"time"
)

// A put of a command queue to a rank of another group goes over a connection of its own,
// as its streams belong to the rank, which may compute. Goroutines serve it. The one that
// has the commands dials; see queue_wire.go for what they say.

// link is the way for puts of this process to a rank of another group.
type link struct {
	c  *Queues
	to int

	mu      sync.Mutex
	added   sync.Cond
	waiting []linkedPut // that have not been sent
	sent    []linkedPut // that have, and are not acknowledged
	closed  bool
}

// linkedPut is a put of a queue.
type linkedPut struct {
	queue    shm.QueueName
	position uint64
}

// linkTo returns the link to a rank, which the first put to it begins.
func (d *progress) linkTo(to int) *link {
	d.linksMu.Lock()
	defer d.linksMu.Unlock()
	if l := d.links[to]; l != nil {
		return l
	}
	l := &link{c: d.c, to: to}
	l.added.L = &l.mu
	d.links[to] = l
	d.linked.Store(true)
	d.running.Go(l.serve)
	return l
}

// add lets a put be sent behind all others of the link.
func (l *link) add(p linkedPut) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, p)
	l.c.progress.sent.Add(1)
	l.added.Signal()
}

// linkTime is how long a rank tries to reach another one for commands.
const linkTime = time.Minute

// serve connects, sends, and takes what is answered, until the link is closed.
func (l *link) serve() {
	d := l.c.progress
	ctx, cancel := context.WithTimeout(d.ctx, linkTime)
	conn, err := l.c.host.DialQueue(ctx, l.to)
	cancel()
	if err != nil {
		l.c.cut(l.to)
		return
	}
	end := context.AfterFunc(d.ctx, func() { l.close(conn) })
	defer end()
	d.running.Go(func() { l.listen(conn) })
	w := bufio.NewWriterSize(conn, linkBuffer)
	for p, ok := l.next(w); ok; p, ok = l.next(w) {
		if l.send(w, p) != nil {
			l.c.cut(l.to)
			return
		}
	}
}

// close ends the link.
func (l *link) close(conn net.Conn) {
	conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.added.Signal()
}

// next waits for the next put. Before it waits it sends what is buffered. It reports false
// when the link is closed.
func (l *link) next(w *bufio.Writer) (p linkedPut, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.mu.Unlock()
		err := w.Flush()
		l.mu.Lock()
		if err != nil && !l.closed {
			l.c.cut(l.to)
			return p, false
		}
	}
	for len(l.waiting) == 0 && !l.closed {
		l.added.Wait()
	}
	if l.closed {
		return p, false
	}
	p = l.waiting[0]
	l.waiting = l.waiting[:copy(l.waiting, l.waiting[1:])]
	l.sent = append(l.sent, p)
	return p, true
}

// send writes a put.
func (l *link) send(w *bufio.Writer, p linkedPut) error {
	c := l.c.job.QueueOf(p.queue).Command(p.position)
	var head [PutBytes]byte
	EncodePut(&head, c)
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	if c.Bytes == 0 {
		return nil
	}
	data := l.c.dataOf(p.queue, p.position)
	_, err := w.Write(data)
	l.c.wasRead(p.queue)
	return err
}

// listen takes acknowledgements, which come in the order of the puts.
func (l *link) listen(conn net.Conn) {
	r := bufio.NewReader(conn)
	for {
		failed, err := ReadAck(r)
		if err != nil {
			l.c.cut(l.to)
			return
		}
		l.mu.Lock()
		if len(l.sent) == 0 {
			l.mu.Unlock()
			l.c.cut(l.to)
			return
		}
		p := l.sent[0]
		l.sent = l.sent[:copy(l.sent, l.sent[1:])]
		l.mu.Unlock()
		l.c.progress.do(func(x *runner) { x.complete(p, failed) })
		l.c.progress.received.Add(1)
	}
}

// complete ends a put that is under way, and goes on with what waits for it.
func (x *runner) complete(p linkedPut, failed wire.Report) {
	q := x.c.job.QueueOf(p.queue)
	c := q.Command(p.position)
	c.Code, c.Hint = uint8(failed.Code), failed.Hint
	q.Done.Store(p.position + 1)
	x.c.job.Tell(x.c.number)
	x.run(p.queue)
}

// cut notes that the connection with a rank is lost, unless this one ends.
func (c *Queues) cut(peer int) {
	if c.progress.ctx.Err() == nil {
		c.host.CutQueues(peer)
	}
}
