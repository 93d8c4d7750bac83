package ideal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"musubi/rma"
	"musubi/units"
)

// ableRank is a rank whose network does multicasts and changes words.
type ableRank struct{ *Member }

var (
	_ rma.Multicaster = ableRank{}
	_ rma.Atomics     = ableRank{}
)

// process returns the rank as programs see it.
func (r *Member) process() rma.Process {
	if r.w.Able {
		return ableRank{r}
	}
	return r
}

func (r ableRank) Multicasts(rma.MulticastMethod) bool { return true }

// MulticastPush: in a chain a rank has the data when the one before has it and it has
// gone on to this one; else all have it when one would.
func (r ableRank) MulticastPush(to []rma.Address, data []byte, how rma.Multicast) (rma.Op, error) {
	if len(to) == 0 {
		return 0, errors.New("no addresses")
	}
	id, op := r.newOp()
	hop := r.w.Latency + units.Time(len(data))*r.w.PerByte
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
	if op.at = last + r.w.Latency; how.Unacknowledged {
		op.at = r.w.now
	}
	return id, nil
}

func (r ableRank) FetchOp(at rma.Address, reduction rma.Reduction, operand int64, was *int64) (rma.Op, error) {
	return r.change(at, was, func(old int64) int64 { return reduction.Apply(old, operand) })
}

func (r ableRank) CompareSwap(at rma.Address, expected, replacement int64, was *int64) (rma.Op, error) {
	return r.change(at, was, func(old int64) int64 {
		if old == expected {
			return replacement
		}
		return old
	})
}

func (r ableRank) change(at rma.Address, was *int64, of func(int64) int64) (rma.Op, error) {
	if at.Rank < 0 || at.Rank >= r.Size() {
		return 0, fmt.Errorf("there is no rank %d", at.Rank)
	}
	id, op := r.newOp()
	arrival := r.w.now + r.w.Latency
	op.at = arrival + r.w.Latency
	r.w.at(arrival, func() {
		t := r.w.ranks[at.Rank]
		memory, err := t.reach(at, rma.Layout{}, 8)
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
