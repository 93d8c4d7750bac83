package dma

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/machine"
	"musubi/units"
)

// onTofu runs a program on adjacent nodes.
func onTofu(t *testing.T, ranks int, program func(rma.Commander) error, set ...string) error {
	t.Helper()
	spec, hosts := cycle(ranks)
	return newTofu(t, spec, hosts, set...).Run(func(p rma.Process) error { return program(p.(*atomicCollector).commander) })
}

// finish takes n completions.
func finish(p rma.Process, q rma.Queue, n int) error {
	for n > 0 {
		done, err := q.Completion()
		switch {
		case err != nil:
			return err
		case done:
			n--
		default:
			if err := p.WaitUntil(q.HasEvent); err != nil {
				return err
			}
		}
	}
	return nil
}

// open opens a queue in normal mode.
func open(p rma.Commander, engine int) (rma.Queue, error) {
	return p.OpenQueue(rma.QueueConfig{Engine: engine})
}

// The way of a put is the stages that the documentation lists, and that of a Push the same.
func TestPutIsTheSumOfItsStages(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		ranks := 2 + rng.IntN(7)
		n, to := 1+rng.IntN(1920), 1+rng.IntN(ranks-1)
		hops := min(to, ranks-to)
		var began, seen, complete [2]units.Time // by queue, by Push
		var m *machine.Machine
		for way := range 2 {
			err := onTofu(t, ranks, func(p rma.Commander) error {
				m = p.(*commander).d.Machine
				inbox, data := make([]byte, n), make([]byte, n)
				p.Expose(inbox)
				if p.Rank() == to {
					err := p.WaitUntil(func() bool { return inbox[n-1] == 1 })
					seen[way] = p.Now()
					return err
				}
				if p.Rank() > 0 {
					return nil
				}
				data[n-1] = 1
				began[way] = p.Now()
				defer func() { complete[way] = p.Now() }()
				if way == 1 {
					op, err := p.Push(rma.Address{Rank: to}, data, rma.DMA)
					if err != nil {
						return err
					}
					return p.Wait(op)
				}
				q, err := open(p, rma.Any)
				if err == nil {
					err = q.Post(rma.Command{Put: true, To: rma.Address{Rank: to}, Data: data, TargetQueue: rma.QueueAddress{Rank: to}})
				}
				if err == nil {
					err = p.WaitUntil(q.HasEvent)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		wire := m.Link.Rate.Transfer(units.Bytes(m.PacketFlits(units.Bytes(n))) * m.Link.Flit)
		bus := m.Bus.Rate.Transfer(units.Bytes(n))
		way := units.Time(hops+1)*m.Switch.Latency + units.Time(hops)*m.Link.Cable
		// A packet leaves while it is read and is written while it comes; the slower of
		// bus and link counts once.
		want := sectionOf(m).Queue.Command + m.Host.Post + m.NIC.Start + max(wire, bus) + way + m.NIC.Receive + m.Host.Poll
		if got := seen[1] - began[1]; got < want || got > want+bus {
			t.Errorf("seed %d: a Push of %d bytes over %d hops takes %v; its stages take %v", seed, n, hops, got, want)
		}
		if got := seen[0] - began[0]; got != seen[1]-began[1] {
			t.Errorf("seed %d: a put takes %v, a Push %v; want the same", seed, got, seen[1]-began[1])
		}
		if got := complete[0] - began[0]; got != complete[1]-began[1] {
			t.Errorf("seed %d: a put is complete after %v, a Push after %v; want the same", seed, got, complete[1]-began[1])
		}
	}
}

// Four engines send as fast as one to different nodes, and one engine sends one after the
// other, from one queue or from several.
func TestEnginesSendAtATime(t *testing.T) {
	const n = 256 << 10
	took := func(queues int, engine func(i int) int) units.Time {
		var end units.Time
		c := newTofu(t, "tofu:3x3x1x1x1x1", []int{0, 1, 2, 3, 6}) // rank 0 and its four neighbours
		err := c.Run(func(p rma.Process) error {
			p.Expose(make([]byte, n))
			if p.Rank() > 0 {
				return nil
			}
			var open []rma.Queue
			for i := range queues {
				q, err := p.(rma.Commander).OpenQueue(rma.QueueConfig{Engine: engine(i)})
				if err != nil {
					return err
				}
				open = append(open, q)
			}
			data := make([]byte, n)
			for i := range 4 {
				to := 1 + i
				err := open[i%queues].Post(rma.Command{Put: true, To: rma.Address{Rank: to}, Data: data, TargetQueue: rma.QueueAddress{Rank: to}})
				if err != nil {
					return err
				}
			}
			for _, q := range open {
				if err := finish(p, q, 4/queues); err != nil {
					return err
				}
			}
			end = p.Now()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return end
	}
	one := took(1, func(int) int { return 0 })
	shared := took(4, func(int) int { return 2 })
	four := took(4, func(i int) int { return i })
	if ratio := float64(one) / float64(four); ratio < 3.6 || ratio > 4 {
		t.Errorf("four puts take %v by one engine and %v by four", one, four)
	}
	if off := float64(shared)/float64(one) - 1; off < -0.02 || off > 0.02 {
		t.Errorf("four puts take %v by one queue and %v by four of the same engine", one, shared)
	}
}

// Puts of one queue to one process are written in their order, whichever engines there
// take them and however busy these are.
func TestPutsKeepTheirOrder(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		const puts, most, flood = 40, 8 << 10, 128 << 10
		sizes := make([]int, puts)
		takers := make([]int, puts)
		for i := range sizes {
			sizes[i], takers[i] = 1+rng.IntN(most), 1
			if seed%2 == 1 {
				takers[i] = rng.IntN(4)
			}
		}
		err := onTofu(t, 3, func(p rma.Commander) error {
			boxes := make([][]byte, puts)
			for i := range boxes {
				boxes[i] = make([]byte, sizes[i])
				p.Expose(boxes[i])
			}
			p.Expose(make([]byte, flood))
			if p.Rank() == 2 { // keeps an engine of rank 1 busy
				q, err := open(p, rma.Any)
				for i := 0; err == nil && i < 4; i++ {
					err = q.Post(rma.Command{
						Put: true, To: rma.Address{Rank: 1, Segment: puts}, Data: make([]byte, flood),
						TargetQueue: rma.QueueAddress{Rank: 1, Queue: 1},
					})
				}
				if err == nil {
					err = finish(p, q, 4)
				}
				return err
			}
			if p.Rank() == 1 {
				for e := range 3 {
					if _, err := open(p, e); err != nil {
						return err
					}
				}
				written := 0
				return p.WaitUntil(func() bool {
					whole := func(b []byte) bool { return !slices.Contains(b, 0) }
					for i := puts - 1; i >= written; i-- {
						if !whole(boxes[i]) {
							continue
						}
						for k := range i {
							if !whole(boxes[k]) {
								panic(fmt.Sprintf("seed %d: put %d is there before put %d", seed, i, k))
							}
						}
						written = i + 1
					}
					return written == puts
				})
			}
			// What else it sends takes its turns at one of its engines.
			if _, err := p.Push(rma.Address{Rank: 2, Segment: puts}, make([]byte, flood), rma.DMA); err != nil {
				return err
			}
			q, err := open(p, int(seed%4))
			for i := 0; err == nil && i < puts; i++ {
				err = q.Post(rma.Command{
					Put: true, To: rma.Address{Rank: 1, Segment: i}, Data: slices.Repeat([]byte{1}, sizes[i]),
					TargetQueue: rma.QueueAddress{Rank: 1, Queue: takers[i]},
				})
			}
			if err == nil {
				err = finish(p, q, puts)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What commands cost that do not leave the node.
func TestStepsOfAnEngine(t *testing.T) {
	for _, c := range []struct {
		name     string
		commands func(q rma.Queue) []rma.Command
		want     func(m *machine.Machine) units.Time
	}{
		{"three NOPs", func(rma.Queue) []rma.Command { return make([]rma.Command, 3) },
			func(m *machine.Machine) units.Time { return 3 * sectionOf(m).Queue.NOP }},
		{"a put to the own queue", func(q rma.Queue) []rma.Command {
			return []rma.Command{{Put: true, TargetQueue: rma.QueueAddress{Queue: q.Number()}, Notice: true}}
		}, func(m *machine.Machine) units.Time {
			return m.NIC.Start + sectionOf(m).Queue.Self + sectionOf(m).Queue.Arrive
		}},
		{"a put to the own queue and what it releases", func(q rma.Queue) []rma.Command {
			return []rma.Command{{Put: true, TargetQueue: rma.QueueAddress{Queue: q.Number()}, Advance: 2}, {}, {}}
		}, func(m *machine.Machine) units.Time {
			return m.NIC.Start + sectionOf(m).Queue.Self + sectionOf(m).Queue.Arrive + max(m.NIC.Complete, 2*sectionOf(m).Queue.NOP)
		}},
	} {
		err := onTofu(t, 1, func(p rma.Commander) error {
			q, err := p.OpenQueue(rma.QueueConfig{Session: true, Lead: 3, Engine: rma.Any})
			if strings.Contains(c.name, "releases") {
				q, err = p.OpenQueue(rma.QueueConfig{Session: true, Lead: 1, Engine: rma.Any})
			}
			if err != nil {
				return err
			}
			m := p.(*commander).d.Machine
			list := c.commands(q)
			posted := m.Host.Post + units.Time(len(list))*sectionOf(m).Queue.Command
			begin := p.Now()
			if err := q.Post(list...); err != nil {
				return err
			}
			state := q.(*queue).state
			if err := p.WaitUntil(func() bool {
				return list[0].Notice && state.Completed() == 0 && state.HasEvent() || state.Completed() == len(list)
			}); err != nil {
				return err
			}
			if got, want := p.Now()-begin, posted+c.want(m)+m.Host.Poll; got != want {
				t.Errorf("%s: seen after %v, want %v", c.name, got, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestQueuesRunOut(t *testing.T) {
	c := newTofu(t, "tofu:2x1x1x1x1x1", []int{0, 0, 1}, "queue.per_engine", "3", "queue.per_process", "8")
	err := c.Run(func(p rma.Process) error {
		r := p.(rma.Commander)
		if p.Rank() == 1 {
			p.Compute(units.Microsecond)
			if got := r.FreeQueues(); got != 4 { // rank 0 has 8 of the node's 12
				return fmt.Errorf("rank 1 can open %d queues, want 4", got)
			}
			return nil
		}
		var open []rma.Queue
		for range 8 {
			q, err := r.OpenQueue(rma.QueueConfig{Engine: rma.Any, Entries: 2})
			if err != nil {
				return err
			}
			open = append(open, q)
		}
		if _, err := r.OpenQueue(rma.QueueConfig{Engine: rma.Any}); !errors.Is(err, rma.ErrNoQueue) || r.FreeQueues() != 0 {
			return fmt.Errorf("a ninth queue: error %v, %d free", err, r.FreeQueues())
		}
		if err := open[3].Post(make([]rma.Command, 3)...); !errors.Is(err, rma.ErrQueueFull) {
			return fmt.Errorf("three commands for two entries: error %v", err)
		}
		if err := open[3].Close(); err != nil {
			return err
		}
		q, err := r.OpenQueue(rma.QueueConfig{Engine: open[3].Engine()})
		if err == nil && (q.Number() != open[3].Number() || open[3].Post() == nil) {
			err = fmt.Errorf("queue %d follows queue %d, which can be used still", q.Number(), open[3].Number())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A put whose notice finds no place waits, and what comes behind it, until there is one.
func TestFullMRQ(t *testing.T) {
	const puts = 6
	program := func(take bool) func(rma.Commander) error {
		return func(p rma.Commander) error {
			q, err := open(p, 0)
			if err != nil {
				return err
			}
			if p.Rank() == 0 {
				for i := range uint64(puts) {
					if err := q.Post(rma.Command{Put: true, TargetQueue: rma.QueueAddress{Rank: 1, Queue: 1}, Notice: true, Word: i}); err != nil {
						return err
					}
				}
				if !take {
					return nil
				}
				return finish(p, q, puts)
			}
			p.Compute(20 * units.Microsecond)
			for i := uint64(0); take && i < puts; {
				n, ok := q.Notice()
				switch {
				case !ok:
					err = p.WaitUntil(q.HasEvent)
				case n != rma.Notice{From: 0, Word: i}:
					err = fmt.Errorf("notice %+v, want word %d of rank 0", n, i)
				default:
					i++
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	if err := onTofu(t, 2, program(true), "queue.notices", "2"); err != nil {
		t.Error(err)
	}
	err := onTofu(t, 2, program(false), "queue.notices", "2")
	if want := "a put of rank 0 waits for the place of a notice in command queue 1 of rank 1"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("nobody takes notices: error %v, want %q", err, want)
	}
}

// Commands that nobody releases are named.
func TestUnreleasedCommands(t *testing.T) {
	for _, waits := range []bool{false, true} {
		err := onTofu(t, 2, func(p rma.Commander) error {
			if p.Rank() == 1 {
				return nil
			}
			q, err := p.OpenQueue(rma.QueueConfig{Session: true, Lead: 1, Engine: rma.Any})
			if err == nil {
				err = q.Post(make([]rma.Command, 3)...)
			}
			if err == nil && waits {
				err = finish(p, q, 3)
			}
			return err
		})
		want := []string{"command queue 1 of rank 0 waits for puts that release 2 of its commands", "given 3", "scheduling pointer is at 1"}
		if waits {
			want = append(want, "rank 0 in WaitUntil")
		}
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("waiting %v: error %v lacks %q", waits, err, part)
			}
		}
	}
}

func TestPutsThatFail(t *testing.T) {
	err := onTofu(t, 2, func(p rma.Commander) error {
		box := make([]byte, 4)
		p.Expose(box)
		if p.Rank() == 1 {
			return p.WaitUntil(func() bool { return box[3] == 7 })
		}
		q, err := open(p, rma.Any)
		if err != nil {
			return err
		}
		data := []byte{7, 7, 7, 7}
		nobody, somebody := rma.QueueAddress{Rank: 1, Queue: 9}, rma.QueueAddress{Rank: 1}
		err = q.Post(
			rma.Command{Put: true, To: rma.Address{Rank: 1, Offset: 1}, Data: data, TargetQueue: somebody},
			rma.Command{Put: true, To: rma.Address{Rank: 1, Segment: 5}, Data: data, TargetQueue: somebody},
			rma.Command{Put: true, To: rma.Address{Rank: 1}, Data: data, TargetQueue: nobody},
			rma.Command{Put: true, TargetQueue: nobody},
			rma.Command{Put: true, To: rma.Address{Rank: 1}, Data: data, TargetQueue: somebody},
		)
		for _, want := range []string{"outside the segment", "not exposed", "command queue 9 of rank 1, which is not open", "not open", ""} {
			done := false
			for err == nil && !done {
				if done, err = q.Completion(); !done && err == nil {
					err = p.WaitUntil(q.HasEvent)
				}
			}
			if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
				return fmt.Errorf("completion with error %v, want %q", err, want)
			}
			err = nil
		}
		for _, c := range []rma.Command{
			{Put: true, TargetQueue: rma.QueueAddress{Rank: 2}},
			{Put: true, TargetQueue: rma.QueueAddress{Rank: 1, Queue: -1}},
			{Put: true, TargetQueue: somebody, Data: data},
			{Put: true, TargetQueue: somebody, Advance: -1},
		} {
			if err := q.Post(c); err == nil {
				return fmt.Errorf("command %+v is taken", c)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
