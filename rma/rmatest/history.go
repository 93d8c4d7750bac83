package rmatest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/anishathalye/porcupine"

	"musubi/rma"
	"musubi/units"
)

// deed is an operation on a word, as the rank that started it saw it.
type deed struct {
	Word              int64 // number of the word
	Swap              bool  // a CompareSwap
	Reduction         rma.Reduction
	Heard             bool // the rank asked for the old value
	_                 [5]byte
	Operand, Expected int64
	Was               int64
	Call, Return      int64 // when it was started, and when it was known to be complete
}

// after returns the value of a word after the operation.
func (d *deed) after(word int64) int64 {
	switch {
	case !d.Swap:
		return d.Reduction.Apply(word, d.Operand)
	case word == d.Expected:
		return d.Operand
	}
	return word
}

const (
	deeds     = 80 // of each rank
	mostOpen  = 3  // at a time
	words     = 2  // at each of the first two ranks
	deedBytes = 56
	patient   = time.Minute // for the checker
)

// Linearizable is a program that lets all ranks change a few words at the same time, some
// operations of each overlapping. It fails at rank 0 unless the operations on each word have an
// order that explains the results, in which each operation takes place at one moment between its
// call and its completion. It is among the checks of Test, with four ranks. Without rma.Atomics, or
// a Clock, it does nothing.
func (w *World) Linearizable(p rma.Process) error {
	a, ok := p.(rma.Atomics)
	if !ok || w.Clock == nil {
		return nil
	}
	memory := make([]byte, p.Size()*(deeds*deedBytes+1))
	segment, archive := p.Expose(make([]byte, 8*words)), p.Expose(memory)
	h := history{Atomics: a, now: w.Clock, segment: segment, rng: random(p)}
	h.many, _ = p.(rma.Accumulator)
	for len(h.done) < deeds {
		if err := h.some(); err != nil {
			return err
		}
	}
	part := len(memory) / p.Size()
	if p.Rank() > 0 {
		page, err := binary.Append(nil, binary.NativeEndian, h.done)
		if err != nil {
			return err
		}
		op, err := p.Push(rma.Address{Segment: archive, Offset: p.Rank() * part}, append(page, 1), rma.DMA)
		return done(p, op, err)
	}
	all := h.done
	for r := 1; r < p.Size(); r++ {
		page := memory[r*part:][:part]
		if err := p.WaitUntil(func() bool { return page[part-1] != 0 }); err != nil {
			return err
		}
		theirs := make([]deed, deeds)
		if _, err := binary.Decode(page, binary.NativeEndian, theirs); err != nil {
			return err
		}
		all = append(all, theirs...)
	}
	return explained(all)
}

func linearizable(w *World, p rma.Process) error { return w.Linearizable(p) }

// history is the list of operations of a rank.
type history struct {
	rma.Atomics
	many    rma.Accumulator // the same, nil if it is none
	now     func(rma.Process) units.Time
	segment int
	rng     *rand.Rand
	done    []deed
}

// some does operations that overlap: changes of single words, or of all at a rank.
func (h *history) some() error {
	if h.many != nil && len(h.done)+words <= deeds && h.rng.IntN(3) == 0 {
		return h.together()
	}
	first, n := len(h.done), min(1+h.rng.IntN(mostOpen), deeds-len(h.done))
	var ops [mostOpen]rma.Op
	for range n {
		h.done = append(h.done, h.choose())
	}
	for i := range n {
		if err := h.start(&h.done[first+i], &ops[i]); err != nil {
			return err
		}
	}
	for _, i := range h.rng.Perm(n) {
		if err := h.Wait(ops[i]); err != nil {
			return err
		}
		h.done[first+i].Return = int64(h.now(h.Atomics))
	}
	h.Compute(units.Time(h.rng.IntN(3)) * units.Microsecond)
	return nil
}

// together changes all words at a rank by one operation.
func (h *history) together() error {
	first := h.choose()
	first.Word -= first.Word % words
	first.Swap = false
	var operands, was [words]int64
	for i := range operands {
		operands[i] = int64(h.rng.IntN(5))
	}
	asked := was[:]
	if !first.Heard {
		asked = nil
	}
	first.Call = int64(h.now(h.Atomics))
	op, err := h.many.Accumulate(h.place(&first), first.Reduction, operands[:], asked)
	if err := done(h, op, err); err != nil {
		return err
	}
	first.Return = int64(h.now(h.Atomics))
	for i := range operands {
		d := first
		d.Word, d.Operand, d.Was = first.Word+int64(i), operands[i], was[i]
		h.done = append(h.done, d)
	}
	return nil
}

// place returns where the word of an operation is.
func (h *history) place(d *deed) rma.Address {
	return rma.Address{Rank: int(d.Word) / words % h.Size(), Segment: h.segment, Offset: 8 * (int(d.Word) % words)}
}

// choose draws an operation. Few values, so that comparisons often hold.
func (h *history) choose() deed {
	d := deed{Word: int64(h.rng.IntN(2 * words)), Heard: h.rng.IntN(8) > 0, Operand: int64(h.rng.IntN(5)), Expected: int64(h.rng.IntN(5))}
	switch h.rng.IntN(3) {
	case 0:
		d.Swap = true
	case 1:
		d.Reduction = rma.Sum
	default:
		d.Reduction = rma.Reduction(h.rng.IntN(int(rma.Replace) + 1))
	}
	return d
}

// start starts an operation. What was there is written when it is complete.
func (h *history) start(d *deed, op *rma.Op) (err error) {
	at, was := h.place(d), &d.Was
	if !d.Heard {
		was = nil
	}
	d.Call = int64(h.now(h.Atomics))
	if d.Swap {
		*op, err = h.CompareSwap(at, d.Expected, d.Operand, was)
	} else {
		*op, err = h.FetchOp(at, d.Reduction, d.Operand, was)
	}
	return err
}

// explained fails if no order of the operations explains a history.
func explained(all []deed) error {
	var operations []porcupine.Operation
	for i := range all {
		d := &all[i]
		operations = append(operations, porcupine.Operation{ClientId: i / deeds, Input: d, Call: d.Call, Return: d.Return})
	}
	switch porcupine.CheckOperationsTimeout(wordModel, operations, patient) {
	case porcupine.Illegal:
		return errors.New("changes of words at the same time: what ranks have seen fits no order of them")
	case porcupine.Unknown:
		return fmt.Errorf("changes of words at the same time: in %v no order of them was found, and it is not known that there is none", patient)
	}
	return nil
}

// wordModel is what a word does when one operation comes after the other.
var wordModel = porcupine.Model{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		parts := make([][]porcupine.Operation, 2*words)
		for _, o := range all {
			i := o.Input.(*deed).Word
			parts[i] = append(parts[i], o)
		}
		return parts
	},
	Init: func() any { return int64(0) },
	Step: func(state, input, _ any) (bool, any) {
		d, word := input.(*deed), state.(int64)
		return !d.Heard || d.Was == word, d.after(word)
	},
}
