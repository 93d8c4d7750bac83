package window

import (
	"fmt"

	"musubi/mpi/internal/envelope"
	"musubi/mpi/internal/reduction"
	"musubi/rma"
)

// What a rank does with messages for its windows, in whatever call it makes progress,
// and how it sends such. Messages to this rank itself are dealt with at once.

// take deals with a message of a rank.
func (w *Window) take(p *peer, id uint32, a *message) error {
	switch a.wish {
	case accumulate, fetch:
		return w.combine(p, id, a)
	case compare:
		return w.compare(p, id, a)
	case fetched:
		return w.takeFetched(p, id, a.data)
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
		l.buffer = e.Buffers.Get(head + n)
	} else {
		l.buffer, l.by = e.Out.Buffer(head + n)
	}
	v := envelope.Fields{Kind: envelope.ForWindow, Context: p.w.C.Point, ID: id, Bytes: head + n - envelope.Bytes}
	v.Encode(l.buffer)
	encodeMessage(l.buffer[envelope.Bytes:], a, op, runs)
	l.payload = l.buffer[head:]
	return l
}

// send sends a message.
func (l *letter) send() error {
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

// tell sends a message without elements to a rank.
func (p *peer) tell(a wish) error {
	l := p.write(0, a, reduction.User, nil, 0)
	return l.send()
}

// region returns elements of this rank's memory.
func (w *Window) region(at, count uint64) ([]byte, error) {
	if n := uint64(len(w.Memory) / w.element); count > n || at > n-count {
		return nil, fmt.Errorf("an access to %d elements from %d on of a window that has %d", count, at, n)
	}
	return w.Memory[int(at)*w.element:][:int(count)*w.element], nil
}

// combine carries out an accumulate, or a fetch.
func (w *Window) combine(p *peer, id uint32, a *message) error {
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
func (w *Window) takeFetched(p *peer, id uint32, data []byte) error {
	r := w.all.fetches.Get(id)
	if r == nil || r.p != p || len(data) > len(r.Data)-r.Status.Bytes {
		return fmt.Errorf("an answer of %d bytes to access %d of a window, which did not ask for it", len(data), id)
	}
	r.Status.Bytes += copy(r.Data[r.Status.Bytes:], data)
	if r.Status.Bytes == len(r.Data) {
		w.all.fetches.Remove(id)
		p.under--
		r.settle(nil)
	}
	return nil
}
