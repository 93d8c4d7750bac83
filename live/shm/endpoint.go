package shm

import (
	"encoding/binary"

	"musubi/live/wire"
)

// Endpoint is a rank's end of the way to another rank of the group and back: a pair of rings. It is
// the transport of shared memory.
type Endpoint struct {
	Out Writer
	In  Reader

	region  *Region
	peer    int
	own     *rankState // state of this rank
	sender  *rankState // state of the other one
	copier  Copier
	lane    int // bytes of the longest message of a program in C, with the word before its data
	failed  func(end uint64, why wire.Report)
	failing bool   // an operation of the other rank has failed, and perhaps it has not collected that
	clean   uint64 // where the last record ended before the one that has failed, while failing
}

// NewEndpoint returns the end of a rank of the way to another one of its group. What of the
// operations of this rank has failed, and where it ends, goes to failed.
func NewEndpoint(g *Region, own, peer int, failed func(end uint64, why wire.Report)) *Endpoint {
	fenced := g.Header.Sleeps == 1
	e := &Endpoint{region: g, peer: peer, own: &g.Ranks[own], sender: &g.Ranks[peer], failed: failed}
	data, pair := g.Ring(own, peer)
	e.Out = newWriter(data, g.Half(own, peer), pair, fenced)
	e.Out.callFirst(&g.Callers[peer], own)
	data, pair = g.Ring(peer, own)
	e.In = newReader(data, g.Half(peer, own), pair, fenced)
	return e
}

// Write writes the next part of a transfer, if there is room.
func (e *Endpoint) Write(t *wire.Transfer) bool {
	k := t.Next(e.Out.Most)
	before := t.HeadBytes(k)
	n := t.DataBytes(k, e.Out.Most-before)
	body := e.Out.Reserve(before + n)
	if body == nil {
		return false
	}
	if before > 0 {
		t.PutHead(k, body, n)
	}
	if n > 0 {
		e.gather(body[before:], t)
	}
	e.publish(k, before+n)
	t.Advance(k, n)
	return true
}

// gather copies the data of a transfer that is next to the ring.
func (e *Endpoint) gather(body []byte, t *wire.Transfer) {
	if t.Gather == nil {
		e.copier.Copy(body, t.Data[t.Sent:][:len(body)])
		return
	}
	t.GatherInto(body)
}

// publish makes a record visible. The record also acknowledges what was taken of the other ring.
func (e *Endpoint) publish(k wire.Kind, n int) { e.Out.Publish(k, n, e.acknowledged()) }

// acknowledged returns what the other rank may count as taken, and as done if it knows of no
// failure.
func (e *Endpoint) acknowledged() Acknowledgement {
	if e.failing && e.In.Pair.FailedAt.Load() == 0 {
		e.failing = false
	}
	if e.failing {
		return AcknowledgementOf(e.clean, e.In.Lines)
	}
	return AcknowledgementOf(e.In.Tail, e.In.Lines)
}

// WriteMessage writes a message of two parts in one record, if there is room.
func (e *Endpoint) WriteMessage(head, data []byte) bool {
	n := len(head) + len(data)
	if n > e.Out.Most {
		return false
	}
	body := e.Out.Reserve(n)
	if body == nil {
		return false
	}
	e.copier.Copy(body[copy(body, head):], data)
	e.limitInC()
	e.publish(wire.Message, n)
	e.wakeSleeper()
	return true
}

// WriteWord is WriteMessage with a head of one word, at less cost. The message goes by the common
// cache line if it is short and all before it is known to have been taken, else by the ring.
func (e *Endpoint) WriteWord(head uint64, data []byte) bool {
	n := WordBytes + len(data)
	if n > len(ShortBody{}) {
		return e.writeLong(head, data)
	}
	word := RecordWord(wire.Message, n, e.acknowledged())
	if e.Out.fitsCommonLine() {
		e.Out.publishCommon(word, head, data)
	} else if !e.Out.publishGrain(word, head, data) {
		return false
	}
	e.wakeSleeper()
	return true
}

// writeLong writes a word and data that need several grains. With a head of a fixed length 256
// bytes take a tenth less than by WriteMessage.
func (e *Endpoint) writeLong(head uint64, data []byte) bool {
	n := WordBytes + len(data)
	if n > e.Out.Most {
		return false
	}
	body := e.Out.Reserve(n)
	if body == nil {
		return false
	}
	binary.LittleEndian.PutUint64(body, head)
	e.copier.Copy(body[WordBytes:], data)
	e.limitInC()
	e.publish(wire.Message, n)
	e.wakeSleeper()
	return true
}

