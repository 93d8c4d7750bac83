package rmatest

import (
	"errors"
	"fmt"
	"slices"

	"musubi/rma"
)

// hostQueue has rank 0 post commands with data of the ranks of its host, one for each rank, and a NOP
// for one of another host. Each rank releases one of them; those of the host see how many are
// complete, also when the queue is closed.
func hostQueue(w *World, c rma.Commander) error {
	p, ok := c.(rma.HostCommander)
	if !ok {
		return nil
	}
	ranks := p.Size()
	own, sink := make([]byte, w.Packet), make([]byte, w.Packet*ranks)
	segments := [2]int{p.Expose(own), p.Expose(sink)}
	q, numbers, err := openBoxes(p, rma.QueueConfig{Session: true})
	if err != nil {
		return err
	}
	agents := rma.QueueAddress{Queue: numbers[0]}
	completed := func() uint64 { return 0 }
	onHost := slices.Contains(p.HostRanks(), 0)
	if onHost {
		if completed, err = p.ProgressOf(agents); err != nil {
			return err
		}
	}
	const rounds = 3
	for round := range rounds {
		copy(own, text(p.Rank(), round, w.Packet))
		if p.Rank() == 0 {
			if err := postForHost(p, q, segments, w.Packet); err != nil {
				return err
			}
		}
		op, err := p.Release(agents, 1)
		if err := done(p, op, err); err != nil {
			return err
		}
		all := uint64((round + 1) * ranks)
		if err := p.WaitUntil(func() bool { return !onHost || completed() >= all }); err != nil {
			return err
		}
		if err := meet(p); err != nil {
			return err
		}
		for rank := range ranks {
			if p.Rank() == ranks-1 && sink[rank*w.Packet] != 0 {
				if err := same(fmt.Sprint("data of rank ", rank), sink[rank*w.Packet:][:w.Packet], text(rank, round, w.Packet)); err != nil {
					return err
				}
			} else if p.Rank() == ranks-1 && rank == 0 {
				return fmt.Errorf("nothing has come from rank 0 in round %d", round)
			}
		}
		if err := meet(p); err != nil {
			return err
		}
	}
	if p.Rank() == 0 {
		err = q.until(rounds*ranks, 0)
	}
	if err := errors.Join(err, q.Close(), meet(p)); err != nil {
		return err
	}
	if got := completed(); onHost && got != uint64(rounds*ranks) {
		return fmt.Errorf("%d commands of a closed queue are complete; expected %d", got, rounds*ranks)
	}
	return hostMistakes(p, agents)
}

// postForHost posts a command for each rank.
func postForHost(p rma.HostCommander, q *box, segments [2]int, n int) error {
	if err := q.until(len(q.results), 0); err != nil {
		return err
	}
	var commands []rma.Command
	for rank := range p.Size() {
		if !slices.Contains(p.HostRanks(), rank) {
			commands = append(commands, rma.Command{})
			continue
		}
		data, err := p.MemoryOf(rma.Address{Rank: rank, Segment: segments[0]}, n)
		if err != nil {
			return err
		}
		commands = append(commands, put(rma.Address{Rank: p.Size() - 1, Segment: segments[1], Offset: rank * n}, 0, data))
	}
	return q.Post(commands...)
}

// hostMistakes asks for what is not there.
func hostMistakes(p rma.HostCommander, closed rma.QueueAddress) error {
	if list := p.HostRanks(); !slices.Contains(list, p.Rank()) || !slices.IsSorted(list) || list[0] < 0 || list[len(list)-1] >= p.Size() {
		return fmt.Errorf("HostRanks of rank %d are %v; expected ranks of the job in ascending order, and it among them", p.Rank(), list)
	}
	if _, err := p.MemoryOf(rma.Address{Rank: p.Rank(), Segment: 1 << 20}, 1); err == nil {
		return errors.New("MemoryOf finds a segment that is not exposed")
	}
	if _, err := p.ProgressOf(closed); err == nil {
		return errors.New("call ProgressOf finds a queue that is closed")
	}
	if _, err := p.Release(closed, 0); err == nil {
		return errors.New("call Release takes 0 steps")
	}
	if _, err := p.Release(rma.QueueAddress{Rank: p.Size(), Queue: 1}, 1); err == nil {
		return errors.New("call Release takes a rank that does not exist")
	}
	op, err := p.Release(closed, 1)
	if err := done(p, op, err); err == nil {
		return errors.New("call Release of a closed queue does not fail")
	}
	return nil
}
