package rmatest

import (
	"errors"
	"fmt"

	"musubi/rma"
)

// fullQueue fills a queue whose commands are not released.
func fullQueue(_ *World, p rma.Commander) error {
	q, err := openBox(p, rma.QueueConfig{Session: true, Entries: 3})
	if err != nil {
		return err
	}
	if q.Entries() < 3 {
		return fmt.Errorf("a queue has %d entries; 3 were wanted", q.Entries())
	}
	other, err := openBox(p, rma.QueueConfig{})
	if err != nil {
		return err
	}
	full := func(n int) error {
		if err := q.Post(make([]rma.Command, n)...); !errors.Is(err, rma.ErrQueueFull) {
			return fmt.Errorf("posting %d commands to a queue without room for them says: %v; expected ErrQueueFull", n, err)
		}
		return nil
	}
	n := q.Entries()
	for round := range 3 {
		if err := errors.Join(full(n+1), q.Post(make([]rma.Command, n-1)...), full(2), q.Post(rma.Command{}), full(1)); err != nil {
			return err
		}
		if err := errors.Join(other.do(release(0, q.Number(), n)), q.until(n*(round+1), 0)); err != nil {
			return err
		}
	}
	return errors.Join(q.Close(), other.Close())
}

// fewQueues are fewer than there are.
const fewQueues = 4

// outOfQueues opens all queues that there are.
func outOfQueues(_ *World, p rma.Commander) error {
	const patience = 1 << 10
	open, numbers := []rma.Queue{}, map[int]bool{}
	for free := p.FreeQueues(); ; free-- {
		if got := p.FreeQueues(); got != free || got > patience {
			return fmt.Errorf("%d queues are open and %d free; expected %d, and no more than %d", len(open), got, free, patience)
		}
		q, err := p.OpenQueue(rma.QueueConfig{Engine: rma.Any})
		if errors.Is(err, rma.ErrNoQueue) && free == 0 {
			break
		}
		if err != nil || free == 0 {
			return fmt.Errorf("opening a queue with %d free says: %w", free, err)
		}
		if numbers[q.Number()] || q.Number() < 1 || q.Engine() < 0 || q.Engine() >= p.Engines() {
			return fmt.Errorf("queue %d on engine %d of %d; open are %v", q.Number(), q.Engine(), p.Engines(), numbers)
		}
		numbers[q.Number()] = true
		open = append(open, q)
	}
	if len(open) < fewQueues {
		return fmt.Errorf("a process has %d queues; expected at least %d", len(open), fewQueues)
	}
	for range 2 {
		if err := open[1].Close(); err != nil {
			return err
		}
		again, err := openBox(p, rma.QueueConfig{})
		if err != nil {
			return err
		}
		if err := again.do(release(0, again.Number(), 0)); err != nil {
			return err
		}
		open[1] = again.Queue
	}
	for _, q := range open {
		if err := q.Close(); err != nil {
			return err
		}
	}
	return nil
}

// badQueues asks for queues that cannot be.
func badQueues(_ *World, p rma.Commander) error {
	free := p.FreeQueues()
	for _, c := range []rma.QueueConfig{
		{Engine: p.Engines()}, {Engine: rma.Any - 1}, {Entries: -1}, {Entries: 1 << 40}, {Session: true, Lead: -1},
	} {
		if _, err := p.OpenQueue(c); err == nil {
			return fmt.Errorf("a queue like %+v can be opened", c)
		}
	}
	if p.FreeQueues() != free {
		return fmt.Errorf("%d of %d queues are free after none could be opened", p.FreeQueues(), free)
	}
	return nil
}

