package window

import (
	"fmt"

	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

// A rank handles messages for its windows in any call that makes progress. It handles messages to
// itself at once.

// handle deals with a message of a peer.
func (w *Window) handle(p *peer, id uint32, a *message) error {
	if w.dynamic != nil {
		a.runs = w.dynamic.cut(a.runs)
	}
	switch a.kind {
	case accumulate, fetch:
		return w.combine(p, id, a)
	case compare:
		return w.compare(p, id, a)
	case fetched:
		return w.handleFetched(p, id, a.data)
	case confirm:
		return p.sendControl(confirmed)
	case lockExclusive, lockShared, lockSharedMore:
		return w.handleLock(p, a.kind)
	case unlock:
		return w.handleUnlock(p)
	case lockBehind, lockTurn, lockPassed:
		return w.handleLockWord(p, id, a.kind)
	}
	return p.handleControl(a.kind)
}

// handleControl deals with an answer, or with a message about epochs.
func (p *peer) handleControl(a messageKind) error {
	switch {
	case a == confirmed && p.acks > 0:
		p.acks--
	case a == lockGranted && p.lock == noLock && !p.granted:
		p.granted, p.unconfirmed = true, false
	case a == posted:
		p.posted++
	case a == completed:
		p.completed++
	default:
		return fmt.Errorf("a message for a window of kind %d, which this rank did not ask for", a)
	}
	return nil
}

// sendBuffer is a message that is being written.
type sendBuffer struct {
	p       *peer
	buffer  []byte
	by      rma.Mechanism
	payload []byte // where its elements go
}

// write begins a message to a rank with n bytes of elements.
func (p *peer) write(id uint32, a messageKind, op reduction.ID, runs []run, n int) sendBuffer {
	e := p.w.e
	head := envelope.Bytes + headerBytes + runBytes*len(runs)
	l := sendBuffer{p: p}
	if p.isSelf() {
		l.buffer = e.Buffers.Get(head + n)
	} else {
		l.buffer, l.by = e.Out.Buffer(head + n)
	}
	v := envelope.Fields{Kind: envelope.ForWindow, Context: p.w.C.Point, ID: id, Bytes: head + n - envelope.Bytes}
	v.Encode(l.buffer)
	encodeMessage(l.buffer[envelope.Bytes:], a, op, p.w.typed.kind, runs)
	l.payload = l.buffer[head:]
	return l
}

// send sends a message.
func (l *sendBuffer) send() error {
	e := l.p.w.e
	if l.p.isSelf() {
		return e.Handle(l.p.process, l.buffer, l.buffer)
	}
	if e.Messenger != nil {
		if sent, err := e.Messenger.IPushCopy(int(l.p.process), l.buffer, nil); sent || err != nil {
			e.Out.GiveBack(l.buffer, l.by)
			return err
		}
	}
	return e.Out.Send(l.p.process, l.buffer, l.by)
}

// sendControl sends a message without elements to a rank.
func (p *peer) sendControl(a messageKind) error { return p.sendAbout(a, 0) }

// sendAbout is sendControl with an id.
func (p *peer) sendAbout(a messageKind, id uint32) error {
	l := p.write(id, a, reduction.User, nil, 0)
	return l.send()
}

// region returns elements of this rank's memory.
func (w *Window) region(at, count uint64) ([]byte, error) {
	if w.dynamic != nil {
		return w.dynamic.find(at, count, w.element)
	}
	if n := uint64(len(w.Memory) / w.element); count > n || at > n-count {
		return nil, fmt.Errorf("an access to %d elements from %d on of a window that has %d", count, at, n)
	}
	return w.Memory[int(at)*w.element:][:int(count)*w.element], nil
}

// combine carries out an accumulate or a fetch, and answers a fetch with the old elements.
func (w *Window) combine(p *peer, id uint32, a *message) error {
	total, err := w.checkRuns(a)
	if err != nil {
		return err
	}
	kind := w.kind
	if a.of != 0 {
		kind = a.of
	}
	apply := reduction.Of(a.op, kind)
	if apply == nil || a.op != reduction.NoOpID && len(a.data) != total || a.op == reduction.NoOpID && len(a.data) != 0 {
		return fmt.Errorf("an access to a window with operation %d and %d bytes of elements for %d", a.op, len(a.data), total)
	}
	var answer sendBuffer
	if a.kind == fetch {
		answer = p.write(id, fetched, reduction.User, nil, total)
	}
	was, data := answer.payload, a.data
	for i := range len(a.runs) / runBytes {
		memory, _ := w.region(a.run(i))
		if a.kind == fetch {
			was = was[copy(was, memory):]
		}
		if a.op != reduction.NoOpID {
			apply(data[:len(memory)], memory)
			data = data[len(memory):]
		}
	}
	if a.kind == fetch {
		return answer.send()
	}
	return nil
}

// checkRuns returns how many bytes the elements of an access have together.
func (w *Window) checkRuns(a *message) (int, error) {
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

// compare carries out a comparison.
func (w *Window) compare(p *peer, id uint32, a *message) error {
	total, err := w.checkRuns(a)
	if err != nil {
		return err
	}
	if total == 0 || total%w.element != 0 || len(a.data) != 2*total {
		return fmt.Errorf("a comparison of %d bytes with %d; expected an element, and two", total, len(a.data))
	}
	memory, _ := w.region(a.run(0))
	answer := p.write(id, fetched, reduction.User, nil, total)
	copy(answer.payload, memory)
	if expected := a.data[:total]; string(memory) == string(expected) {
		copy(memory, a.data[total:])
	}
	return answer.send()
}

// handleFetched copies the old elements to the memory of the fetch that has asked for them.
func (w *Window) handleFetched(p *peer, id uint32, data []byte) error {
	r := w.all.fetches.Get(id)
	if r == nil || r.p != p || len(data) > len(r.Data)-r.Status.Bytes {
		return fmt.Errorf("an answer of %d bytes to access %d of a window, which did not ask for it", len(data), id)
	}
	r.Status.Bytes += copy(r.Data[r.Status.Bytes:], data)
	if r.Status.Bytes == len(r.Data) {
		w.all.fetches.Remove(id)
		p.pending--
		r.complete(nil)
	}
	return nil
}
