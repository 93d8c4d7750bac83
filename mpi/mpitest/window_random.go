package mpitest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/mpi"
)

// Random programs of accesses, of which all ranks know all. Each rank interprets them
// as well, one access after the other, on ordinary slices; so it knows what it is to
// get, and what its memory is to be after an epoch. Programs do only what has one
// outcome: in an epoch a stretch of elements is put to by one rank, or read by any, or
// added to by any, or combined with by one rank.

// act is an access of a random program.
type act struct {
	by, target int
	name       string
	at         int         // element of the target
	blocks     []mpi.Block // from there on
	layout     mpi.Layout  // likewise
	value      int64       // of the first element that is given
	op         int         // of randomOps
}

var randomOps = []struct {
	op    mpi.Op[int64]
	apply func(old, given int64) int64
}{
	{mpi.Sum[int64](), func(old, given int64) int64 { return old + given }},
	{mpi.Product[int64](), func(old, given int64) int64 { return old * given }},
	{mpi.Xor[int64](), func(old, given int64) int64 { return old ^ given }},
	{mpi.Max[int64](), func(old, given int64) int64 { return max(old, given) }},
	{mpi.NoOp[int64](), func(old, _ int64) int64 { return old }},
	{mpi.Replace[int64](), func(_, given int64) int64 { return given }},
}

const (
	sumOp = iota
	noOp  = iota + 3
	replaceOp
)

// RandomAccesses runs the programs of some seeds, from the first one on.
func RandomAccesses(c *mpi.Comm, seed, programs uint64) error {
	for ; programs > 0; programs-- {
		if err := newAccesses(seed, c.Size()).run(c); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		seed++
	}
	return nil
}

// accesses is a random program, and the memory of all ranks as it is to be.
type accesses struct {
	rng    *rand.Rand // that all ranks have alike
	memory [][]int64
}

func newAccesses(seed uint64, ranks int) *accesses {
	a := &accesses{rng: rand.New(rand.NewPCG(seed, 7)), memory: make([][]int64, ranks)}
	for rank := range a.memory {
		a.memory[rank] = make([]int64, a.rng.IntN(3)*a.rng.IntN(1500))
	}
	return a
}

// epoch returns what all ranks do in the next epoch, in the order of each.
func (a *accesses) epoch() []act {
	var acts []act
	for target, memory := range a.memory {
		for at := 0; at < len(memory); {
			n := 1 + a.rng.IntN(min(len(memory)-at, 1+a.rng.IntN(2000)))
			acts = append(acts, a.stretch(target, at, n)...)
			at += n
		}
	}
	return acts
}

// stretch returns what ranks do with n elements of a rank.
func (a *accesses) stretch(target, at, n int) []act {
	kind, by, count := a.rng.IntN(4), a.rng.IntN(len(a.memory)), 1+a.rng.IntN(4)
	if kind == 0 {
		count = 1
	}
	list := make([]act, count)
	for i := range list {
		d := act{by: by, target: target, at: at, value: a.rng.Int64N(1000)}
		switch kind {
		case 0:
			d.name, d.op = "put", replaceOp
		case 1:
			d.by, d.name, d.op = a.rng.IntN(len(a.memory)), a.oneOf("get", "fetch", "fetch one"), noOp
		case 2:
			d.by, d.name, d.op = a.rng.IntN(len(a.memory)), "accumulate", sumOp
		case 3:
			d.name, d.op = a.oneOf("accumulate", "fetch", "fetch one", "compare"), a.rng.IntN(len(randomOps))
		}
		d.choose(a.rng, n)
		list[i] = d
	}
	return list
}

func (a *accesses) oneOf(names ...string) string { return names[a.rng.IntN(len(names))] }

// choose chooses which of n elements a act is about.
func (d *act) choose(rng *rand.Rand, n int) {
	switch block := 1 + rng.IntN(min(n, 4)); {
	case d.name == "fetch one" || d.name == "compare":
		d.at += rng.IntN(n)
		d.blocks = []mpi.Block{{Count: 1}}
	case rng.IntN(3) == 0:
		stride := block + rng.IntN(3)
		for at := 0; at <= n-block; at += stride {
			d.blocks = append(d.blocks, mpi.Block{At: at, Count: block})
		}
		d.layout = mpi.Vector(len(d.blocks), block, stride)
		return
	case rng.IntN(2) == 0:
		for at := rng.IntN(2); at <= n-block; at += block + rng.IntN(3) {
			d.blocks = append(d.blocks, mpi.Block{At: at, Count: block - rng.IntN(2)})
		}
	default:
		d.blocks = []mpi.Block{{Count: n}}
	}
	d.layout = mpi.Indexed(d.blocks...)
}

// isPlain reports whether the elements follow each other from the first on.
func (d *act) isPlain() bool { return len(d.blocks) == 1 && d.blocks[0].At == 0 }

// interpret does a act to the memory of its target, and returns what was there.
func (d *act) interpret(memory []int64) []int64 {
	var was []int64
	for _, b := range d.blocks {
		for i := range b.Count {
			element := &memory[d.at+b.At+i]
			given := d.value*1000003 + int64(len(was))
			was = append(was, *element)
			switch {
			case d.name != "compare":
				*element = randomOps[d.op].apply(*element, given)
			case *element == d.expected():
				*element = given
			}
		}
	}
	return was
}

