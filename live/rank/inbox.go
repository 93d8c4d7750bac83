package rank

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/nic/ring"
	"musubi/rma"
)

// What the receive rings of a rank are, if it does not set them.
const (
	usualArea    = 4 << 20 // bytes, for private rings of all senders
	usualRecords = 4096
)

// ringLimits bounds the receive rings of one rank.
var ringLimits = rma.Limits{Bytes: 1 << 30, Records: 1 << 24}

// inbox is the receive rings of a rank with their status ring. It comes into being
// when the rank sets its rings, or else when it is first needed.
type inbox struct {
	receiver *ring.Receiver
	config   ring.Config
	areas    [][]byte // memory of each ring, from its first packet on
	held     map[uint64]ring.Record
}

func (r *taker) Rings(rings rma.Rings) error {
	if r.inbox.receiver != nil {
		return errors.New("rma: Rings after the rings are in use; expected it once, before the process communicates")
	}
	return r.makeRings(rings)
}

func (r *taker) makeRings(rings rma.Rings) error {
	if err := rings.CheckLimits(r.Size(), ringLimits); err != nil {
		return err
	}
	if err := rings.Check(r.Size(), Packet); err != nil {
		return err
	}
	rings = rings.Lists(r.Size())
	config := receiverConfig(&rings, r.Size())
	receiver, err := ring.NewReceiver(config)
	if err != nil {
		return err
	}
	r.inbox = inbox{receiver: receiver, config: config, areas: make([][]byte, len(config.Rings)), held: map[uint64]ring.Record{}}
	for from := range r.in {
		r.in[from].longest = r.inbox.longest(from)
	}
	return nil
}

// ready makes the usual rings if there are none yet: a private one for each rank.
func (r *taker) ready() error {
	if r.inbox.receiver != nil {
		return nil
	}
	return r.makeRings(rma.RingForEach(max(Packet, usualArea/r.Size()), rma.PerMessage))
}

// receiverConfig translates rings. That for all other ranks is the last.
func receiverConfig(rings *rma.Rings, ranks int) ring.Config {
	all := slices.Clone(rings.Private)
	others := -1
	if rings.Other.Bytes > 0 {
		others = len(all)
		all = append(all, rings.Other)
	}
	table := slices.Repeat([]int{others}, ranks)
	for i, ring := range rings.Private {
		for _, sender := range ring.Senders {
			table[sender] = i
		}
	}
	senders := make([]int, len(all))
	for _, ring := range table {
		if ring >= 0 {
			senders[ring]++
		}
	}
	config := ring.Config{Table: table, Packet: Packet, Records: cmp.Or(rings.Records, usualRecords)}
	for i, r := range all {
		config.Rings = append(config.Rings, ring.RingConfig{
			Size: r.Bytes, Shared: senders[i] > 1, PerPacket: r.Status == rma.PerPacket,
		})
	}
	return config
}

// takePacket appends a part of a message to the receive ring of its sender. If there is no room
// it waits, and with it what its sender sends after it.
func (r *taker) takePacket(from int, in *inlet, body []byte) bool {
	if r.ready() != nil {
		return false // cannot be: the usual rings are such as a rank can have
	}
	f, data := wire.DecodePacket(body), body[wire.PacketBytes:]
	if f.First {
		in.message = r.refuse(from, f.Total)
	}
	if refused := in.message; refused.Code != 0 {
		return !f.Last || in.fail(len(body), refused)
	}
	return r.appendPacket(from, f.Last, data)
}

// appendPacket writes a packet, the last of its message or not, to the receive ring of its
// sender, if there is room.
func (r *taker) appendPacket(from int, last bool, data []byte) bool {
	p := ring.Packet{From: uint16(from), Data: len(data)}
	if last {
		p.Flags |= ring.EndOfMessage
	}
	if r.inbox.config.Rings[r.inbox.config.Table[from]].PerPacket {
		p.Flags |= ring.PacketStatus
	}
	place, result := r.inbox.receiver.Place(&p)
	if result != ring.Accepted {
		return false
	}
	for _, span := range place.At {
		data = data[copy(r.inbox.memory(place.Ring, span), data):]
	}
	r.inbox.receiver.Written(&p, place)
	return true
}

