package mpi

import (
	"fmt"

	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

// What a rank does with messages for its windows, in whatever call it makes progress,
// and how it sends such. Messages to this rank itself are dealt with at once.

// addWindow lets messages find a window.
func (e *engine) addWindow(w *window) {
	id := int(w.c.point / 2)
	if id >= len(e.windows) {
		e.windows = append(e.windows, make([]*window, id+1-len(e.windows))...)
	}
	e.windows[id] = w
}

// windowOf returns the window that has a context; nil if there is none.
func (e *engine) windowOf(context uint32) *window {
	if id := int(context / 2); id < len(e.windows) {
		return e.windows[id]
	}
	return nil
}

// toWindow deals with a message for a window.
func (e *engine) toWindow(from int32, v *envelope.Fields, body []byte) error {
	w := e.windowOf(v.Context)
	if w == nil {
		return fmt.Errorf("a message for window %d, which there is not", v.Context/2)
	}
	a, err := decodeAccess(body)
	if err != nil {
		return err
	}
	rank := w.c.rankOf(from)
	if rank < 0 {
		return fmt.Errorf("a message for window %d, which it is not in", v.Context/2)
	}
	return w.take(w.peer(rank), v.ID, &a)
}

// take deals with a message of a rank.
func (w *window) take(p *peer, id uint32, a *access) error {
	switch a.wish {
	case accumulate, fetch:
		return w.combine(p, id, a)
	case compare:
		return w.compareAndSwap(p, id, a)
	case fetched:
		return w.e.takeFetched(p, id, a.data)
	case confirm:
		return p.tell(confirmed)
	case claim, claimShared, claimMore:
		return w.takeClaim(p, a.wish)
	case release:
		return w.takeRelease(p)
	}
	return p.takeNote(a.wish)
}

// takeNote takes note of what a rank tells.
func (p *peer) takeNote(a wish) error {
	switch {
	case a == confirmed && p.acks > 0:
		p.acks--
	case a == grant && p.lock == noLock && !p.granted:
		p.granted, p.unconfirmed = true, false
	case a == posted:
		p.posted++
	case a == completed:
		p.completed++
	default:
		return fmt.Errorf("a message for a window with wish %d, which this rank did not ask for", a)
	}
	return nil
}

// letter is a message that is being written.
type letter struct {
	p       *peer
	buffer  []byte
	by      rma.Mechanism
	payload []byte // where its elements go
}

// write begins a message to a rank with n bytes of elements.
func (p *peer) write(id uint32, a wish, op reduction.ID, runs []run, n int) letter {
	e := p.w.e
	head := envelope.Bytes + remoteBytes + runBytes*len(runs)
	l := letter{p: p}
	if p.isSelf() {
		l.buffer = e.buffers.Get(head + n)
	} else {
		l.buffer, l.by = e.out.Buffer(head + n)
	}
	v := envelope.Fields{Kind: envelope.ForWindow, Context: p.w.c.point, ID: id, Bytes: head + n - envelope.Bytes}
	v.Encode(l.buffer)
	encodeAccess(l.buffer[envelope.Bytes:], a, op, runs)
	l.payload = l.buffer[head:]
	return l
}

// send sends a message.
func (l *letter) send() error {
	e := l.p.w.e
	if l.p.isSelf() {
		return e.handle(l.p.process, l.buffer, l.buffer)
	}
	if e.messenger != nil {
		if sent, err := e.messenger.IPushCopy(int(l.p.process), l.buffer, nil); sent || err != nil {
			e.out.GiveBack(l.buffer, l.by)
			return err
		}
	}
	return e.out.Send(l.p.process, l.buffer, l.by)
}

// tell sends a message without elements to a rank.
func (p *peer) tell(a wish) error {
	l := p.write(0, a, reduction.User, nil, 0)
	return l.send()
}

// region returns elements of this rank's memory.
func (w *window) region(at, count uint64) ([]byte, error) {
	if n := uint64(len(w.memory) / w.element); count > n || at > n-count {
		return nil, fmt.Errorf("an access to %d elements from %d on of a window that has %d", count, at, n)
	}
	return w.memory[int(at)*w.element:][:int(count)*w.element], nil
}

// combine carries out an accumulate, or a fetch.
func (w *window) combine(p *peer, id uint32, a *access) error {
	total, err := w.checkRuns(a)
	if err != nil {
		return err
	}
	apply := reduction.Of(a.op, w.kind)
	if apply == nil || a.op != reduction.NoOpID && len(a.data) != total || a.op == reduction.NoOpID && len(a.data) != 0 {
		return fmt.Errorf("an access to a window with operation %d and %d bytes of elements for %d", a.op, len(a.data), total)
	}
	var answer letter
	if a.wish == fetch {
		answer = p.write(id, fetched, reduction.User, nil, total)
	}
	was, data := answer.payload, a.data
	for i := range len(a.runs) / runBytes {
		memory, _ := w.region(a.run(i))
		if a.wish == fetch {
			was = was[copy(was, memory):]
		}
		if a.op != reduction.NoOpID {
			apply(data[:len(memory)], memory)
			data = data[len(memory):]
		}
	}
	if a.wish == fetch {
		return answer.send()
	}
	return nil
}

// checkRuns returns how many bytes the elements of an access have together.
func (w *window) checkRuns(a *access) (int, error) {
	total := 0
	for i := range len(a.runs) / runBytes {
		memory, err := w.region(a.run(i))
		if err != nil {
			return 0, err
		}
		total += len(memory)
	}
	return total, nil
}

// compareAndSwap carries out a comparison.
func (w *window) compareAndSwap(p *peer, id uint32, a *access) error {
	total, err := w.checkRuns(a)
	if err != nil {
		return err
	}
	if total != w.element || len(a.data) != 2*w.element {
		return fmt.Errorf("a comparison of %d bytes with %d; expected an element, and two", total, len(a.data))
	}
	memory, _ := w.region(a.run(0))
	answer := p.write(id, fetched, reduction.User, nil, w.element)
	copy(answer.payload, memory)
	if expected := a.data[:w.element]; string(memory) == string(expected) {
		copy(memory, a.data[w.element:])
	}
	return answer.send()
}

// takeFetched brings what was there to where a fetch wants it.
func (e *engine) takeFetched(p *peer, id uint32, data []byte) error {
	r := e.fetches.get(id)
	if r == nil || r.access != p || len(data) > len(r.data)-r.status.Bytes {
		return fmt.Errorf("an answer of %d bytes to access %d of a window, which did not ask for it", len(data), id)
	}
	r.status.Bytes += copy(r.data[r.status.Bytes:], data)
	if r.status.Bytes == len(r.data) {
		e.fetches.remove(id)
		p.under--
		e.settle(r, nil)
	}
	return nil
}
