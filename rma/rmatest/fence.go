package rmatest

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"musubi/rma"
	"musubi/units"
)

var fenceChecks = []check{
	{"a fence is complete when all before it is", 3, fenceAtRandom},
	{"a fence waits for messages without room", 3, fenceOfMessages},
	{"a fence does not tell of failures", 2, fenceOfFailures},
	{"a fence with nothing before it is done", 1, fenceOfNothing},
}

// fenced is a list of operations that have not been waited for, and a fence behind them.
type fenced struct {
	rma.Process
	rng    *rand.Rand
	open   []rma.Op
	fences []fenceAfter
}

type fenceAfter struct {
	op     rma.Op
	before int // operations among those open
}

// fenceAtRandom starts pushes and pulls, of which few are waited for, and fences. What was
// started before a fence is done when the fence is.
func fenceAtRandom(w *World, p rma.Process) error {
	part := area * w.Packet
	segment := p.Expose(make([]byte, part*p.Size()))
	images := make([][]byte, p.Size())
	for r := range images {
		images[r] = make([]byte, part)
	}
	f := fenced{Process: p, rng: random(p)}
	for i := range 100 {
		to, n := f.rng.IntN(p.Size()), w.length(f.rng)
		offset := f.rng.IntN(part - n)
		at := rma.Address{Rank: to, Segment: segment, Offset: p.Rank()*part + offset}
		var err error
		switch f.rng.IntN(5) {
		case 0, 1, 2:
			data := text(p.Rank(), i, n)
			copy(images[to][offset:], data)
			err = f.start(p.Push(at, data, w.mechanism(f.rng, n)))
		case 3:
			err = f.start(p.Pull(at, make([]byte, n)))
		default:
			err = f.fence()
		}
		if err == nil && f.rng.IntN(8) == 0 {
			err = f.look()
		}
		if err != nil {
			return err
		}
	}
	err := f.fence()
	for len(f.fences) > 0 && err == nil {
		err = f.endFence(p.Wait(f.fences[0].op))
	}
	if err != nil {
		return err
	}
	return comparePart(p, segment, part, images)
}

func (f *fenced) start(op rma.Op, err error) error {
	f.open = append(f.open, op)
	return err
}

func (f *fenced) fence() error {
	op, err := f.Fence()
	f.fences = append(f.fences, fenceAfter{op, len(f.open)})
	return err
}

// look asks for the oldest fence, or waits for it or for an operation before it.
func (f *fenced) look() error {
	if len(f.fences) == 0 {
		return nil
	}
	first := &f.fences[0]
	switch f.rng.IntN(4) {
	case 0:
		return f.endFence(f.Wait(first.op))
	case 1:
		if err := f.Await(first.op); err != nil { // nobody sends messages here
			return err
		}
		done, err := f.Test(first.op)
		if !done && err == nil {
			err = errors.New("a fence that Await has waited for is not done")
		}
		if err != nil {
			return err
		}
		return f.endFence(nil)
	case 2:
		if first.before == 0 {
			return nil
		}
		i := f.rng.IntN(first.before)
		op := f.open[i]
		f.open[i] = 0
		return f.Wait(op)
	}
	done, err := f.Test(first.op)
	if !done {
		f.Compute(units.Microsecond)
		return err
	}
	return f.endFence(err)
}

// endFence fails unless all operations before the oldest fence, which is complete, are complete.
func (f *fenced) endFence(err error) error {
	if err != nil {
		return err
	}
	n := f.fences[0].before
	for _, op := range f.open[:n] {
		done, err := f.Test(op)
		if err != nil {
			return err
		}
		if !done {
			return errors.New("a fence is complete, and an operation that was started before it is not")
		}
	}
	f.open, f.fences = f.open[n:], f.fences[1:]
	for i := range f.fences {
		f.fences[i].before -= n
	}
	return nil
}

// fenceOfMessages sends rank 1 more messages than there is room for, with pushes to rank 2
// and fences between them.
func fenceOfMessages(w *World, p rma.Process) error {
	const messages = 20
	segment := p.Expose(make([]byte, w.Packet))
	if err := p.Rings(rma.PrivateRings(p.Size(), w.Packet)); err != nil {
		return err
	}
	message := text(0, 0, w.Packet*3/5)
	p.Expose(message)
	switch p.Rank() {
	case 1:
		for range messages {
			p.Compute(units.Microsecond)
			a, err := p.Next()
			if err == nil {
				err = p.Take(a, nil, rma.Cached)
			}
			if err != nil {
				return err
			}
		}
		return nil
	case 2:
		return nil
	}
	f := fenced{Process: p, rng: random(p)}
	for range messages {
		err := f.start(p.IPush(1, message, rma.DMA))
		if err == nil {
			err = f.fence()
		}
		if err == nil {
			err = f.start(p.Push(rma.Address{Rank: 2, Segment: segment}, message, rma.DMA))
		}
		if err == nil && f.rng.IntN(4) == 0 {
			err = f.endFence(p.Wait(f.fences[0].op))
		}
		if err != nil {
			return err
		}
	}
	last := len(f.fences) - 1
	if err := p.Wait(f.fences[last].op); err != nil {
		return err
	}
	for _, before := range f.fences[:last] {
		if over, err := p.Test(before.op); !over || err != nil {
			return errors.Join(err, errors.New("a fence is complete, and one before it is not"))
		}
	}
	f.fences = f.fences[last:]
	return f.endFence(nil)
}

// fenceOfFailures has a fence behind a push to memory that is not exposed.
func fenceOfFailures(_ *World, p rma.Process) error {
	if p.Rank() == 1 {
		return nil
	}
	op, failed := p.Push(rma.Address{Rank: 1, Segment: 3}, []byte{1}, rma.DMA)
	fence, err := p.Fence()
	if err := done(p, fence, err); err != nil {
		return fmt.Errorf("a fence fails: %w", err)
	}
	if failed == nil {
		failed = p.Wait(op)
	}
	if failed == nil {
		return errors.New("a push to memory that is not exposed succeeds")
	}
	return nil
}

func fenceOfNothing(_ *World, p rma.Process) error {
	for range 3 {
		fence, err := p.Fence()
		if err := done(p, fence, err); err != nil {
			return err
		}
	}
	return nil
}
