package mpitest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/mpi"
)

var persistentChecks = group{"persistent collective operations", []check{
	{name: "each operation, again and again", program: func(c *mpi.Comm) error { return againAndAgain(c, 1) }},
	{name: "with three ranks", ranks: 3, program: func(c *mpi.Comm) error { return againAndAgain(c, 2) }},
	{name: "with one rank", ranks: 1, program: func(c *mpi.Comm) error { return againAndAgain(c, 3) }},
	{name: "elements are those of each start", program: newElements},
	{name: "StartAll starts any", ranks: 2, program: startAny},
	{name: "broadcasts and barriers are started in any order", program: startOften},
	{name: "what is under way is neither started nor freed", program: underWay},
	{name: "what has been freed is not started", program: freedPersistent},
}}

// againAndAgain prepares all operations, and starts some of them again and again, each
// rank in an order of its own, beside operations that are not persistent.
func againAndAgain(c *mpi.Comm, seed uint64) error {
	alike, own := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, uint64(1+c.Rank())))
	var calls []collectiveCall
	var prepared []*mpi.Persistent
	var begin [][]int32
	for _, operation := range mpi.Operations() {
		d := draw(c, operation, alike).collectiveCall()
		p, err := d.prepare()
		if err != nil {
			return fmt.Errorf("%s: %w", operation, err)
		}
		calls, prepared, begin = append(calls, d), append(prepared, p), append(begin, slices.Clone(d.got))
	}
	for round := range 4 {
		chosen := alike.Perm(len(calls))[:1+alike.IntN(len(calls))]
		beside := draw(c, mpi.Operations()[alike.IntN(len(calls))], alike).collectiveCall()
		own.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		var requests []*mpi.Request
		for _, i := range chosen {
			copy(calls[i].got, begin[i])
			if err := prepared[i].Start(); err != nil {
				return err
			}
			requests = append(requests, prepared[i].Request())
		}
		if err := first(beside.call(), beside.check(), completeAll(requests, own)); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		for _, i := range chosen {
			if err := calls[i].check(); err != nil {
				return fmt.Errorf("round %d, %s: %w", round, mpi.Operations()[i], err)
			}
		}
	}
	for _, p := range prepared {
		if err := p.Free(); err != nil {
			return err
		}
	}
	return nil
}

func newElements(c *mpi.Comm) error {
	in, out := make([]int, 1), make([]int, 1)
	p, err := mpi.AllReduceInit(c, in, out, mpi.Sum[int]())
	if err != nil {
		return err
	}
	for round := range 5 {
		in[0] = round * (1 + c.Rank())
		if err := p.Start(); err != nil {
			return err
		}
		if _, err := p.Wait(); err != nil {
			return err
		}
		if want := round * c.Size() * (c.Size() + 1) / 2; out[0] != want {
			return fmt.Errorf("round %d: sum %d; expected %d", round, out[0], want)
		}
	}
	return p.Free()
}

// startOften does so with every algorithm that there is, more often than anything that is set
// aside for them is likely to last. Some are freed and prepared again meanwhile.
func startOften(c *mpi.Comm) error {
	for i, algorithm := range []string{"auto", mpi.Chain, mpi.Hierarchical} {
		err := first(c.SetAlgorithm("broadcast", algorithm), c.SetAlgorithm("barrier", algorithm))
		if errors.Is(err, mpi.ErrOp) {
			continue // the network has no such multicast
		}
		if err == nil {
			err = broadcastOften(c, uint64(i))
		}
		if err != nil {
			return fmt.Errorf("algorithm %s: %w", algorithm, err)
		}
	}
	return nil
}