// longest returns the bytes of the longest message that can be taken from a rank; -1: none.
func (b *inbox) longest(from int) int {
	i := b.config.Table[from]
	switch {
	case i < 0:
		return -1
	case b.config.Rings[i].PerPacket:
		return math.MaxInt
	}
	return b.config.Rings[i].Size
}

// refuse says why a message cannot be taken.
func (r *taker) refuse(from int, total uint64) wire.Report {
	switch longest := r.in[from].longest; {
	case longest < 0:
		return wire.Report{Code: wire.NoRing}
	case total > uint64(longest):
		return wire.Report{Code: wire.TooLong, Hint: uint64(longest)}
	}
	return wire.Report{}
}

// memory returns a part of the receive area.
func (b *inbox) memory(ring int, s ring.Span) []byte {
	if s.Bytes == 0 {
		return nil
	}
	e := b.receiver.Entry(ring)
	if b.areas[ring] == nil {
		b.areas[ring] = b.newArea(e.Size)
	}
	return b.areas[ring][s.Offset-e.Base:][:s.Bytes]
}

// newArea makes an area beside Go's memory: a few of them would bring on a collection of garbage, which takes some hundred
// microseconds, at one of the first messages.
func (b *inbox) newArea(bytes int) []byte {
	area := shm.PrivateMemory(bytes)
	if area == nil {
		return make([]byte, bytes)
	}
	runtime.AddCleanup(b.receiver, shm.UnmapMemory, area)
	return area
}

func (r *Rank) Poll() (bool, error) {
	if err := r.look(); err != nil {
		return false, err
	}
	return r.inbox.receiver.Pending(), nil
}

func (r *Rank) Await(list ...rma.Op) error {
	if err := r.ready(); err != nil {
		return err
	}
	return r.awaitArrival(list, func() bool { return false })
}

func (r *Rank) AwaitUntil(condition func() bool, list ...rma.Op) error {
	defer shm.LoadFence()
	if err := r.ready(); err != nil {
		return err
	}
	holds := r.onPushes(condition)
	return r.awaitArrival(list, holds)
}

// hasArrivalOr reports whether there is an arrival, or one of some operations is complete.
func (r *Rank) hasArrivalOr(list []rma.Op) bool {
	return r.inbox.receiver.Pending() || slices.ContainsFunc(list, func(op rma.Op) bool {
		e := r.ops.find(op)
		return e == nil || r.isComplete(e)
	})
}

func (r *Rank) Next() (rma.Arrival, error) {
	if err := r.ready(); err != nil {
		return rma.Arrival{}, err
	}
	if err := r.awaitData(shm.InNext, r.inbox.receiver.Pending); err != nil {
		return rma.Arrival{}, err
	}
	rec, _ := r.inbox.receiver.Next()
	r.inbox.held[rec.Number] = rec
	return rma.Arrival{From: int(rec.From), Bytes: rec.Bytes, Last: rec.Last, Record: rec.Number}, nil
}

func (r *Rank) Take(a rma.Arrival, into []byte, _ rma.Caching) error {
	rec, ok := r.inbox.held[a.Record]
	switch {
	case !ok:
		return fmt.Errorf("rma: Take of arrival %d, which rank %d has not open; an arrival may be taken once", a.Record, r.number)
	case into != nil && len(into) < rec.Bytes:
		return fmt.Errorf("rma: Take of %d bytes into %d", rec.Bytes, len(into))
	}
	delete(r.inbox.held, a.Record)
	if into != nil {
		for _, span := range rec.At {
			into = into[copy(into, r.inbox.memory(rec.Ring, span)):]
		}
	}
	return r.inbox.receiver.Release(rec)
}
