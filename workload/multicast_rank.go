package workload

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"musubi/rma"
	"musubi/units"
)

// multicastRank is a rank's part in multicasts. All of them go from a root, in the order
// of positions: the root's is 0, the next rank's 1 and so on, the last rank's neighbour
// being rank 0.
type multicastRank struct {
	p        rma.Process
	root     int
	position int
	team     *team

	trial  *multicastTrial
	count  int        // of the multicast, within the trial
	data   segment    // places of the largest size: an even multicast goes to the first, an odd one to the second
	half   int        // bytes of a place
	seen   units.Time // when this rank saw the data
	open   []rma.Op
	marked segment // words by which children confirm, one for each step of a tree
	told   segment // at the root: by rank, when it saw the data
}

// newMulticastRank makes the part of a rank, which each must make in the same place of the
// order of its segments.
func newMulticastRank(p rma.Process, root, largest int) *multicastRank {
	r := &multicastRank{p: p, root: root, position: (p.Rank() - root + p.Size()) % p.Size(), half: largest}
	r.team = newTeam(p)
	r.data = expose(p, 2*largest)
	r.marked = expose(p, wordSize*(r.team.steps+1))
	told := 0
	if r.isRoot() {
		told = wordSize * p.Size()
	}
	r.told = expose(p, told)
	return r
}

func (r *multicastRank) isRoot() bool { return r.position == 0 }

// rank returns the rank at a position.
func (r *multicastRank) rank(position int) int { return (position + r.root) % r.p.Size() }

// begin begins a trial, in which nothing has come yet.
func (r *multicastRank) begin(t *multicastTrial) error {
	r.trial, r.count = t, 0
	clear(r.data.memory)
	clear(r.marked.memory)
	_, err := r.team.agree(0)
	return err
}

// end ends a trial, in which all have everything, and looks at what came last.
func (r *multicastRank) end() error {
	if _, err := r.team.agree(0); err != nil {
		return err
	}
	want := make([]byte, r.trial.size)
	r.fill(want)
	if !bytes.Equal(r.place(), want) {
		return fmt.Errorf("workload: what rank %d has by %s from rank %d is not what was sent", r.p.Rank(), r.trial.method, r.root)
	}
	return nil
}

// offset returns where the data of this multicast goes in the data of each rank.
func (r *multicastRank) offset() int { return r.count % 2 * r.half }

func (r *multicastRank) place() []byte { return r.data.memory[r.offset():][:r.trial.size] }

// mark returns the last byte of this multicast, which the one before in its place did not
// have.
func (r *multicastRank) mark() byte { return markOf(r.count / 2) }

// fill writes what this multicast sends.
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

// timed does a multicast and returns, at the root, how long it has taken.
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

// once does a multicast. At the root it is over when the root knows that all have the
// data, if that is asked for.
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

// settle waits for what this rank has started.
func (r *multicastRank) settle() error {
	for _, op := range r.open {
		if err := r.p.Wait(op); err != nil {
			return err
		}
	}
	r.open = r.open[:0]
	return nil
}

// tell lets the root know when each rank has seen the data, and returns there when the
// last one has.
func (r *multicastRank) tell(begin units.Time) (last units.Time, err error) {
	if !r.isRoot() {
		data := binary.LittleEndian.AppendUint64(nil, uint64(r.seen))
		return 0, blockingPush(r.p, rma.Address{Rank: r.root, Segment: r.told.number, Offset: wordSize * r.p.Rank()}, data, rma.DMA)
	}
	position := 1
	err = r.p.WaitUntil(func() bool {
		for ; position < r.p.Size(); position++ {
			seen := units.Time(binary.LittleEndian.Uint64(r.told.memory[wordSize*r.rank(position):]))
			if seen <= begin { // of the multicast before
				return false
			}
			last = max(last, seen)
		}
		return true
	})
	// What confirms to the others that this rank knows leaves the links meanwhile.
	r.p.Compute(r.p.Now() - begin)
	return last, err
}
