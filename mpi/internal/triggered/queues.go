package triggered

import (
	"errors"

	"musubi/rma"
)

// info is what each rank tells all others.
type info struct {
	Able    int64 // 1: it has a queue for each step, and the elements are few enough
	Bytes   int64 // of its elements
	Segment int64
	Queues  [mostSteps]int64
}

// open opens a queue for each step, and exposes the blocks. It fails only if the machine does; a rank
// without enough queues is not able.
func (x *operation) open(steps, most int) (own info, err error) {
	p, ok := x.e.Process.(rma.Commander)
	bytes := x.c.Size() * len(x.r.In)
	own.Bytes = int64(len(x.r.In))
	if !ok || bytes > mostBytes || most > 0 && steps > most || p.FreeQueues() < steps {
		return own, nil
	}
	if known, ok := p.(rma.QueueCoster); ok {
		x.software = known.QueueCosts().Software
	}
	for k := range steps {
		q, err := p.OpenQueue(rma.QueueConfig{Session: k > 0, Engine: rma.Any, Entries: len(x.step(k, steps, nil, 0))})
		switch {
		case errors.Is(err, rma.ErrNoQueue):
			return info{Bytes: own.Bytes}, x.close()
		case err != nil:
			return own, errors.Join(err, x.close())
		}
		x.queues = append(x.queues, q)
		own.Queues[k] = int64(q.Number())
	}
	own.Able = 1
	memory := make([]byte, 2*bytes)
	x.blocks = [2][]byte{memory[:bytes], memory[bytes:]}
	if bytes > 0 {
		x.segment = x.e.Process.Expose(memory)
		own.Segment = int64(x.segment)
	}
	return own, nil
}

// prepare makes the commands, when the queues of all ranks are known.
func (x *operation) prepare(all []info) {
	x.incomplete = make([]int, len(x.queues))
	for odd := range x.commands {
		for k := range x.queues {
			x.commands[odd] = append(x.commands[odd], x.step(k, len(x.queues), all, odd))
		}
	}
}

// step returns the commands of a step. The first one waits for nothing. The others have a gate, as
// MRC has: two puts arrive, that of the partner in the step before and one of this rank itself, when
// it has done that step. The first advances the scheduling pointer beyond a NOP; the second releases
// a put to the queue itself, and that one the rest.
//
// The partner may be a round ahead, and its put may come instead of this rank's own. That is as good:
// it has ended its round, so this rank has done the step. Without info of all ranks the commands are
// good for being counted.
func (x *operation) step(k, steps int, all []info, odd int) []rma.Command {
	var puts []rma.Command
	last := k == steps-1
	to := x.c.Rank() ^ 1<<k
	puts = append(puts, x.put(to, min(k+1, steps-1), all))
	puts[0].Notice = last
	if !last {
		puts[0].Advance = 1
		own := x.put(x.c.Rank(), k+1, all)
		own.Advance = 1
		puts = append(puts, own)
	}
	if n := len(x.r.In); n > 0 && all != nil {
		first := (x.c.Rank() >> k << k) * n
		puts[0].Data = x.blocks[odd][first : first+n<<k]
		puts[0].To = rma.Address{Rank: puts[0].TargetQueue.Rank, Segment: int(all[to].Segment), Offset: odd*len(x.blocks[0]) + first}
	}
	if k == 0 {
		return puts
	}
	gate := x.put(x.c.Rank(), k, all)
	gate.Advance = len(puts)
	return append([]rma.Command{{}, gate}, puts...)
}

// put returns a put to the queue of a step at a rank.
func (x *operation) put(rank, step int, all []info) rma.Command {
	c := rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: int(x.c.Process(rank))}}
	if all != nil {
		c.TargetQueue.Queue = int(all[rank].Queues[step])
	}
	return c
}

// close gives back queues and memory.
func (x *operation) close() error {
	var err error
	for _, q := range x.queues {
		err = errors.Join(err, q.Close())
	}
	x.queues = nil
	if x.segment != 0 {
		err = errors.Join(err, x.e.Process.Withdraw(x.segment))
		x.segment = 0
	}
	return err
}
