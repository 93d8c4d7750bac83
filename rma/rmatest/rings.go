package rmatest

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"musubi/rma"
	"musubi/units"
)

// Ranks of the checks of rings: rank 0 receives.
const (
	ringRanks    = 5
	ringMessages = 40 // of each sender
)

var ringChecks = []check{
	{"rings of a packet for each sender", ringRanks, func(w *World, p rma.Process) error {
		return w.ring(p, each(rma.Ring{Bytes: w.Packet, Status: rma.PerPacket}))
	}},
	{"rings that tell of messages", ringRanks, func(w *World, p rma.Process) error {
		return w.ring(p, rma.PrivateRings(ringRanks, 3*w.Packet))
	}},
	{"one ring of a packet for all", ringRanks, func(w *World, p rma.Process) error {
		return w.ring(p, rma.SharedRing(w.Packet))
	}},
	{"rings for one, for two and for the others", ringRanks, func(w *World, p rma.Process) error {
		return w.ring(p, rma.Rings{
			Private: []rma.Ring{{Bytes: 3 * w.Packet, Senders: []int{1}}, {Bytes: w.Packet + 1, Senders: []int{2, 3}, Status: rma.PerPacket}},
			Other:   rma.Ring{Bytes: 2 * w.Packet, Status: rma.PerPacket},
		})
	}},
	{"a status ring of one record", ringRanks, func(w *World, p rma.Process) error {
		return w.ring(p, rma.Rings{Other: rma.Ring{Bytes: 4 * w.Packet, Status: rma.PerPacket}, Records: 1})
	}},
	{"rings that nobody has asked for", ringRanks, usualRings},
	{"messages to oneself", 1, toOneself},
	{"arrivals given back in any order", 2, anyOrder},
	{"a message tells of what was pushed before", 2, signal},
	{"Await tells of arrivals and of operations, whichever comes first", 2, awaitEither},
	{"AwaitUntil tells of conditions too", 2, awaitAll},
}

// each gives every sender a ring of its own like one.
func each(ring rma.Ring) rma.Rings {
	var r rma.Rings
	for sender := range ringRanks {
		ring.Senders = []int{sender}
		r.Private = append(r.Private, ring)
	}
	return r
}

// ring lets all ranks but 0 send messages of random lengths to it, which takes its
// time.
func (w *World) ring(p rma.Process, rings rma.Rings) error {
	if p.Rank() > 0 {
		return w.sendMessages(p)
	}
	if err := p.Rings(rings); err != nil {
		return err
	}
	next := make([]int, ringRanks)
	lengths := make([]*rand.Rand, ringRanks)
	for r := range lengths {
		lengths[r] = rand.New(rand.NewPCG(7, uint64(r)))
	}
	receiver := rma.NewReceiver(p)
	for range ringMessages * (ringRanks - 1) {
		m, err := receiver.Receive()
		if err != nil {
			return err
		}
		want := text(m.From, next[m.From], w.length(lengths[m.From]))
		if err := same(fmt.Sprintf("message %d of rank %d", next[m.From], m.From), m.Data, want); err != nil {
			return err
		}
		next[m.From]++
		p.Compute(units.Time(len(m.Data)) * units.Nanosecond)
	}
	return nil
}

func (w *World) sendMessages(p rma.Process) error {
	rng, lengths := random(p), rand.New(rand.NewPCG(7, uint64(p.Rank())))
	var ops []rma.Op
	for i := range ringMessages {
		n := w.length(lengths)
		op, err := p.IPush(0, text(p.Rank(), i, n), w.mechanism(rng, n))
		if err != nil {
			return err
		}
		ops = append(ops, op)
	}
	for _, i := range rng.Perm(len(ops)) {
		if err := p.Wait(ops[i]); err != nil {
			return err
		}
	}
	return nil
}

