package rmatest

import (
	"fmt"

	"musubi/rma"
)

var layoutChecks = []check{
	{"layouts gather", 2, gather},
	{"layouts scatter, or are refused", 2, scatter},
	{"segments can be loaded", 1, load},
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
