package collective

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A model of processes that agree on ids at once: messages take any time, and each process starts its
// operations in an order of its own, but for those that block, whose order all have in common.

type modelOperation struct {
	comm, number uint64
	members      []int
	blocks       bool

	entered []*agreement // by process; nil: not yet
	gave    [][]uint64   // in this round; nil: not yet
	next    [][]uint64   // in the next one, by those that have concluded this one
	result  []uint64     // of this round, when all members have given
	left    int          // members that have not concluded the round
	id      []uint32     // by process; 0: not yet
}

type model struct {
	rng        *rand.Rand
	jobs       []*job
	operations []*modelOperation
	programs   [][]*modelOperation // what each process has still to start
	waits      []*modelOperation   // that a process blocks in; nil: none
}

func newModel(rng *rand.Rand) *model {
	m := &model{rng: rng}
	processes := 2 + rng.IntN(3)
	for range processes {
		m.jobs = append(m.jobs, &job{})
	}
	m.programs, m.waits = make([][]*modelOperation, processes), make([]*modelOperation, processes)
	for comm := range 1 + rng.IntN(3) {
		members := rng.Perm(processes)[:1+rng.IntN(processes)]
		for number := range 1 + rng.IntN(3) {
			o := &modelOperation{
				comm: uint64(comm), number: uint64(number), members: members, blocks: rng.IntN(3) == 0,
				entered: make([]*agreement, processes), gave: make([][]uint64, processes), next: make([][]uint64, processes), id: make([]uint32, processes), left: len(members),
			}
			if o.blocks {
				o.number = blockingNumber
			}
			m.operations = append(m.operations, o)
		}
	}
	for p := range m.jobs {
		var blocking, others []*modelOperation
		for _, o := range m.operations {
			switch {
			case !slices.Contains(o.members, p):
			case o.blocks:
				blocking = append(blocking, o)
			default:
				others = append(others, o)
			}
		}
		rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		for len(blocking)+len(others) > 0 { // a merge of both
			from := &others
			if len(others) == 0 || len(blocking) > 0 && rng.IntN(2) == 0 {
				from = &blocking
			}
			m.programs[p] = append(m.programs[p], (*from)[0])
			*from = (*from)[1:]
		}
	}
	return m
}

// step takes one step of a process; it returns false if there is none that it can take.
func (m *model) step(t *testing.T) bool {
	var steps []func()
	for p, program := range m.programs {
		if m.waits[p] == nil && len(program) > 0 {
			steps = append(steps, func() { m.start(p) })
		}
		for _, o := range m.operations {
			if o.entered[p] != nil && o.result != nil && o.gave[p] != nil {
				steps = append(steps, func() { m.conclude(t, p, o) })
			}
		}
	}
	if len(steps) == 0 {
		return false
	}
	steps[m.rng.IntN(len(steps))]()
	return true
}

func (m *model) start(p int) {
	o := m.programs[p][0]
	m.programs[p] = m.programs[p][1:]
	o.entered[p] = m.jobs[p].agreements.enter(o.comm, o.number, o.blocks)
	if o.blocks {
		m.waits[p] = o
	}
	m.give(p, o)
}

func (m *model) give(p int, o *modelOperation) {
	given := m.jobs[p].give(o.entered[p])
	if o.result != nil {
		o.next[p] = given
		return
	}
	o.gave[p] = given
	o.combine()
}

// combine ends the first half of a round when all members have given.
func (o *modelOperation) combine() {
	var all []uint64
	for _, q := range o.members {
		if o.gave[q] == nil {
			return
		}
		if all == nil {
			all = slices.Clone(o.gave[q])
		}
		intersect(all, o.gave[q])
	}
	o.result = all
}

func (m *model) conclude(t *testing.T, p int, o *modelOperation) {
	id, again, err := m.jobs[p].conclude(o.entered[p], slices.Clone(o.result))
	if err != nil {
		t.Fatal(err)
	}
	o.gave[p] = nil
	if again {
		m.give(p, o)
	} else {
		o.entered[p], o.id[p] = nil, id
		if m.waits[p] == o {
			m.waits[p] = nil
		}
	}
	if o.left--; o.left == 0 {
		o.left, o.result = len(o.members), nil
		o.gave, o.next = o.next, make([][]uint64, len(o.next))
		o.combine()
	}
}

// Whatever is started in which order, all agreements come to an end, all members have the same id,
// and no process has one twice.
func TestAgreementsEndWithDifferentIDs(t *testing.T) {
	for seed := range uint64(3000) {
		m := newModel(rand.New(rand.NewPCG(seed, 1)))
		steps := 0
		for ; m.step(t); steps++ {
			if steps > 20_000 {
				t.Fatalf("seed %d: no end after %d steps", seed, steps)
			}
		}
		for p := range m.jobs {
			if len(m.jobs[p].agreements.open) > 0 || m.jobs[p].agreements.holder != nil {
				t.Fatalf("seed %d: process %d has not ended", seed, p)
			}
			had := map[uint32]bool{}
			for _, o := range m.operations {
				if !slices.Contains(o.members, p) {
					continue
				}
				if id := o.id[p]; id == 0 || id != o.id[o.members[0]] || had[id] {
					t.Fatalf("seed %d: process %d has id %d, the first member %d, had %v", seed, p, id, o.id[o.members[0]], had)
				}
				had[o.id[p]] = true
			}
		}
	}
}