// usualRings waits in the other ways too.
func usualRings(w *World, p rma.Process) error {
	if p.Rank() > 0 {
		op, err := p.IPush(0, text(p.Rank(), 0, w.Packet), rma.DMA)
		return done(p, op, err)
	}
	if err := p.Await(); err != nil {
		return err
	}
	seen := 0
	for range patience {
		arrived, err := p.Poll()
		if err != nil {
			return err
		}
		if !arrived {
			p.Compute(units.Microsecond)
			continue
		}
		a, err := p.Next()
		if err != nil {
			return err
		}
		if err := p.Take(a, nil, rma.Cached); err != nil {
			return err
		}
		if a.Last {
			seen++
		}
		if seen == p.Size()-1 {
			return nil
		}
	}
	return fmt.Errorf("%d of %d messages have come after looking %d times", seen, p.Size()-1, patience)
}

func toOneself(w *World, p rma.Process) error {
	receiver := rma.NewReceiver(p)
	for i := range 10 {
		data := text(0, i, i*w.Packet/20)
		op, err := p.IPush(0, data, rma.DMA)
		if err != nil {
			return err
		}
		m, err := receiver.Receive()
		if err != nil {
			return err
		}
		if err := same(fmt.Sprint("message ", i), m.Data, data); err != nil {
			return err
		}
		if err := p.Wait(op); err != nil {
			return err
		}
	}
	return nil
}

// anyOrder keeps arrivals and takes them in random order.
func anyOrder(w *World, p rma.Process) error {
	const rounds, kept = 20, 8
	size := func(i int) int { return 1 + i%(w.Packet/2) }
	if p.Rank() == 1 {
		for i := range rounds * kept {
			op, err := p.IPush(0, text(1, i, size(i)), rma.DMA)
			if err := done(p, op, err); err != nil {
				return err
			}
		}
		return nil
	}
	if err := p.Rings(rma.PrivateRings(2, kept*w.Packet)); err != nil {
		return err
	}
	rng := random(p)
	for round := range rounds {
		var arrivals [kept]rma.Arrival
		for i := range arrivals {
			var err error
			if arrivals[i], err = p.Next(); err != nil {
				return err
			}
		}
		for _, i := range rng.Perm(kept) {
			number := round*kept + i
			data := make([]byte, arrivals[i].Bytes)
			if err := p.Take(arrivals[i], data, rma.Uncached); err != nil {
				return err
			}
			if err := same(fmt.Sprint("message ", number), data, text(1, number, size(number))); err != nil {
				return err
			}
		}
	}
	return nil
}

