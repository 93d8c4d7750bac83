package workload

import (
	"encoding/binary"
	"errors"
	"fmt"

	"musubi/rma"
	"musubi/units"
)

// idealAble is a rank whose network does multicasts and changes words.
type idealAble struct{ *idealRank }

var (
	_ rma.Multicaster = idealAble{}
	_ rma.Atomics     = idealAble{}
)

// process returns the rank as programs see it.
func (r *idealRank) process() rma.Process {
	if r.w.able {
		return idealAble{r}
	}
	return r
}

// ableEnv is that of a world whose ranks are able.
func ableEnv(ranks int) Env {
	return Env{Ranks: ranks, Seed: 1, Atomics: true, Multicasts: func(rma.MulticastMethod) bool { return true }}
}

func (r idealAble) Multicasts(rma.MulticastMethod) bool { return true }

// MulticastPush: in a chain a rank has the data when the one before has it and it has
// gone on to this one; else all have it when one would.
func (r idealAble) MulticastPush(to []rma.Address, data []byte, how rma.Multicast) (rma.Op, error) {
	if len(to) == 0 {
		return 0, errors.New("no addresses")
	}
	id, op := r.newOp()
	hop := r.w.latency + units.Time(len(data))*r.w.perByte
	last := r.w.now
	for i, a := range to {
		last = r.w.now + hop
		if how.By == rma.Chain {
			last += units.Time(i) * hop
		}
		sent := append([]byte(nil), data...)
		r.w.at(last, func() {
			t := r.w.ranks[a.Rank]
			memory, err := t.reach(a, rma.Layout{}, len(sent))
			if err != nil && !how.Unacknowledged {
				op.err = err
			}
			copy(memory, sent)
			t.touched()
		})
	}
	if op.at = last + r.w.latency; how.Unacknowledged {
		op.at = r.w.now
	}
	return id, nil
}

func (r idealAble) FetchOp(at rma.Address, reduction rma.Reduction, operand int64, was *int64) (rma.Op, error) {
	return r.change(at, was, func(old int64) int64 { return reduction.Apply(old, operand) })
}

func (r idealAble) CompareSwap(at rma.Address, expected, replacement int64, was *int64) (rma.Op, error) {
	return r.change(at, was, func(old int64) int64 {
		if old == expected {
			return replacement
		}
		return old
	})
}

func (r idealAble) change(at rma.Address, was *int64, of func(int64) int64) (rma.Op, error) {
	if at.Rank < 0 || at.Rank >= r.Size() {
		return 0, fmt.Errorf("there is no rank %d", at.Rank)
	}
	id, op := r.newOp()
	arrival := r.w.now + r.w.latency
	op.at = arrival + r.w.latency
	r.w.at(arrival, func() {
		t := r.w.ranks[at.Rank]
		memory, err := t.reach(at, rma.Layout{}, wordSize)
		if op.err = err; err != nil {
			return
		}
		old := int64(binary.NativeEndian.Uint64(memory))
		binary.NativeEndian.PutUint64(memory, uint64(of(old)))
		if was != nil {
			*was = old
		}
		t.touched()
	})
	return id, nil
}
