package rmatest

import (
	"encoding/binary"
	"fmt"

	"musubi/rma"
	"musubi/units"
)

// Checks of command queues. Where a world has none they pass.
var commandChecks = []check{
	{"commands complete in order", 2, withCommands(commandOrder)},
	{"puts with the same target come in order", 2, withCommands(putOrder)},
	{"a session queue carries out what has been released, and no more", 2, withCommands(sessionRelease)},
	{"a scheduling pointer may be ahead of the commands", 2, withCommands(sessionAhead)},
	{"a queue releases its own commands", 1, withCommands(selfRelease)},
	{"notices say who has put what", 3, withCommands(notices)},
	{"notices that find no room wait", 2, withCommands(manyNotices)},
	{"puts that no queue takes", 2, withCommands(noTargetQueue)},
	{"a full queue has room again", 1, withCommands(fullQueue)},
	{"queues run out, and come back", 1, withCommands(outOfQueues)},
	{"mistakes in commands are told, and others are carried out", 2, withCommands(commandMistakes)},
	{"queues that cannot be are refused", 1, withCommands(badQueues)},
	{"a closed queue takes nothing", 2, withCommands(closedQueue)},
	{"commands beside messages", 2, withCommands(commandsAndMessages)},
	{"a queue serves the ranks of a host", 3, withCommands(hostQueue)},
	{"exchanges with a queue for each neighbour", exchangeRanks, withCommands(exchangeEach)},
	{"exchanges with one queue for all neighbours", exchangeRanks, withCommands(exchangeOne)},
}

// withCommands skips a check where there are no command queues.
func withCommands(program func(w *World, p rma.Commander) error) func(*World, rma.Process) error {
	return func(w *World, p rma.Process) error {
		if c, ok := p.(rma.Commander); ok {
			return program(w, c)
		}
		return nil
	}
}

// box is a queue with the events that have been taken from it.
type box struct {
	rma.Queue
	p       rma.Commander
	results []error // of completions
	notices []rma.Notice
}

// openBox opens a queue on any engine.
func openBox(p rma.Commander, c rma.QueueConfig) (*box, error) {
	c.Engine = rma.Any
	q, err := p.OpenQueue(c)
	return &box{Queue: q, p: p}, err
}

// openBoxes opens a queue at each rank, and tells all ranks the numbers of the queues.
func openBoxes(p rma.Commander, c rma.QueueConfig) (*box, []int, error) {
	b, err := openBox(p, c)
	if err != nil {
		return nil, nil, err
	}
	numbers, err := share(p, b.Number())
	return b, numbers, err
}

// collect takes all events.
func (b *box) collect() {
	for done, err := b.Completion(); done; done, err = b.Completion() {
		b.results = append(b.results, err)
	}
	for n, ok := b.Notice(); ok; n, ok = b.Notice() {
		b.notices = append(b.notices, n)
	}
}

// until waits until so many completions and notices have been taken since it was opened.
func (b *box) until(completions, notices int) error {
	for b.collect(); len(b.results) < completions || len(b.notices) < notices; b.collect() {
		if err := b.p.WaitUntil(b.HasEvent); err != nil {
			return err
		}
	}
	return nil
}

// do posts commands and waits for them. It fails if one does.
func (b *box) do(commands ...rma.Command) error {
	if err := b.Post(commands...); err != nil {
		return err
	}
	from := len(b.results)
	if err := b.until(from+len(commands), 0); err != nil {
		return err
	}
	for i, err := range b.results[from:] {
		if err != nil {
			return fmt.Errorf("command %d of %d: %w", i, len(commands), err)
		}
	}
	return nil
}

// stays fails if more than so many completions arrive, although there is time.
func (b *box) stays(completions int) error {
	for range 5 {
		b.p.Compute(20 * units.Microsecond)
		if b.collect(); len(b.results) != completions {
			return fmt.Errorf("%d commands of a queue have been carried out; expected %d", len(b.results), completions)
		}
	}
	return nil
}

// share tells all ranks a number of each rank. No rank goes on before all have called it.
func share(p rma.Process, number int) ([]int, error) {
	all := make([]byte, 8*p.Size())
	binary.LittleEndian.PutUint64(all[8*p.Rank():], uint64(number))
	if p.Rank() > 0 {
		if err := send(p, 0, all[8*p.Rank():][:8]); err != nil {
			return nil, err
		}
		if err := takeInto(p, func(int) []byte { return all }); err != nil {
			return nil, err
		}
	} else if err := collectAndSend(p, all); err != nil {
		return nil, err
	}
	numbers := make([]int, p.Size())
	for i := range numbers {
		numbers[i] = int(binary.LittleEndian.Uint64(all[8*i:]))
	}
	return numbers, nil
}

// collectAndSend does the part of rank 0 in share.
func collectAndSend(p rma.Process, all []byte) error {
	for range p.Size() - 1 {
		if err := takeInto(p, func(from int) []byte { return all[8*from:][:8] }); err != nil {
			return err
		}
	}
	for to := 1; to < p.Size(); to++ {
		if err := send(p, to, all); err != nil {
			return err
		}
	}
	return nil
}

func send(p rma.Process, to int, data []byte) error {
	op, err := p.IPush(to, data, rma.DMA)
	return done(p, op, err)
}

// takeInto takes a short message to its place.
func takeInto(p rma.Process, place func(from int) []byte) error {
	a, err := p.Next()
	if err != nil {
		return err
	}
	return p.Take(a, place(a.From), rma.Cached)
}

// meet returns when all ranks have called it.
func meet(p rma.Process) error {
	_, err := share(p, 0)
	return err
}
