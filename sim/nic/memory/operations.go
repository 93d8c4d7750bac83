package memory

import (
	"fmt"

	"musubi/nic/mbc"
	"musubi/nic/ring"
	"musubi/onesided"
	"musubi/sim/engine"
	"musubi/sim/host"
)

// access is an operation as the interfaces see it.
type access struct {
	host.Request
	initiator   int32
	station     int32        // end point that it was started at
	stamp       mbc.Identity // that the interface puts into its requests
	claim       claim        // of the access id that they name; see resident
	moves       int          // how often the initiator had moved
	size        int          // in bytes
	near, far   onesided.Layout
	base        uint32 // address of local
	sent        int    // bytes for which requests have left
	begun       bool
	left        bool   // all of its requests have left
	awaited     int    // replies that have not come
	written     int    // bytes that are where they belong
	parts       int    // packets that they came in
	missing     int    // sum of what tells the places of packets apart, of those that have not come
	cast        uint32 // of kind multicast, until all targets have it
	unconfirmed bool   // and nobody acknowledges it
}

// operations are those that ranks have asked for.
type operations struct {
	m        *memoryBased
	accesses host.Slab[access] // by number of the operation
}

// ringPacket returns what the receive ring has to know of a frame.
func (ops *operations) ringPacket(f *frame) ring.Packet {
	a := ops.m.operations.accesses.At(f.op)
	return ops.m.Ranks[a.Target].RingPacket(a.initiator, f.h.Size, f.offset+f.h.Size == a.size)
}

// write puts the data of a frame into the memory of its target, if that has such.
func (ops *operations) write(f *frame) (done bool) {
	r := &ops.m.Ranks[f.place.Rank]
	if f.appends() {
		h := ops.ringPacket(f)
		r.Store(&h, f.placed, f.data)
		return true
	}
	data := f.payload()
	memory, err := r.Memory(f.place, len(data))
	if err != nil {
		if f.cast == 0 || f.h.Flags&mbc.Confirm != 0 {
			ops.m.FailOp(f.op, err)
		}
		return false
	}
	copy(memory, data)
	r.Touched()
	return true
}

// apply enters into the books that a part of an operation has been done. It must be the
// next one: no part is lost, done twice, or done before those that were sent earlier. Only
// the answers of a PULL may come in any order.
func (ops *operations) apply(f *frame) {
	a := ops.accesses.At(f.op)
	if ops.m.OpErr(f.op) != nil {
		return
	}
	if a.Action != host.Pull && (f.offset != a.written || a.parts > 0 && a.written == a.size) {
		ops.m.Fail(fmt.Errorf("sim: %v of rank %d at rank %d: bytes from %d on are accessed where those from %d on are next of %d",
			a.Action, a.initiator, a.Target, f.offset, a.written, a.size))
		return
	}
	a.written += a.progress(f)
	a.parts++
	if a.missing -= f.offset + 1; a.written == a.size && a.Action != host.Multicast {
		ops.m.Arrived(a.initiator, &a.Request)
	}
}

// done ends an operation, which has been done once as a whole, or refused.
func (ops *operations) done(id uint32) {
	a := ops.accesses.At(id)
	ops.m.casts.castDone(id)
	if a.Action != host.Multicast && ops.m.OpErr(id) == nil && (a.written != a.size || a.parts == 0 || a.missing != 0) {
		ops.m.Fail(fmt.Errorf("sim: %v of rank %d at rank %d is complete, but %d of %d bytes are where they belong",
			a.Action, a.initiator, a.Target, a.written, a.size))
	}
	ops.ended(a)
	ops.m.CompleteOp(id)
}

// piece returns how many bytes from one of an operation on lie in one piece at both ends,
// and where.
func (a *access) piece(at int) (near, far, n int) {
	left := a.size - at
	near, n = stretch(&a.near, at, left)
	far, n = stretch(&a.far, at, n)
	return near, far, n
}

// pieces returns for how many pieces the processor posts requests: at least one.
func (a *access) pieces() int {
	count := 0
	for at := 0; at < a.size || count == 0; count++ {
		_, _, n := a.piece(at)
		at += n
	}
	return count
}

// cut returns the data of the next packet: how much of the piece fits it and lies in one
// page at both ends. What goes to a receive ring has a page of its own there.
func (a *access) cut(at, payload int) (near, far, n int) {
	near, far, n = a.piece(at)
	n = min(n, payload, leftInPage(int(a.base)+near))
	if a.Action != host.IPush {
		n = min(n, leftInPage(a.Address.Offset+far))
	}
	return near, far, n
}

// nearAddress returns the address of an offset in the local memory of an operation. All
// memory that is not exposed shares a page.
func (a *access) nearAddress(offset int) uint32 {
	if a.base < firstPage*mbc.PageSize {
		return a.base + uint32(offset)%mbc.PageSize
	}
	return a.base + uint32(offset)
}

// ended counts an operation that is complete. When it was the last one that its process
// has started at another station, those go on that have waited for that.
func (ops *operations) ended(a *access) {
	p := &ops.m.residents.processes[a.initiator]
	p.open--
	if a.moves == p.moves {
		return
	}
	if p.old--; p.old > 0 {
		return
	}
	s := &ops.m.stations[p.at]
	for p.held.Len() > 0 {
		s.sender.queue.Push(p.held.Pop())
	}
	s.sender.feed()
}

// requested takes the requests of an operation.
func (ops *operations) requested(id uint32) {
	a := ops.accesses.At(id)
	if p := &ops.m.residents.processes[a.initiator]; a.moves == p.moves && p.old > 0 {
		p.held.Push(id)
		return
	}
	s := &ops.m.stations[a.station]
	s.sender.queue.Push(id)
	s.sender.feed()
}

// begin looks whether there is a ring for what an operation appends, and how to send a
// multicast.
func (ops *operations) begin(id uint32) error {
	a := ops.accesses.At(id)
	if a.begun {
		return nil
	}
	a.begun = true
	switch a.Action {
	case host.IPush:
		return ops.m.Ranks[a.Target].Admits(a.initiator, a.size)
	case host.Multicast:
		ops.m.casts.beginCast(&ops.m.casts.list[a.cast])
	}
	return nil
}

// abandon ends an operation of which nothing has been sent.
func (ops *operations) abandon(id uint32, err error) {
	ops.m.FailOp(id, err)
	ops.accesses.At(id).left = true
	ops.m.Clock.Push(engine.Event{At: ops.m.Clock.Now(), Kind: evDone, A: id})
}

// progress returns how many bytes of the operation a frame has to do with.
func (a *access) progress(f *frame) int {
	if a.Action == host.Change || a.Action == host.Sequence {
		return a.size
	}
	return f.h.Size
}

// atomicOf returns what is to be made of a word, as packets say it.
func atomicOf(w *host.Word) onesided.Atomic {
	return onesided.Atomic{Compare: w.Swap, Reduction: w.Reduction, Operand: w.Operand, Expected: w.Expected}
}
