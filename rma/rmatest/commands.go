package rmatest

import (
	"encoding/binary"
	"errors"
	"fmt"

	"musubi/rma"
	"musubi/units"
)

// commandOrder posts puts and NOPs, some at a time, and looks at the target when they are
// complete.
func commandOrder(w *World, p rma.Commander) error {
	memory := make([]byte, area*w.Packet)
	segment := p.Expose(memory)
	if p.Rank() == 1 {
		return meet(p)
	}
	q, err := openBox(p, rma.QueueConfig{Entries: 8})
	if err != nil {
		return err
	}
	rng, want := random(p), make([]byte, len(memory))
	for round := range 20 {
		commands := make([]rma.Command, 1+rng.IntN(8))
		for i := range commands {
			n := min(w.length(rng), len(want))
			if n == 0 {
				continue // a NOP
			}
			at := rng.IntN(len(want) - n + 1)
			data := text(round, i, n)
			copy(want[at:], data)
			commands[i] = put(rma.Address{Rank: 1, Segment: segment, Offset: at}, 0, data)
		}
		if err := q.do(commands...); err != nil {
			return err
		}
		got, err := read(p, rma.Address{Rank: 1, Segment: segment}, len(want))
		if err != nil {
			return err
		}
		if err := same(fmt.Sprint("memory after round ", round), got, want); err != nil {
			return err
		}
	}
	return errors.Join(q.Close(), meet(p))
}

// put returns a command that writes data to an address by way of a queue there.
func put(to rma.Address, target int, data []byte) rma.Command {
	return rma.Command{Put: true, To: to, Data: data, TargetQueue: rma.QueueAddress{Rank: to.Rank, Queue: target}}
}

// release returns a command that advances a queue.
func release(rank, queue, steps int) rma.Command {
	return rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: rank, Queue: queue}, Advance: steps}
}

// putOrder sends data, and then a put that announces it in memory.
func putOrder(w *World, p rma.Commander) error {
	const rounds = 40
	memory := make([]byte, 3*w.Packet+8)
	told := memory[3*w.Packet:]
	segment := p.Expose(memory)
	q, numbers, err := openBoxes(p, rma.QueueConfig{})
	if err != nil {
		return err
	}
	rng := newRandom(3, 3) // the same on both ranks
	for i := range rounds {
		n := 1 + rng.IntN(3*w.Packet)
		data, mark := text(0, i, n), binary.LittleEndian.AppendUint64(nil, uint64(i+1))
		if p.Rank() == 0 {
			there := rma.Address{Rank: 1, Segment: segment}
			end := there
			end.Offset = 3 * w.Packet
			if err := q.do(put(there, numbers[1], data), put(end, numbers[1], mark)); err != nil {
				return err
			}
			if err := q.until(0, i+1); err != nil { // the other has looked
				return err
			}
			continue
		}
		if err := p.WaitUntil(func() bool { return told[0] == mark[0] }); err != nil {
			return err
		}
		if err := same(fmt.Sprint("data of round ", i), memory[:n], data); err != nil {
			return err
		}
		if err := q.do(rma.Command{Put: true, TargetQueue: rma.QueueAddress{Queue: numbers[0]}, Notice: true}); err != nil {
			return err
		}
	}
	return meet(p)
}

// notices lets ranks 1 and 2 put data for rank 0, and nothing.
func notices(w *World, p rma.Commander) error {
	const each = 30
	size := func(from, i int) int { return (from + i) % 3 * w.Packet * 2 / 3 }
	memory := make([]byte, 2*each*2*w.Packet)
	at := func(from, i int) int { return ((from-1)*each + i) * 2 * w.Packet }
	segment := p.Expose(memory)
	q, numbers, err := openBoxes(p, rma.QueueConfig{Session: p.Rank() == 0})
	if err != nil {
		return err
	}
	if from := p.Rank(); from > 0 {
		for i := range each {
			c := put(rma.Address{Segment: segment, Offset: at(from, i)}, numbers[0], text(from, i, size(from, i)))
			c.Notice, c.Word = true, uint64(from)<<60+uint64(i)
			if err := q.do(c); err != nil {
				return err
			}
		}
		return meet(p)
	}
	next := make([]int, 3)
	for seen := range 2 * each {
		if err := q.until(0, seen+1); err != nil {
			return err
		}
		n := q.notices[seen]
		if n.From < 1 || n.From > 2 || n.Word != uint64(n.From)<<60+uint64(next[n.From]) {
			return fmt.Errorf("notice %d is %+v; expected number %v of its sender", seen, n, next)
		}
		i := next[n.From]
		next[n.From]++
		got := memory[at(n.From, i):][:size(n.From, i)]
		if err := same(fmt.Sprintf("put %d of rank %d", i, n.From), got, text(n.From, i, len(got))); err != nil {
			return err
		}
	}
	return meet(p)
}

// manyNotices has rank 1 leave more notices than there is room for, while rank 0 takes none.
func manyNotices(_ *World, p rma.Commander) error {
	const most = 1 << 12
	q, numbers, err := openBoxes(p, rma.QueueConfig{})
	if err != nil {
		return err
	}
	if p.Rank() == 1 {
		c := release(0, numbers[0], 0)
		for i := range most {
			c.Notice, c.Word = true, uint64(i)
			for err = q.Post(c); errors.Is(err, rma.ErrQueueFull); err = q.Post(c) {
				if err := q.until(len(q.results)+1, 0); err != nil {
					return err
				}
			}
			if err != nil {
				return err
			}
		}
		return errors.Join(q.until(most, 0), errors.Join(q.results...), meet(p))
	}
	p.Compute(500 * units.Microsecond)
	if err := q.until(0, most); err != nil {
		return err
	}
	for i, n := range q.notices {
		if n != (rma.Notice{From: 1, Word: uint64(i)}) {
			return fmt.Errorf("notice %d is %+v", i, n)
		}
	}
	return meet(p)
}

// noTargetQueue puts data without a target queue, so that nobody gets a notice.
func noTargetQueue(w *World, p rma.Commander) error {
	memory := make([]byte, w.Packet)
	segment := p.Expose(memory)
	data := text(0, 1, w.Packet)
	if p.Rank() == 1 {
		last := len(data) - 1
		if err := p.WaitUntil(func() bool { return memory[last] == data[last] }); err != nil {
			return err
		}
		return errors.Join(same("data that no queue took", memory, data), meet(p))
	}
	q, err := openBox(p, rma.QueueConfig{})
	if err != nil {
		return err
	}
	empty := rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: 1}}
	return errors.Join(q.do(empty, put(rma.Address{Rank: 1, Segment: segment}, 0, data), empty), meet(p))
}

// commandsAndMessages waits with one call for an event of a queue and for a message.
func commandsAndMessages(_ *World, p rma.Commander) error {
	q, numbers, err := openBoxes(p, rma.QueueConfig{})
	if err != nil {
		return err
	}
	other := 1 - p.Rank()
	for i := range 20 {
		if i%2 == p.Rank() {
			c := release(other, numbers[other], 0)
			c.Notice, c.Word = true, uint64(i)
			if err := errors.Join(q.do(c), send(p, other, nil)); err != nil {
				return err
			}
			continue
		}
		arrived := false
		for had := len(q.notices); !arrived || len(q.notices) == had; q.collect() {
			if err := p.AwaitUntil(func() bool { return len(q.notices) == had && q.HasEvent() }); err != nil {
				return err
			}
			here, err := p.Poll()
			if err != nil {
				return err
			}
			if here {
				arrived = true
				if err := drop(p); err != nil {
					return err
				}
			}
		}
	}
	return meet(p)
}
