package rmatest_test

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"musubi"
	"musubi/rma"
	"musubi/rma/rmatest"
	"musubi/units"
)

// torn is a process that changes words in two steps.
type torn struct{ rma.Process }

func (p torn) FetchOp(at rma.Address, r rma.Reduction, operand int64, was *int64) (rma.Op, error) {
	return p.change(at, was, func(word int64) int64 { return r.Apply(word, operand) })
}

func (p torn) CompareSwap(at rma.Address, expected, replacement int64, was *int64) (rma.Op, error) {
	return p.change(at, was, func(word int64) int64 {
		if word == expected {
			return replacement
		}
		return word
	})
}

func (p torn) change(at rma.Address, was *int64, apply func(int64) int64) (rma.Op, error) {
	word := make([]byte, 8)
	op, err := p.Pull(at, word)
	if err == nil {
		err = p.Wait(op)
	}
	if err != nil {
		return 0, err
	}
	old := int64(binary.NativeEndian.Uint64(word))
	if was != nil {
		*was = old
	}
	binary.NativeEndian.PutUint64(word, uint64(apply(old)))
	return p.Push(at, word, rma.DMA)
}

// repeating is a process that now and then changes a word twice.
type repeating struct {
	rma.Atomics
	changes *int
}

func (p repeating) FetchOp(at rma.Address, r rma.Reduction, operand int64, was *int64) (rma.Op, error) {
	if *p.changes++; *p.changes%50 == 0 {
		if _, err := p.Atomics.FetchOp(at, r, operand, nil); err != nil {
			return 0, err
		}
	}
	return p.Atomics.FetchOp(at, r, operand, was)
}

// hasty is a process that says that a change is complete when it is not.
type hasty struct{ rma.Atomics }

func (p hasty) FetchOp(at rma.Address, r rma.Reduction, operand int64, was *int64) (rma.Op, error) {
	op, err := p.Atomics.FetchOp(at, r, operand, was)
	if was == nil {
		op = 0
	}
	return op, err
}

// The check of histories finds worlds that do it wrong, and passes the one that they are
// made of.
func TestHistoriesOfWrongWorlds(t *testing.T) {
	w := rmatest.World{Clock: func(p rma.Process) units.Time { return p.Now() }}
	changes := 0
	for name, wrap := range map[string]func(rma.Process) rma.Process{
		"":          func(p rma.Process) rma.Process { return p },
		"torn":      func(p rma.Process) rma.Process { return torn{p} },
		"repeating": func(p rma.Process) rma.Process { return repeating{p.(rma.Atomics), &changes} },
		"hasty":     func(p rma.Process) rma.Process { return hasty{p.(rma.Atomics)} },
	} {
		_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: "ndr", Ranks: 4}, func(p rma.Process) error {
			return w.Linearizable(wrap(p))
		})
		if found := err != nil && strings.Contains(err.Error(), "fits no order"); found != (name != "") {
			t.Errorf("world %q: error %v", name, err)
		}
	}
}
