package simgrid

import (
	"fmt"
	"math"
	"strconv"

	"musubi/trace/schedule"
)

// trace is one that is read.
type trace struct {
	b      *schedule.Builder
	ranks  []*rank
	groups map[uint32]uint32 // of all ranks, by their first one: the root of operations
	roots  []uint32
}

func newTrace(ranks int) *trace {
	t := &trace{b: schedule.NewBuilder(ranks), groups: map[uint32]uint32{}}
	for r := range ranks {
		t.ranks = append(t.ranks, &rank{trace: t, number: r, usual: byteType})
	}
	return t
}

func (t *trace) schedule() (*schedule.Schedule, error) {
	s := t.b.Schedule()
	for _, root := range t.roots {
		members := []uint32{root}
		for r := range t.ranks {
			if uint32(r) != root {
				members = append(members, uint32(r))
			}
		}
		s.Groups = append(s.Groups, members)
	}
	return s, nil
}

// group returns the group of all ranks whose first one is a root.
func (t *trace) group(root uint32) uint32 {
	if root == 0 {
		return schedule.Any
	}
	g, known := t.groups[root]
	if !known {
		g = uint32(len(t.roots))
		t.roots = append(t.roots, root)
		t.groups[root] = g
	}
	return g
}

// rank is one of the trace, with what it has done so far.
type rank struct {
	*trace
	number  int
	usual   int64 // type of data where none is named
	last    []uint32
	pending []request
	vectors uint32 // operations with vectors so far
	line    uint32
}

// request is a message under way.
type request struct {
	source, target, tag int64
	op                  uint32
}

// add adds an operation that waits for what the rank has done.
func (r *rank) add(op schedule.Op) uint32 {
	op.Line = r.line
	n := r.b.Add(r.number, op)
	for _, before := range r.last {
		r.b.Require(r.number, before, n)
	}
	return n
}

// then adds an operation for whose end the rank waits.
func (r *rank) then(op schedule.Op) { r.last = []uint32{r.add(op)} }

// compute lets operations on numbers, or nanoseconds, pass.
func (r *rank) compute(ns float64) error {
	if !(ns >= 0 && ns < math.MaxInt64/1000) {
		return fmt.Errorf("%g; expected a number from 0 on", ns)
	}
	if ps := int64(ns * 1000); ps > 0 {
		r.then(schedule.CalcOf(ps))
	}
	return nil
}

// message adds a send or a receive. -1 is any source or tag.
func (r *rank) message(kind schedule.Kind, peer, tag, bytes int64) (uint32, error) {
	any := kind == schedule.Receive
	switch {
	case peer < 0 && !(any && peer == -1) || peer >= int64(len(r.ranks)):
		return 0, fmt.Errorf("rank %d; expected 0 to %d", peer, len(r.ranks)-1)
	case tag < 0 && !(any && tag == -1) || tag > math.MaxInt32:
		return 0, fmt.Errorf("tag %d; expected 0 to %d", tag, math.MaxInt32)
	}
	return r.add(schedule.Op{Kind: kind, Peer: uint32(int32(peer)), Tag: uint32(int32(tag)), Size: uint64(bytes)}), nil
}

// start starts a message, and keeps it in mind.
func (r *rank) start(kind schedule.Kind, peer, tag, bytes int64) error {
	n, err := r.message(kind, peer, tag, bytes)
	q := request{int64(r.number), peer, tag, n}
	if kind == schedule.Receive {
		q.source, q.target = q.target, q.source
	}
	r.pending = append(r.pending, q)
	return err
}

// wait waits for the first message under way of a kind.
func (r *rank) wait(source, target, tag int64) error {
	for i, q := range r.pending {
		if q.source == source && q.target == target && q.tag == tag {
			r.last = append(append([]uint32{}, r.last...), q.op)
			r.pending = append(r.pending[:i], r.pending[i+1:]...)
			return nil
		}
	}
	return fmt.Errorf("no message from %d to %d with tag %d is under way", source, target, tag)
}

func (r *rank) waitAll() {
	r.last = append([]uint32{}, r.last...)
	for _, q := range r.pending {
		r.last = append(r.last, q.op)
	}
	r.pending = nil
}

// collective does an operation of all ranks.
func (r *rank) collective(o schedule.Operation, root, bytes int64) error {
	if root < 0 || root >= int64(len(r.ranks)) {
		return fmt.Errorf("root %d; expected 0 to %d", root, len(r.ranks)-1)
	}
	r.then(schedule.Op{Kind: schedule.Collective, Peer: r.group(uint32(root)), Tag: uint32(o), Size: uint64(bytes)})
	return nil
}

// firstVector is the first tag of messages of operations with vectors.
const firstVector = 1 << 27

// vector exchanges messages with all other ranks: out bytes to each, and in bytes from each; negative: no message.
func (r *rank) vector(out, in func(peer int) int64) error {
	tag := int64(firstVector + r.vectors)
	r.vectors++
	var all []uint32
	for distance := 1; distance < len(r.ranks); distance++ {
		for _, m := range []struct {
			kind  schedule.Kind
			peer  int
			bytes func(int) int64
		}{{schedule.Receive, (r.number + len(r.ranks) - distance) % len(r.ranks), in}, {schedule.Send, (r.number + distance) % len(r.ranks), out}} {
			if bytes := m.bytes(m.peer); bytes >= 0 {
				n, err := r.message(m.kind, int64(m.peer), tag, bytes)
				if err != nil {
					return err
				}
				all = append(all, n)
			}
		}
	}
	if len(all) > 0 {
		r.last = all
	}
	return nil
}

// whole reads a whole number, which may be written as 1e6.
func whole(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x != math.Trunc(x) || math.Abs(x) > 1<<62 {
		return 0, fmt.Errorf("%q; expected a whole number", text)
	}
	return int64(x), nil
}