// wakeSleeper wakes the other rank after a message, if ranks may sleep.
func (e *Endpoint) wakeSleeper() {
	if e.Out.fenced {
		e.region.Wake(e.peer)
	}
}

// Tell lets the other rank see what has been written.
func (e *Endpoint) Tell() { e.region.Wake(e.peer) }

// Reach reports that there is nothing to connect.
func (e *Endpoint) Reach() bool { return false }

// Position is where the last record ends, in bytes.
func (e *Endpoint) Position() uint64 { return e.Out.Head }

// IsDone reports whether the other rank has done all before a position, or failed it.
func (e *Endpoint) IsDone(end uint64) bool {
	if e.Out.clean >= end {
		return true
	}
	if !e.Out.taken(end) {
		return false
	}
	e.Collect()
	return true
}

// IsDrained reports whether the other rank has taken all that has been written.
func (e *Endpoint) IsDrained() bool { return e.Out.taken(e.Out.Head) }

// Collect takes note of an operation of this rank that the other one has failed.
func (e *Endpoint) Collect() {
	pair := e.Out.Pair
	end := pair.FailedAt.Load()
	if end == 0 {
		return
	}
	e.failed(end, wire.Report{Code: wire.Code(pair.FailedCode.Load()), Hint: pair.FailedHint.Load()})
	pair.FailedAt.Store(0)
	e.own.Activity.Add(1)
	e.region.Wake(e.peer) // it may have another failure to tell of
}

// Next returns the next record from the other rank, kind 0 if there is none. The body is good until it is
// taken. What the record acknowledges is noted.
func (e *Endpoint) Next() (wire.Kind, []byte) {
	word := e.In.Look()
	if word == 0 {
		return 0, nil
	}
	e.Out.Acknowledge(WordAcknowledgement(word))
	return WordKind(word), e.In.Body(WordBody(word))
}

// Inform lets the other rank know what has been taken of its records.
func (e *Endpoint) Inform() {
	if e.In.published != e.In.Tail {
		e.Flush()
	}
}

// Flush publishes what has been taken, for which the other rank may wait.
func (e *Endpoint) Flush() {
	e.In.Flush()
	e.region.WakeSender(e.peer)
}

// Fail tells the other rank that its operation has failed that ends with the next record, with a
// body of n bytes. It reports false if that rank has not yet seen the failure before.
func (e *Endpoint) Fail(n int, why wire.Report) bool {
	pair := e.In.Pair
	if pair.FailedAt.Load() != 0 {
		return false
	}
	if !e.failing {
		e.failing, e.clean = true, e.In.Tail
	}
	pair.FailedCode.Store(uint64(why.Code))
	pair.FailedHint.Store(why.Hint)
	pair.FailedAt.Store(e.In.End(n))
	e.sender.Failures.Add(1)
	e.Tell()
	return true
}

// IsReading reports that memory is free once Write has returned.
func (e *Endpoint) IsReading(int) bool { return false }

// EagerBytes is the longest message for which every record has room; 0: rings are too small.
func (e *Endpoint) EagerBytes() int {
	if e.Out.Most < MostEager+MpiHead {
		return 0
	}
	return MostEager
}

// RingBytes is the size of the ring to the other rank, which is that of the ring back.
func (e *Endpoint) RingBytes() int { return len(e.Out.data) }

// CopyInOrder copies data to memory of the other rank, its end last; see the function.
func (e *Endpoint) CopyInOrder(memory, data []byte) { CopyInOrder(memory, data, &e.copier) }

// Prepare takes some lines of the next record, and reports whether there may be more. Those
// that will be written past the cache are better left alone, and a copier that tries both ways
// is to see what they cost.
//
// When a ring has gone round, its lines lie in the cache of the processor that has read them, or in
// none. The writer of a record has to fetch each of them first, which takes longer than all the
// rest. So a rank that has sent and waits fetches the lines of its next record meanwhile, by writing
// to them. Measured: messages of 256 bytes to 4 KiB take two thirds of the time then. An instruction
// that asks for a line to be written (PREFETCHW) does not help.
func (e *Endpoint) Prepare() bool {
	if e.Out.last >= WordBytes+pastBytes && !e.copier.usesCache() {
		return false
	}
	return e.Out.takeLines()
}
