package groups

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"musubi/rma"
	"musubi/units"
	"musubi/workload/internal/ranks"
)

// multicastRank is a rank in multicasts. All multicasts have the same root. Position 0 is the root,
// position 1 the next rank and so on; rank 0 follows the last rank.
type multicastRank struct {
	p        rma.Process
	root     int
	position int
	team     *ranks.Team

	trial  *multicastTrial
	count  int           // number of the multicast within the trial
	data   ranks.Segment // two places of the largest size: even multicasts use the first, odd ones the second
	half   int           // bytes of a place
	seen   units.Time    // time at which this rank saw the data
	open   []rma.Op
	marked ranks.Segment // words in which children acknowledge, one for each step of a tree
	told   ranks.Segment // at the root: the time at which each rank saw the data
}

// newMulticastRank returns the state of a rank. Each rank must make it at the same position in the
// order of its segments.
func newMulticastRank(p rma.Process, root, largest int) *multicastRank {
	r := &multicastRank{p: p, root: root, position: (p.Rank() - root + p.Size()) % p.Size(), half: largest}
	r.team = ranks.NewTeam(p)
	r.data = ranks.Expose(p, 2*largest)
	r.marked = ranks.Expose(p, ranks.WordSize*(r.team.Steps+1))
	told := 0
	if r.isRoot() {
		told = ranks.WordSize * p.Size()
	}
	r.told = ranks.Expose(p, told)
	return r
}

func (r *multicastRank) isRoot() bool { return r.position == 0 }

// rank returns the rank at a position.
func (r *multicastRank) rank(position int) int { return (position + r.root) % r.p.Size() }

// begin begins a trial, before any data has arrived.
func (r *multicastRank) begin(t *multicastTrial) error {
	r.trial, r.count = t, 0
	clear(r.data.Memory)
	clear(r.marked.Memory)
	_, err := r.team.Agree(0)
	return err
}

// end ends a trial, after all ranks have everything, and verifies the last data.
func (r *multicastRank) end() error {
	if _, err := r.team.Agree(0); err != nil {
		return err
	}
	want := make([]byte, r.trial.size)
	r.fill(want)
	if !bytes.Equal(r.place(), want) {
		return fmt.Errorf("workload: what rank %d has by %s from rank %d is not what was sent", r.p.Rank(), r.trial.method, r.root)
	}
	return nil
}

// offset returns the offset of this multicast's data, which is the same at all ranks.
func (r *multicastRank) offset() int { return r.count % 2 * r.half }

func (r *multicastRank) place() []byte { return r.data.Memory[r.offset():][:r.trial.size] }

// mark returns the last byte of this multicast; it differs from the last byte of the previous one
// in the same place.
func (r *multicastRank) mark() byte { return ranks.MarkOf(r.count / 2) }

// fill writes the data of this multicast.
func (r *multicastRank) fill(data []byte) {
	for i := range data {
		data[i] = byte(i*7 + r.count*101)
	}
	data[len(data)-1] = r.mark()
}

// await waits until this rank has the data.
func (r *multicastRank) await() error {
	place := r.place()
	err := r.p.WaitUntil(func() bool { return place[len(place)-1] == r.mark() })
	r.seen = r.p.Now()
	return err
}

// timed does a multicast and returns its time at the root.
func (r *multicastRank) timed() (units.Time, error) {
	begin := r.p.Now()
	if err := r.once(); err != nil {
		return 0, err
	}
	end := r.p.Now()
	if err := r.settle(); err != nil {
		return 0, err
	}
	if !r.trial.acks {
		var err error
		if end, err = r.tell(begin); err != nil {
			return 0, err
		}
	}
	if !r.isRoot() {
		return 0, nil
	}
	return end - begin, nil
}

// once does a multicast. If it is acknowledged, it returns at the root when the root knows that all
// ranks have the data.
func (r *multicastRank) once() error {
	r.count++
	if r.isRoot() {
		r.fill(r.place())
	}
	switch by, method := r.trial.by, r.trial.method; {
	case by == byInterface:
		return r.byNetwork(rma.Chain)
	case by == bySwitch:
		return r.byNetwork(rma.Hierarchical)
	case method == unicastMethod:
		return r.unicast()
	}
	return r.passOn()
}

// settle waits for the operations that this rank has started.
func (r *multicastRank) settle() error {
	for _, op := range r.open {
		if err := r.p.Wait(op); err != nil {
			return err
		}
	}
	r.open = r.open[:0]
	return nil
}

// tell reports to the root when each rank has seen the data, and returns there the last of these
// times.
func (r *multicastRank) tell(begin units.Time) (last units.Time, err error) {
	if !r.isRoot() {
		data := binary.LittleEndian.AppendUint64(nil, uint64(r.seen))
		return 0, ranks.BlockingPush(r.p, rma.Address{Rank: r.root, Segment: r.told.Number, Offset: ranks.WordSize * r.p.Rank()}, data, rma.DMA)
	}
	position := 1
	err = r.p.WaitUntil(func() bool {
		for ; position < r.p.Size(); position++ {
			seen := units.Time(binary.LittleEndian.Uint64(r.told.Memory[ranks.WordSize*r.rank(position):]))
			if seen <= begin { // from the previous multicast
				return false
			}
			last = max(last, seen)
		}
		return true
	})
	// The acknowledgements of this rank leave the links meanwhile.
	r.p.Compute(r.p.Now() - begin)
	return last, err
}
