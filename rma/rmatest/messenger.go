package rmatest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"musubi/rma"
)

// Checks of the optional rma.Messenger; worlds without it pass.
var messengerChecks = []check{
	{"arrivals read in place and others, from rings that tell of messages", ringRanks, func(w *World, p rma.Process) error {
		return w.messages(p, rma.PrivateRings(ringRanks, 3*w.Packet))
	}},
	{"arrivals read in place and others, from rings of a packet for each sender", ringRanks, func(w *World, p rma.Process) error {
		return w.messages(p, each(rma.Ring{Bytes: w.Packet, Status: rma.PerPacket}))
	}},
	{"arrivals read in place and others, from one ring for all", ringRanks, func(w *World, p rma.Process) error {
		return w.messages(p, rma.SharedRing(2*w.Packet))
	}},
	{"what was pushed before a message read in place is there", 2, signalInPlace},
}

// messages lets all ranks but 0 send messages to it, with operations and without. Rank 0 reads some
// of them in place and takes the others.
func (w *World) messages(p rma.Process, rings rma.Rings) error {
	m, ok := p.(rma.Messenger)
	switch {
	case !ok:
		return nil
	case p.Rank() > 0:
		return w.sendAndCopy(m)
	}
	if err := p.Rings(rings); err != nil {
		return err
	}
	rng := random(p)
	next, have := make([]int, ringRanks), make([][]byte, ringRanks)
	last := 0 // sender of the last message read in place
	for left := ringMessages * (ringRanks - 1); left > 0; {
		a, err := arrival(m, rng, have, &last)
		if err != nil {
			return err
		}
		if !a.Last {
			continue
		}
		if err := same(fmt.Sprintf("message %d of rank %d", next[a.From], a.From), have[a.From], text(a.From, next[a.From], len(have[a.From]))); err != nil {
			return err
		}
		have[a.From] = nil
		next[a.From]++
		left--
	}
	return nil
}

// arrival appends the next arrival to the data of its sender: the message behind the last one that
// was read in place, or any.
func arrival(m rma.Messenger, rng *rand.Rand, have [][]byte, last *int) (rma.Arrival, error) {
	if rng.IntN(3) == 0 {
		if data := m.FollowingInPlace(); data != nil {
			have[*last] = append(have[*last], data...)
			return rma.Arrival{From: *last, Bytes: len(data), Last: true}, nil
		}
	}
	return inPlaceOrTake(m, rng, have, last)
}

// inPlaceOrTake appends the next arrival of any sender.
func inPlaceOrTake(m rma.Messenger, rng *rand.Rand, have [][]byte, last *int) (rma.Arrival, error) {
	if rng.IntN(2) == 0 {
		a, data, err := m.NextInPlace()
		if err == nil {
			*last = a.From
			have[a.From] = append(have[a.From], data...)
		}
		return a, err
	}
	a, err := m.Next()
	if err != nil {
		return a, err
	}
	into := make([]byte, a.Bytes)
	have[a.From] = append(have[a.From], into...)
	return a, m.Take(a, have[a.From][len(have[a.From])-a.Bytes:], rma.Cached)
}

// copyText sends a message to rank 0 in two parts, of which the first may be a word.
func copyText(m rma.Messenger, rng *rand.Rand, data []byte) (sent bool, err error) {
	scratch := append([]byte(nil), data...)
	defer clear(scratch) // the program may change it when the call returns
	if len(data) >= 8 && rng.IntN(2) == 0 {
		return m.IPushWord(0, binary.LittleEndian.Uint64(scratch), scratch[8:])
	}
	split := rng.IntN(len(data) + 1)
	return m.IPushCopy(0, scratch[:split], scratch[split:])
}

// sendAndCopy sends messages in their order, with operations where the process cannot
// copy them, and now and then although it could.
func (w *World) sendAndCopy(m rma.Messenger) error {
	rng := random(m)
	var ops []rma.Op
	for i := range ringMessages {
		data := text(m.Rank(), i, w.length(rng))
		if rng.IntN(3) > 0 {
			sent, err := copyText(m, rng, data)
			if err != nil {
				return err
			}
			if sent {
				continue
			}
		}
		op, err := m.IPush(0, data, rma.DMA)
		if err != nil {
			return err
		}
		ops = append(ops, op)
	}
	for _, op := range ops {
		if err := m.Wait(op); err != nil {
			return err
		}
	}
	return nil
}

// signalInPlace lets a message, read in place, announce that data is there.
func signalInPlace(_ *World, p rma.Process) error {
	m, ok := p.(rma.Messenger)
	if !ok {
		return nil
	}
	const rounds, size = 50, 100
	memory := make([]byte, size)
	segment := p.Expose(memory)
	for i := range rounds {
		if p.Rank() == 0 {
			op, err := p.Push(rma.Address{Rank: 1, Segment: segment}, text(0, i, size), rma.DMA)
			if err != nil {
				return err
			}
			if err := pass(m, 1, []byte{byte(i)}); err != nil {
				return err
			}
			if err := p.Wait(op); err != nil {
				return err
			}
		}
		a, data, err := m.NextInPlace()
		if err != nil {
			return err
		}
		if a.From != 1-p.Rank() || !a.Last || len(data) != 1 || data[0] != byte(i) {
			return fmt.Errorf("round %d: %+v with % x; want the message of the other rank", i, a, data)
		}
		if p.Rank() == 1 {
			if err := same("pushed data", memory, text(0, i, size)); err != nil {
				return err
			}
			if err := pass(m, 0, []byte{byte(i)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// pass sends a message in one way or the other.
func pass(m rma.Messenger, to int, data []byte) error {
	sent, err := m.IPushCopy(to, nil, data)
	if sent || err != nil {
		return err
	}
	op, err := m.IPush(to, data, rma.DMA)
	return done(m, op, err)
}