func broadcastOften(c *mpi.Comm, seed uint64) error {
	alike, own := rand.New(rand.NewPCG(seed, 10)), rand.New(rand.NewPCG(seed, uint64(11+c.Rank())))
	all := make([]repeated, 5)
	for round := range 25 {
		for i := range all {
			x := &all[i]
			if x.p != nil && alike.IntN(10) > 0 {
				continue
			}
			if err := x.renew(c, alike); err != nil {
				return err
			}
		}
		order := own.Perm(len(all))
		for _, i := range order {
			all[i].fill(c, round)
			if err := all[i].p.Start(); err != nil {
				return err
			}
		}
		own.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			if err := all[i].complete(round); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
	}
	for i := range all {
		if err := all[i].p.Free(); err != nil {
			return err
		}
	}
	return nil
}

// repeated is a persistent broadcast, or a barrier.
type repeated struct {
	p    *mpi.Persistent
	root int
	data []byte // nil: a barrier
}

// renew frees the operation, and prepares another one.
func (x *repeated) renew(c *mpi.Comm, alike *rand.Rand) (err error) {
	if x.p != nil {
		if err := x.p.Free(); err != nil {
			return err
		}
	}
	if x.data, x.root = nil, alike.IntN(c.Size()); alike.IntN(3) == 0 {
		x.p, err = mpi.BarrierInit(c)
		return err
	}
	lengths := []int{1, 8, short, 4091, 4092, large}
	x.data = make([]byte, lengths[alike.IntN(len(lengths))])
	x.p, err = mpi.BroadcastInit(c, x.root, x.data)
	return err
}

func (x *repeated) fill(c *mpi.Comm, round int) {
	clear(x.data)
	if c.Rank() == x.root {
		copy(x.data, text(len(x.data), round))
	}
}

func (x *repeated) complete(round int) error {
	if _, err := x.p.Wait(); err != nil {
		return err
	}
	return same("a broadcast", x.data, text(len(x.data), round))
}

// Sends, receives and collective operations are started alike.
func startAny(c *mpi.Comm) error {
	in, out, total := []int{c.Rank()}, []int{-1}, []int{-1}
	send, err := mpi.SendInit(c, 1-c.Rank(), 0, in)
	if err != nil {
		return err
	}
	receive, err := mpi.ReceiveInit(c, 1-c.Rank(), 0, out)
	if err != nil {
		return err
	}
	sum, err := mpi.AllReduceInit(c, in, total, mpi.Sum[int]())
	if err != nil {
		return err
	}
	for range 3 {
		out[0], total[0] = -1, -1
		if err := mpi.StartAll(send, receive, sum); err != nil {
			return err
		}
		if err := mpi.WaitAll(sum.Request(), send.Request(), receive.Request()); err != nil {
			return err
		}
		if out[0] != 1-c.Rank() || total[0] != 1 {
			return fmt.Errorf("received %d, sum %d; expected %d and 1", out[0], total[0], 1-c.Rank())
		}
	}
	return first(send.Free(), receive.Free(), sum.Free())
}

// underWay lets all but the last rank come to a barrier, which is then not complete.
func underWay(c *mpi.Comm) error {
	p, err := mpi.BarrierInit(c)
	if err != nil {
		return err
	}
	last := c.Size() - 1
	if c.Rank() == last {
		for rank := range last {
			if err := awaitSignal(c, rank); err != nil {
				return err
			}
		}
	}
	if err := p.Start(); err != nil {
		return err
	}
	if c.Rank() < last {
		if err := first(refused("Start", p.Start()), refused("Free", p.Free()), signal(c, last)); err != nil {
			return err
		}
	}
	if _, err := p.Wait(); err != nil {
		return err
	}
	return p.Free()
}

func refused(call string, err error) error {
	if !errors.Is(err, mpi.ErrRequest) {
		return fmt.Errorf("%s: error %v; expected ErrRequest", call, err)
	}
	return nil
}

func freedPersistent(c *mpi.Comm) error {
	p, err := mpi.BarrierInit(c)
	if err != nil {
		return err
	}
	if err := p.Start(); err != nil {
		return err
	}
	if _, err := p.Wait(); err != nil {
		return err
	}
	if err := p.Free(); err != nil {
		return err
	}
	return first(refused("Start", p.Start()), refused("Free", p.Free()))
}
