package rmatest

import (
	"cmp"
	"errors"
	"fmt"

	"musubi/rma"
)

var errorChecks = []check{
	{"mistakes are told, and do no harm", 3, mistakes},
	{"arrivals are taken once", 1, takeTwice},
	{"rings that cannot work are refused", 2, badRings},
	{"what is withdrawn cannot be reached, until its number is used again", 2, withdrawn},
}

// mistake is an operation that must fail when it is started or waited for.
type mistake struct {
	name string
	do   func() (rma.Op, error)
}

// mistakes lets rank 0 start operations that cannot succeed. Rank 1 has exposed a segment and has
// rings, but none for rank 0; rank 2 has a short one.
func mistakes(w *World, p rma.Process) error {
	memory := make([]byte, 100)
	segment := p.Expose(memory)
	rings := map[int]rma.Rings{
		1: {Private: []rma.Ring{{Bytes: w.Packet, Senders: []int{1}}}},
		2: rma.PrivateRings(3, w.Packet),
	}
	if r, ok := rings[p.Rank()]; ok {
		return p.Rings(r)
	}
	data := make([]byte, 101)
	push := func(to rma.Address, n int) func() (rma.Op, error) {
		return func() (rma.Op, error) { return p.Push(to, data[:n], rma.DMA) }
	}
	pull := func(from rma.Address, n int) func() (rma.Op, error) {
		return func() (rma.Op, error) { return p.Pull(from, data[:n]) }
	}
	there := rma.Address{Rank: 1, Segment: segment}
	for _, m := range []mistake{
		{"Push to a rank below 0", push(rma.Address{Rank: -1}, 1)},
		{"Pull from a rank too many", pull(rma.Address{Rank: 3}, 1)},
		{"Push to a segment that is not exposed", push(rma.Address{Rank: 1, Segment: segment + 1}, 1)},
		{"Pull from a segment below 0", pull(rma.Address{Rank: 1, Segment: -1}, 1)},
		{"Push beyond a segment", push(there, 101)},
		{"Pull from before a segment", pull(rma.Address{Rank: 1, Segment: segment, Offset: -1}, 1)},
		{"Push over the end of a segment", push(rma.Address{Rank: 1, Segment: segment, Offset: 91}, 10)},
		{"Push by an unknown mechanism", func() (rma.Op, error) { return p.Push(there, data[:1], 9) }},
		{"PushLayout of more than there is", func() (rma.Op, error) {
			return p.PushLayout(there, rma.Layout{}, data[:20], rma.Strided(1, 10, 3), rma.DMA)
		}},
		{"PullLayout beyond a segment", func() (rma.Op, error) {
			return p.PullLayout(there, rma.List(1, 0, 100), data[:2], rma.Layout{})
		}},
		{"PullLayout of more bytes than fit", func() (rma.Op, error) {
			return p.PullLayout(there, rma.Strided(1, 2, 3), data[:2], rma.Layout{})
		}},
		{"IPush to a rank that has no ring for this one", func() (rma.Op, error) { return p.IPush(1, data[:1], rma.DMA) }},
		{"IPush to a rank too many", func() (rma.Op, error) { return p.IPush(3, data[:1], rma.DMA) }},
		{"IPush of a message longer than the ring", func() (rma.Op, error) { return p.IPush(2, make([]byte, w.Packet+1), rma.DMA) }},
		{"Push by BOTF of too much", func() (rma.Op, error) {
			if w.BOTF == 0 {
				return 0, errors.New("not used")
			}
			return p.Push(there, make([]byte, w.BOTF+1), rma.BOTF)
		}},
		{"Wait for what was never started", func() (rma.Op, error) { return 1 << 40, nil }},
		{"more windows than any machine has", func() (rma.Op, error) { return 0, p.Windows(1 << 20) }},
		{"windows below 0", func() (rma.Op, error) { return 0, p.Windows(-1) }},
		{"Load of a segment that is not exposed", func() (rma.Op, error) {
			return 0, p.Load(segment+1, 0, rma.Layout{}, data[:1], rma.Cached)
		}},
		{"Load beyond a segment", func() (rma.Op, error) { return 0, p.Load(segment, 1, rma.Layout{}, data[:100], rma.Cached) }},
	} {
		op, err := m.do()
		if err == nil {
			err = p.Wait(op)
		}
		if err == nil {
			return fmt.Errorf("%s succeeds", m.name)
		}
	}
	return unharmed(p, there)
}