// expected is what a comparison expects: now and then what is there at first.
func (d *act) expected() int64 { return d.value % 2 }

// every names every second element of a slice.
func every(n int) mpi.Layout { return mpi.Vector(n, 1, 2) }

// do does a act, and returns what has been got when it is complete, after unpack.
func (d *act) do(w *mpi.Window[int64], n int) (got []int64, stride int, err error) {
	given, op := series(n, d.value), randomOps[d.op].op
	got = make([]int64, 2*n)
	spread := make([]int64, 2*n)
	for i, v := range given {
		spread[2*i] = v
	}
	switch {
	case d.name == "fetch one":
		got[0], err = w.FetchAndOp(d.target, d.at, given[0], op)
	case d.name == "compare":
		got[0], err = w.CompareAndSwap(d.target, d.at, d.expected(), given[0])
	case d.isPlain() && d.name == "put":
		err = w.Put(d.target, d.at, given)
	case d.isPlain() && d.name == "get":
		err = w.Get(d.target, d.at, got[:n])
	case d.isPlain() && d.name == "accumulate":
		err = w.Accumulate(d.target, d.at, given, op)
	case d.isPlain():
		err = w.GetAccumulate(d.target, d.at, given, got[:n], op)
	case d.name == "put":
		err = w.PutLayout(d.target, d.at, d.layout, spread, every(n))
	case d.name == "get":
		return got, 2, w.GetLayout(d.target, d.at, d.layout, got, every(n))
	case d.name == "accumulate":
		err = w.AccumulateLayout(d.target, d.at, d.layout, spread, every(n), op)
	default:
		return got, 2, w.GetAccumulateLayout(d.target, d.at, d.layout, spread, every(n), got, every(n), op)
	}
	return got, 1, err
}

// expectation is what a act is to get.
type expectation struct {
	d      act
	want   []int64
	got    []int64
	stride int
}

func (x *expectation) check() error {
	if x.d.name == "put" || x.d.name == "accumulate" {
		return nil
	}
	for i, want := range x.want {
		if got := x.got[i*x.stride]; got != want {
			return fmt.Errorf("%s of %v from element %d of rank %d on: element %d is %d; expected %d", x.d.name, x.d.blocks, x.d.at, x.d.target, i, got, want)
		}
	}
	return nil
}

// run is the program of a rank.
func (a *accesses) run(c *mpi.Comm) error {
	w, err := mpi.AllocateWindow[int64](c, len(a.memory[c.Rank()]))
	if err != nil {
		return err
	}
	for epoch := range 5 {
		acts, kind := a.epoch(), a.rng.IntN(4)
		expected, err := a.runEpoch(w, acts, kind)
		if err != nil {
			return fmt.Errorf("epoch %d of kind %d: %w", epoch, kind, err)
		}
		for i := range expected {
			if err := expected[i].check(); err != nil {
				return fmt.Errorf("epoch %d of kind %d: %w", epoch, kind, err)
			}
		}
		if err := mpi.Barrier(c); err != nil {
			return err
		}
		if !slices.Equal(w.Memory(), a.memory[c.Rank()]) {
			return fmt.Errorf("epoch %d of kind %d: the memory is not what it is to be", epoch, kind)
		}
		if err := mpi.Barrier(c); err != nil {
			return err
		}
	}
	return w.Free()
}

// runEpoch does what this rank does in an epoch, and interprets all.
func (a *accesses) runEpoch(w *mpi.Window[int64], acts []act, kind int) ([]expectation, error) {
	var expected []expectation
	everyone := make([]int, w.Comm().Size())
	for rank := range everyone {
		everyone[rank] = rank
	}
	begin, end := a.synchronisation(w, kind, everyone)
	if err := begin(); err != nil {
		return nil, err
	}
	locked := -1
	for _, d := range acts {
		was := d.interpret(a.memory[d.target])
		if d.by != w.Comm().Rank() || len(was) == 0 {
			continue
		}
		if kind == 3 && locked != d.target { // one lock at a time
			if err := relock(w, locked, d.target); err != nil {
				return nil, err
			}
			locked = d.target
		}
		got, stride, err := d.do(w, len(was))
		if err != nil {
			return nil, err
		}
		expected = append(expected, expectation{d, was, got, stride})
	}
	if kind == 3 {
		return expected, relock(w, locked, -1)
	}
	return expected, end()
}

// relock goes from one lock to another; -1 is none.
func relock(w *mpi.Window[int64], from, to int) error {
	var err error
	if from >= 0 {
		err = w.Unlock(from)
	}
	if to >= 0 && to%2 == 0 {
		err = first(err, w.Lock(to))
	} else if to >= 0 {
		err = first(err, w.LockShared(to))
	}
	return err
}

// synchronisation returns what begins and ends an epoch.
func (a *accesses) synchronisation(w *mpi.Window[int64], kind int, everyone []int) (begin, end func() error) {
	switch kind {
	case 0:
		return w.Fence, w.Fence
	case 1:
		return w.LockAll, w.UnlockAll
	case 2:
		return func() error { return first(w.Post(everyone...), w.Start(everyone...)) },
			func() error { return first(w.Complete(), w.Wait()) }
	}
	return func() error { return nil }, nil
}

// series is n numbers that differ by seed.
func series(n int, seed int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = seed*1000003 + int64(i)
	}
	return list
}
