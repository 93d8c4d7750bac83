package rmatest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/rma"
	"musubi/units"
)

var groupChecks = []check{
	{"reductions by the interfaces, of many groups", ringRanks, manyGroups},
	{"mistakes with groups", 3, groupMistakes},
}

// assembly lets processes tell each other their parts in groups.
type assembly struct {
	rma.Collector
	memory []byte // a word for each group and rank
	groups int    // so far
}

const mostGroups = 20

// newAssembly returns nil if the interface does no reductions.
func newAssembly(p rma.Process) *assembly {
	c, ok := p.(rma.Collector)
	if !ok {
		return nil
	}
	a := &assembly{Collector: c, memory: make([]byte, 8*mostGroups*p.Size())}
	p.Expose(a.memory)
	return a
}

// group makes a group of some members; all of them call it with the same arguments.
func (a *assembly) group(members []int) (rma.Group, []uint64, error) {
	g := a.NewGroup()
	if g == nil {
		return nil, nil, fmt.Errorf("there is no room for group %d", a.groups)
	}
	slot := func(rank int) int { return 8 * (a.groups*a.Size() + rank) }
	word := binary.LittleEndian.AppendUint64(nil, g.Part()+1)
	for _, rank := range members {
		op, err := a.Push(rma.Address{Rank: rank, Offset: slot(a.Rank())}, word, rma.DMA)
		if err := done(a, op, err); err != nil {
			return nil, nil, err
		}
	}
	parts := make([]uint64, len(members))
	for i, rank := range members {
		theirs := a.memory[slot(rank):][:8]
		if err := a.WaitUntil(func() bool { return theirs[0] != 0 }); err != nil {
			return nil, nil, err
		}
		parts[i] = binary.LittleEndian.Uint64(theirs) - 1
	}
	a.groups++
	return g, parts, nil
}

// manyGroups: groups with other members, one after the other and two at a time.
func manyGroups(_ *World, p rma.Process) error {
	a := newAssembly(p)
	if a == nil {
		return nil
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var older rma.Group
	for range mostGroups {
		members := rng.Perm(p.Size())[:1+rng.IntN(p.Size())]
		seed := rng.Uint64()
		if !slices.Contains(members, p.Rank()) {
			a.groups++
			continue
		}
		g, parts, err := a.group(members)
		if err == nil {
			err = g.Join(members, parts)
		}
		if err == nil {
			err = reduceAtRandom(p, g, members, seed)
		}
		if err != nil {
			return err
		}
		if older != nil {
			older.Leave()
		}
		older = g
	}
	return nil
}

// reduceAtRandom does some reductions, which the seed decides.
func reduceAtRandom(p rma.Process, g rma.Group, members []int, seed uint64) error {
	all, own := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, uint64(p.Rank()+1)))
	for range 10 {
		reduction, words := rma.Reduction(all.IntN(int(rma.Xor)+1)), make([]int64, len(members))
		for i := range words {
			words[i] = int64(all.Uint64())
		}
		p.Compute(units.Time(own.IntN(5)) * units.Microsecond)
		if err := g.Start(reduction, words[slices.Index(members, p.Rank())]); err != nil {
			return err
		}
		p.Compute(units.Time(own.IntN(3)) * units.Microsecond)
		got, err := resultOf(p, g)
		if err != nil {
			return err
		}
		if want := reduced(reduction, words); got != want {
			return fmt.Errorf("%v of %v is %d; expected %d", reduction, words, got, want)
		}
	}
	return nil
}

// resultOf waits for a result.
func resultOf(p rma.Process, g rma.Group) (int64, error) {
	if err := p.WaitUntil(g.HasResult); err != nil {
		return 0, err
	}
	word, ok, err := g.Result()
	if !ok {
		return 0, errors.New("a result is told of, and is not there")
	}
	return word, err
}

// reduced returns the reduction of words.
func reduced(reduction rma.Reduction, words []int64) int64 {
	combine := map[rma.Reduction]func(a, b int64) int64{
		rma.NoOp: func(_, _ int64) int64 { return 0 },
		rma.Sum:  func(a, b int64) int64 { return a + b },
		rma.Min:  func(a, b int64) int64 { return min(a, b) },
		rma.Max:  func(a, b int64) int64 { return max(a, b) },
		rma.And:  func(a, b int64) int64 { return a & b },
		rma.Or:   func(a, b int64) int64 { return a | b },
		rma.Xor:  func(a, b int64) int64 { return a ^ b },
	}[reduction]
	total := words[0]
	for _, w := range words[1:] {
		total = combine(total, w)
	}
	if reduction == rma.NoOp {
		total = 0
	}
	return total
}

// groupMistakes are refused, and what is right goes on.
func groupMistakes(_ *World, p rma.Process) error {
	a := newAssembly(p)
	if a == nil {
		return nil
	}
	members := []int{0, 1, 2}
	g, parts, err := a.group(members)
	if err != nil {
		return err
	}
	wrong := slices.Clone(parts)
	wrong[1] = 1 << 40
	for mistake, err := range map[string]error{
		"Start before Join":            g.Start(rma.NoOp, 0),
		"Join with a part that is not": g.Join(members, wrong),
		"Join with a rank that is not": g.Join([]int{0, 1, 3}, parts),
		"Join with too few parts":      g.Join(members, parts[:2]),
		"Join of others only":          g.Join([]int{(p.Rank() + 1) % 3}, []uint64{parts[(p.Rank()+1)%3]}),
	} {
		if err == nil {
			return fmt.Errorf("%s is not refused", mistake)
		}
	}
	if err := g.Join(members, parts); err != nil {
		return err
	}
	if g.Join(members, parts) == nil || g.Start(rma.Xor+1, 0) == nil {
		return errors.New("a second Join or an unknown reduction is not refused")
	}
	reductions := []rma.Reduction{rma.Sum, rma.Sum, rma.Max}
	if err := g.Start(reductions[p.Rank()], 1); err != nil {
		return err
	}
	if g.Start(rma.Sum, 1) == nil {
		return errors.New("a second Start before the result is taken is not refused")
	}
	if _, err := resultOf(p, g); !errors.Is(err, rma.ErrConflict) {
		return fmt.Errorf("different reductions: %v; expected ErrConflict", err)
	}
	if err := g.Start(rma.Sum, 1); err != nil {
		return err
	}
	if sum, err := resultOf(p, g); err != nil || sum != 3 {
		return fmt.Errorf("after a conflict, the sum of 1, 1 and 1 is %d, %v", sum, err)
	}
	if _, ok, err := g.Result(); ok || err != nil {
		return fmt.Errorf("a result that has been taken is there again: %v", err)
	}
	return nil
}