// unharmed fails if the memory is not empty, or can no longer be used.
func unharmed(p rma.Process, at rma.Address) error {
	got, err := read(p, at, 100)
	if err != nil {
		return err
	}
	if err := same("memory that only mistakes were made with", got, make([]byte, 100)); err != nil {
		return err
	}
	op, err := p.Push(at, []byte{1}, rma.DMA)
	if err := done(p, op, err); err != nil {
		return err
	}
	if p.Wait(op) == nil {
		return errors.New("an operation can be waited for twice")
	}
	return nil
}

func takeTwice(w *World, p rma.Process) error {
	op, err := p.IPush(0, text(0, 0, w.Packet), rma.DMA)
	if err := done(p, op, err); err != nil {
		return err
	}
	a, err := p.Next()
	if err != nil {
		return err
	}
	if err := p.Take(a, make([]byte, a.Bytes-1), rma.Cached); err == nil {
		return fmt.Errorf("an arrival of %d bytes can be taken into %d", a.Bytes, a.Bytes-1)
	}
	if err := p.Take(a, nil, rma.Cached); err != nil {
		return err
	}
	if err := p.Take(a, nil, rma.Cached); err == nil {
		return errors.New("an arrival can be taken twice")
	}
	return nil
}

// badRings asks for rings that cannot work, and then for others.
func badRings(w *World, p rma.Process) error {
	for name, rings := range map[string]rma.Rings{
		"a ring smaller than a packet":         rma.PrivateRings(2, cmp.Or(w.Ring, w.Packet)-1),
		"a shared ring that tells of messages": {Other: rma.Ring{Bytes: w.Packet}},
		"a ring for a rank that is not there":  rma.PrivateRings(3, w.Packet),
	} {
		if p.Rings(rings) == nil {
			return fmt.Errorf("%s is not refused", name)
		}
	}
	if err := p.Rings(rma.SharedRing(w.Packet)); err != nil {
		return err
	}
	if p.Rings(rma.SharedRing(w.Packet)) == nil {
		return errors.New("rings can be set twice")
	}
	return nil
}

// withdrawn lets rank 0 write to what rank 1 exposes, withdraws and exposes again.
// Rank 1 tells in memory of rank 0 how far it is.
func withdrawn(_ *World, p rma.Process) error {
	first, second, told := make([]byte, 8), make([]byte, 8), make([]byte, 1)
	p.Expose(told)
	segment := p.Expose(first)
	at := rma.Address{Rank: 1, Segment: segment}
	if p.Rank() == 0 {
		return writeThrice(p, at, told)
	}
	tell := func(step byte) error {
		op, err := p.Push(rma.Address{Rank: 0, Segment: 0}, []byte{step}, rma.DMA)
		return errors.Join(err, p.Wait(op))
	}
	if err := p.WaitUntil(func() bool { return first[0] == 1 }); err != nil {
		return err
	}
	if err := errors.Join(p.Withdraw(segment), tell(1)); err != nil {
		return err
	}
	for _, s := range []int{segment, -1, 99} {
		if p.Withdraw(s) == nil {
			return fmt.Errorf("segment %d can be withdrawn, which is not exposed", s)
		}
	}
	if err := p.WaitUntil(func() bool { return told[0] == 9 }); err != nil {
		return err
	}
	if again := p.Expose(second); again != segment {
		return fmt.Errorf("segment %d is exposed after one was withdrawn; want %d", again, segment)
	}
	if err := tell(2); err != nil {
		return err
	}
	if err := p.WaitUntil(func() bool { return second[0] == 3 }); err != nil {
		return err
	}
	if first[0] != 1 {
		return errors.New("memory was written after it was withdrawn")
	}
	return nil
}

// writeThrice writes before, while and after a segment is withdrawn.
func writeThrice(p rma.Process, at rma.Address, told []byte) error {
	write := func(mark byte) error {
		op, err := p.Push(at, []byte{mark}, rma.DMA)
		return errors.Join(err, p.Wait(op))
	}
	if err := write(1); err != nil {
		return err
	}
	if err := p.WaitUntil(func() bool { return told[0] == 1 }); err != nil {
		return err
	}
	if write(2) == nil {
		return errors.New("a push to memory that was withdrawn succeeds")
	}
	op, err := p.Push(rma.Address{Rank: 1, Segment: 0}, []byte{9}, rma.DMA)
	if err := errors.Join(err, p.Wait(op)); err != nil {
		return err
	}
	if err := p.WaitUntil(func() bool { return told[0] == 2 }); err != nil {
		return err
	}
	return write(3)
}