// commandMistakes puts mistakes between commands that can be carried out.
func commandMistakes(_ *World, p rma.Commander) error {
	memory := make([]byte, 100)
	segment := p.Expose(memory)
	q, numbers, err := openBoxes(p, rma.QueueConfig{})
	if err != nil {
		return err
	}
	if p.Rank() == 1 {
		return meet(p)
	}
	there := rma.Address{Rank: 1, Segment: segment}
	notThere, before, beyond := there, there, there
	notThere.Segment++
	before.Offset, beyond.Offset = -1, 91
	wrongTaker := put(there, numbers[1], []byte{9})
	wrongTaker.TargetQueue.Rank = 0
	for i, c := range []struct {
		what string
		rma.Command
	}{
		{"to a segment that is not exposed", put(notThere, numbers[1], []byte{9})},
		{"to a segment below 0", put(rma.Address{Rank: 1, Segment: -1}, 0, []byte{9})},
		{"before a segment", put(before, numbers[1], []byte{9})},
		{"over the end of a segment", put(beyond, numbers[1], make([]byte, 10))},
		{"to a rank too many", put(rma.Address{Rank: 2}, 0, []byte{9})},
		{"to a rank below 0", put(rma.Address{Rank: -1}, 0, nil)},
		{"by a queue of another rank", wrongTaker},
		{"by a queue that is not open", put(there, numbers[1]+1, []byte{9})},
		{"by a queue that is not there", put(there, 1<<40, []byte{9})},
		{"by a queue below 0", put(there, -1, []byte{9})},
		{"that goes back", release(1, numbers[1], -1)},
	} {
		if err := mistakenCommand(q, c.Command, put(there, numbers[1], []byte{byte(i + 1)})); err != nil {
			return fmt.Errorf("a put %s: %w", c.what, err)
		}
		got, err := read(p, there, 100)
		if err != nil {
			return err
		}
		if err := same("memory after a put "+c.what, got, append([]byte{byte(i + 1)}, make([]byte, 99)...)); err != nil {
			return err
		}
	}
	return meet(p)
}

// mistakenCommand posts a command that must fail, and others around it that must not.
// Post may refuse all.
func mistakenCommand(q *box, wrong, right rma.Command) error {
	from := len(q.results)
	if q.Post(rma.Command{}, wrong, right) != nil {
		return q.do(rma.Command{}, right)
	}
	if err := q.until(from+3, 0); err != nil {
		return err
	}
	if r := q.results[from:]; r[0] != nil || r[1] == nil || r[2] != nil {
		return fmt.Errorf("it ends with %v between commands that end with %v and %v; expected that it alone fails", r[1], r[0], r[2])
	}
	return nil
}

// closedQueue puts to a queue that is open, closed, and open again.
func closedQueue(_ *World, p rma.Commander) error {
	q, numbers, err := openBoxes(p, rma.QueueConfig{})
	if err != nil {
		return err
	}
	for _, open := range []bool{true, false, true} {
		if p.Rank() == 0 {
			notice := release(1, numbers[1], 0)
			notice.Notice = true
			if err := q.do(notice); (err == nil) != open {
				return fmt.Errorf("a put to a queue, of which it is %v that it is open, ends with: %v", open, err)
			}
		}
		if err := meet(p); err != nil {
			return err
		}
		if p.Rank() == 1 {
			if q, err = openOrClose(p, q, open); err != nil {
				return err
			}
		}
		if numbers, err = share(p, q.Number()); err != nil {
			return err
		}
	}
	return nil
}

// openOrClose closes a queue that has had a notice, or opens another one.
func openOrClose(p rma.Commander, q *box, open bool) (*box, error) {
	if !open {
		again, err := openBox(p, rma.QueueConfig{})
		if err == nil && again.HasEvent() {
			err = errors.New("a new queue tells of something")
		}
		return again, err
	}
	if err := q.until(0, 1); err != nil {
		return q, err
	}
	if err := q.Close(); err != nil {
		return q, err
	}
	if q.Close() == nil || q.Post(rma.Command{}) == nil {
		return q, errors.New("a closed queue can be closed or used again")
	}
	return q, nil
}