// signal pushes without waiting, and then sends a message.
func signal(w *World, p rma.Process) error {
	const rounds = 20
	memory := make([]byte, area*w.Packet)
	segment := p.Expose(memory)
	rng := rand.New(rand.NewPCG(1, 2)) // the same on both ranks
	for i := range rounds {
		n := 1 + rng.IntN(len(memory)-1)
		data := text(0, i, n)
		if p.Rank() == 1 {
			a, err := p.Next()
			if err != nil {
				return err
			}
			if err := same(fmt.Sprint("what was pushed before message ", i), memory[:n], data); err != nil {
				return err
			}
			if err := p.Take(a, nil, rma.Cached); err != nil {
				return err
			}
			op, err := p.IPush(0, nil, rma.DMA)
			if err := done(p, op, err); err != nil {
				return err
			}
			continue
		}
		pushed, err := p.Push(rma.Address{Rank: 1, Segment: segment}, data, rma.DMA)
		if err != nil {
			return err
		}
		told, err := p.IPush(1, nil, rma.DMA)
		if err != nil {
			return err
		}
		a, err := p.Next() // an empty message: the other has looked
		if err != nil {
			return err
		}
		for _, err := range []error{p.Take(a, nil, rma.Cached), p.Wait(told), p.Wait(pushed)} {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// awaitEither has rank 0 wait for a PULL that nothing hinders, and then for a message
// while another one that it has sent finds no room at rank 1.
func awaitEither(w *World, p rma.Process) error {
	memory := make([]byte, 8)
	segment := p.Expose(memory)
	other := 1 - p.Rank()
	if err := p.Rings(rma.PrivateRings(2, w.Packet)); err != nil {
		return err
	}
	if p.Rank() == 1 {
		if err := p.WaitUntil(func() bool { return memory[0] == 1 }); err != nil {
			return err
		}
		op, err := p.IPush(other, []byte{7}, rma.DMA)
		if err := errors.Join(err, p.Wait(op)); err != nil {
			return err
		}
		p.Compute(100 * units.Microsecond) // meanwhile the second message finds no room
		for range 2 {
			a, err := p.Next()
			if err == nil {
				err = p.Take(a, nil, rma.Cached)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	pulled, err := p.Pull(rma.Address{Rank: 1, Segment: segment}, make([]byte, 8))
	if err != nil {
		return err
	}
	if err := p.Await(pulled); err != nil {
		return err
	}
	if arrived, err := p.Poll(); err != nil || arrived {
		return fmt.Errorf("after Await for a PULL there is an arrival: %v, %v; want the end of the PULL", arrived, err)
	}
	if done, err := p.Test(pulled); err != nil || !done {
		return fmt.Errorf("after Await Test says %v, %v; want that the PULL is complete", done, err)
	}
	return awaitArrival(w, p, rma.Address{Rank: 1, Segment: segment})
}

// awaitArrival lets rank 1 go on, fills the ring that it has for this rank, and
// waits.
func awaitArrival(w *World, p rma.Process, start rma.Address) error {
	full := make([]byte, w.Packet)
	op, err := p.Push(start, []byte{1}, rma.DMA)
	if err := errors.Join(err, p.Wait(op)); err != nil {
		return err
	}
	var last rma.Op
	for range 2 {
		if last, err = p.IPush(1, full, rma.DMA); err != nil {
			return err
		}
	}
	if err := p.Await(last); err != nil {
		return err
	}
	a, err := p.Next()
	if err != nil {
		return err
	}
	if err := p.Take(a, nil, rma.Cached); err != nil {
		return err
	}
	return p.Wait(last)
}

// awaitAll waits with one call for a push, a message and an operation, one after the
// other.
func awaitAll(_ *World, p rma.Process) error {
	memory := make([]byte, 8)
	segment := p.Expose(memory)
	if p.Rank() == 1 {
		if err := p.AwaitUntil(func() bool { return false }); err != nil { // for the message of rank 0
			return err
		}
		if err := drop(p); err != nil {
			return err
		}
		op, err := p.Push(rma.Address{Segment: segment}, []byte{1}, rma.DMA)
		if err := done(p, op, err); err != nil {
			return err
		}
		op, err = p.IPush(0, nil, rma.DMA)
		return done(p, op, err)
	}
	op, err := p.IPush(1, nil, rma.DMA)
	if err := done(p, op, err); err != nil {
		return err
	}
	if err := p.AwaitUntil(func() bool { return memory[0] == 1 }); err != nil {
		return err
	}
	arrived, err := p.Poll()
	if err != nil {
		return err
	}
	if !arrived && memory[0] != 1 {
		return errors.New("AwaitUntil has returned with neither the message nor the push there")
	}
	if err := p.Await(); err != nil {
		return err
	}
	if err := drop(p); err != nil {
		return err
	}
	into := make([]byte, 8)
	pulled, err := p.Pull(rma.Address{Rank: 1, Segment: segment}, into)
	if err != nil {
		return err
	}
	if err := p.AwaitUntil(func() bool { return false }, pulled); err != nil {
		return err
	}
	return p.Wait(pulled)
}

// drop takes an arrival and gives it back unread.
func drop(p rma.Process) error {
	a, err := p.Next()
	if err != nil {
		return err
	}
	return p.Take(a, nil, rma.Cached)
}
