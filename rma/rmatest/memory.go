package rmatest

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"musubi/rma"
	"musubi/units"
)

var memoryChecks = []check{
	{"what is pushed can be pulled", 3, pushAndPull},
	{"pushes come in order", 3, pushInOrder},
	{"no operation is taken for the one before", 2, oneAfterOther},
	{"a condition is looked at when pushes come", 4, notice},
	{"operations can be tested", 2, testOperations},
	{"an operation that is none is done", 1, noOperation},
}

// area is how much of each rank's memory another may use, in packets.
const area = 4

// pushAndPull lets each rank push to random places of its part of the memory of
// every rank, itself included, and read them again.
func pushAndPull(w *World, p rma.Process) error {
	part := area * w.Packet
	memory := make([]byte, part*p.Size())
	segment := p.Expose(memory)
	images := make([][]byte, p.Size())
	for r := range images {
		images[r] = make([]byte, part)
	}
	rng := random(p)
	for i := range 40 {
		to, n := rng.IntN(p.Size()), w.length(rng)
		offset := rng.IntN(part - n)
		data := text(p.Rank(), i, n)
		at := rma.Address{Rank: to, Segment: segment, Offset: p.Rank()*part + offset}
		op, err := p.Push(at, data, w.mechanism(rng, n))
		if err := done(p, op, err); err != nil {
			return err
		}
		copy(images[to][offset:], data)
		if to == p.Rank() {
			if err := same(fmt.Sprint("memory after push ", i, " to itself"), memory[at.Offset:][:n], data); err != nil {
				return err
			}
		}
		got, err := read(p, at, n)
		if err != nil {
			return err
		}
		if err := same(fmt.Sprint("push ", i, " to ", at), got, data); err != nil {
			return err
		}
	}
	return comparePart(p, segment, part, images)
}

// comparePart compares this rank's part of the memory of all ranks with images.
func comparePart(p rma.Process, segment, part int, images [][]byte) error {
	for r, image := range images {
		at := rma.Address{Rank: r, Segment: segment, Offset: p.Rank() * part}
		got, err := read(p, at, part)
		if err != nil {
			return err
		}
		if err := same(at.String(), got, image); err != nil {
			return err
		}
	}
	return nil
}

// pushInOrder lets pushes of all sizes overwrite each other, and waits for the last.
func pushInOrder(w *World, p rma.Process) error {
	part := area * w.Packet
	segment := p.Expose(make([]byte, part*p.Size()))
	images := make([][]byte, p.Size())
	rng := random(p)
	for r := range images {
		images[r] = make([]byte, part)
		var last rma.Op
		for i := range 30 {
			n := 1 + w.length(rng)
			offset := rng.IntN(part - n)
			data := text(p.Rank(), i, n)
			var err error
			last, err = p.Push(rma.Address{Rank: r, Segment: segment, Offset: p.Rank()*part + offset}, data, w.mechanism(rng, n))
			if err != nil {
				return err
			}
			copy(images[r][offset:], data)
		}
		if err := p.Wait(last); err != nil {
			return err
		}
	}
	return comparePart(p, segment, part, images)
}

// oneAfterOther reads from rank 1 and writes to itself in turn. What is still under
// way for an operation that is over must not count for the next.
func oneAfterOther(_ *World, p rma.Process) error {
	const rounds, n = 100, 8
	source, target := bytes.Repeat([]byte{byte(p.Rank() + 1)}, n), make([]byte, n)
	there, here := p.Expose(source), p.Expose(target)
	if p.Rank() == 1 {
		return nil
	}
	for i := range rounds {
		op, err := p.Pull(rma.Address{Rank: 1, Segment: there}, source)
		if err := done(p, op, err); err != nil {
			return err
		}
		if err := same(fmt.Sprint("pull ", i), source, bytes.Repeat([]byte{2}, n)); err != nil {
			return err
		}
		data := text(0, i, n)
		op, err = p.Push(rma.Address{Segment: here}, data, rma.DMA)
		if err := done(p, op, err); err != nil {
			return err
		}
		if err := same(fmt.Sprint("push ", i, " to itself"), target, data); err != nil {
			return err
		}
	}
	return nil
}

// notice lets ranks push numbers that only grow to rank 0, which must not miss the
// last ones.
func notice(_ *World, p rma.Process) error {
	const last = 50
	words := make([]byte, 8*p.Size())
	segment := p.Expose(words)
	if p.Rank() > 0 {
		for i := range last {
			p.Compute(units.Time(p.Rank()*i%7) * units.Microsecond / 3)
			word := binary.LittleEndian.AppendUint64(nil, uint64(i+1))
			op, err := p.Push(rma.Address{Segment: segment, Offset: 8 * p.Rank()}, word, rma.DMA)
			if err := done(p, op, err); err != nil {
				return err
			}
		}
		return nil
	}
	for sum := uint64(0); sum < uint64(last*(p.Size()-1)); {
		err := p.WaitUntil(func() bool {
			now := uint64(0)
			for r := 1; r < p.Size(); r++ {
				now += binary.LittleEndian.Uint64(words[8*r:])
			}
			changed := now > sum
			sum = now
			return changed
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// patience is the number of times that a check asks for something that must happen in the end.
const patience = 1_000_000

// testOperations asks until a push is over.
func testOperations(w *World, p rma.Process) error {
	segment := p.Expose(make([]byte, w.Packet))
	if p.Rank() == 1 {
		return nil
	}
	data := text(0, 0, w.Packet)
	op, err := p.Push(rma.Address{Rank: 1, Segment: segment}, data, rma.DMA)
	if err != nil {
		return err
	}
	for range patience {
		over, err := p.Test(op)
		if err != nil {
			return err
		}
		if !over {
			p.Compute(units.Microsecond)
			continue
		}
		if err := p.Wait(op); err == nil {
			return fmt.Errorf("an operation that Test has said to be done can be waited for")
		}
		got, err := read(p, rma.Address{Rank: 1, Segment: segment}, len(data))
		if err != nil {
			return err
		}
		return same("what was pushed", got, data)
	}
	return fmt.Errorf("a push is not done after %d calls of Test", patience)
}

func noOperation(_ *World, p rma.Process) error {
	if err := p.Wait(0); err != nil {
		return err
	}
	over, err := p.Test(0)
	if err == nil && !over {
		err = fmt.Errorf("Test(0) says that it is not done")
	}
	return err
}
