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
	{"layouts gather", 2, gather},
	{"layouts scatter, or are refused", 2, scatter},
	{"operations can be tested", 2, testOperations},
	{"segments can be loaded", 1, load},
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

// layouts of elements in 64 bytes, and what they gather.
var layouts = []struct {
	layout rma.Layout
	of     []int // offsets of the bytes
}{
	{rma.Strided(1, 7, 9), []int{0, 7, 14, 21, 28, 35, 42, 49, 56}},
	{rma.Strided(2, 30, 3), []int{0, 1, 30, 31, 60, 61}},
	{rma.Strided(3, 1, 1), []int{0, 1, 2}},
	{rma.List(2, 50, 0, 10), []int{50, 51, 0, 1, 10, 11}},
	{rma.List(4, 8), []int{8, 9, 10, 11}},
}

const layoutMemory = 64

// gather pushes and pulls elements to where they lie one after the other.
func gather(_ *World, p rma.Process) error {
	memory := text(9, 9, layoutMemory)
	source, target := p.Expose(memory), p.Expose(make([]byte, layoutMemory))
	if p.Rank() == 1 {
		return nil
	}
	for i, l := range layouts {
		want := make([]byte, len(l.of))
		for j, at := range l.of {
			want[j] = memory[at]
		}
		to := rma.Address{Rank: 1, Segment: target}
		op, err := p.PushLayout(to, rma.Layout{}, memory, l.layout, rma.DMA)
		if err := done(p, op, err); err != nil {
			return err
		}
		got, err := read(p, to, len(want))
		if err != nil {
			return err
		}
		if err := same(fmt.Sprint("PushLayout ", i), got, want); err != nil {
			return err
		}
		op, err = p.PullLayout(rma.Address{Rank: 1, Segment: source}, l.layout, got, rma.Layout{})
		if err := done(p, op, err); err != nil {
			return err
		}
		if err := same(fmt.Sprint("PullLayout ", i), got, want); err != nil {
			return err
		}
	}
	return nil
}

// scatter pushes and pulls to elements; worlds may refuse that, at once.
func scatter(_ *World, p rma.Process) error {
	target := p.Expose(make([]byte, layoutMemory))
	source := p.Expose(text(9, 9, layoutMemory))
	if p.Rank() == 1 {
		return nil
	}
	for i, l := range layouts {
		to := rma.Address{Rank: 1, Segment: target}
		data := text(1, i, len(l.of))
		if op, err := p.PushLayout(to, l.layout, data, rma.Layout{}, rma.DMA); err == nil {
			if err := p.Wait(op); err != nil {
				return err
			}
			memory, err := read(p, to, layoutMemory)
			if err != nil {
				return err
			}
			if err := same(fmt.Sprint("PushLayout ", i), picked(memory, l.of), data); err != nil {
				return err
			}
		}
		memory := make([]byte, layoutMemory)
		if op, err := p.PullLayout(rma.Address{Rank: 1, Segment: source}, rma.Layout{}, memory, l.layout); err == nil {
			if err := p.Wait(op); err != nil {
				return err
			}
			if err := same(fmt.Sprint("PullLayout ", i), picked(memory, l.of), text(9, 9, layoutMemory)[:len(l.of)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// picked returns the bytes of memory at some offsets.
func picked(memory []byte, offsets []int) []byte {
	var data []byte
	for _, at := range offsets {
		data = append(data, memory[at])
	}
	return data
}

// patience is how often something is asked that must be so in the end.
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
			return fmt.Errorf("Wait for an operation that Test has said to be done returns nil; expected an error")
		}
		got, err := read(p, rma.Address{Rank: 1, Segment: segment}, len(data))
		if err != nil {
			return err
		}
		return same("what was pushed", got, data)
	}
	return fmt.Errorf("Test says %d times that a push is not done", patience)
}

// load copies out of a rank's own segments, in both ways.
func load(_ *World, p rma.Process) error {
	memory := text(0, 0, layoutMemory+3)
	segment := p.Expose(memory)
	for i, l := range layouts {
		for _, as := range []rma.Caching{rma.Cached, rma.Uncached} {
			got := make([]byte, len(l.of))
			if err := p.Load(segment, 3, l.layout, got, as); err != nil {
				return err
			}
			if err := same(fmt.Sprint("Load ", i), got, picked(memory[3:], l.of)); err != nil {
				return err
			}
		}
	}
	got := make([]byte, 10)
	if err := p.Load(segment, 3, rma.Layout{}, got, rma.Cached); err != nil {
		return err
	}
	return same("Load of 10 bytes", got, memory[3:13])
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
