package workload

import (
	"bytes"
	"fmt"

	"musubi/rma"
	"musubi/units"
)

var membarWorkload = &Workload{
	Name:    "membar",
	lists:   []string{"bytes", "targets", "writes"},
	Summary: "memory barrier (fence) after writes to other ranks: time, compared with a wait for each write, and how much of it a computation hides",
	Params: []Param{
		{"writes", "1,4,16,64", "outstanding writes, as a list or a range such as 1..4"},
		{"targets", "", "number of target ranks, which take turns, as a list or a range; if empty, 1 and all others up to 4"},
		{"bytes", "8", "of each write; " + sizesHelp},
		{"compute", "writes", "computation between the start and the end of a barrier: a time such as 5us, or writes: as long as writes and barrier take alone"},
		{"iterations", "", "rounds of writes measured; if empty 10, or 1000 between real processes"},
		{"warmup", "", "rounds of writes before, which are not measured; if empty 2, or 100 between real processes"},
	},
	prepare: prepareMembar,
}

// membar measures writes of rank 0, in which the other ranks only own memory.
type membar struct {
	trials             []membarTrial
	compute            units.Time // 0: as long as writes and barrier
	iterations, warmup int
}

type membarTrial struct{ writes, targets, size int }

// Ways to learn that writes are complete.
const (
	byFence = "fence" // one operation for all
	byWaits = "waits" // one wait for each, when all are started
	byEach  = "each"  // one wait for each, before the next is started
)

func prepareMembar(v *values, env Env) *Plan {
	v.orOften(env, "10", "2")
	if most := min(4, env.Ranks-1); most > 1 {
		v.or("targets", fmt.Sprintf("1,%d", most))
	}
	v.or("targets", "1")
	if env.Ranks < 2 {
		v.fail("targets", "expected two ranks or more, and there is one")
	}
	w := membar{iterations: v.int("iterations", 1, 1e7), warmup: v.int("warmup", 0, 1e6)}
	if v.text("compute") != "writes" {
		w.compute = v.time("compute", units.Picosecond)
	}
	writes, sizes := v.upTo("writes", mostWrites), v.sizes("bytes", env)
	for _, targets := range v.upTo("targets", env.Ranks-1) {
		for _, n := range writes {
			for _, size := range sizes {
				if n*size > mostOutstanding {
					v.fail("bytes", "%d writes of %d bytes are more than %v together", n, size, units.Bytes(mostOutstanding))
				}
				w.trials = append(w.trials, membarTrial{n, targets, size})
			}
		}
	}
	return &Plan{Program: w.run}
}

// Limits on outstanding writes, so that a typing error does not exhaust memory.
const (
	mostWrites      = 10_000
	mostOutstanding = 256 << 20 // bytes
)

// upTo reads a list of numbers from 1 to most.
func (v *values) upTo(name string, most int) []int {
	list := v.numbers(name, 1, most)
	for _, n := range list {
		if n > most {
			v.fail(name, "expected numbers from 1 to %d", most)
		}
	}
	return list
}

func (w membar) run(p rma.Process, out *Rows) error {
	t := newTeam(p)
	memory := expose(p, w.outstanding())
	if p.Rank() == 0 {
		writer := membarWriter{p: p, memory: memory}
		for i := range w.trials {
			progress(p, out, i, len(w.trials))
			if err := writer.measure(w, w.trials[i], out); err != nil {
				return err
			}
		}
	}
	_, err := t.agree(0) // the others keep their memory until then
	return err
}

// outstanding returns the most bytes that are written at once.
func (w membar) outstanding() int {
	most := 0
	for _, t := range w.trials {
		most = max(most, t.writes*t.size)
	}
	return most
}

// membarWriter is rank 0.
type membarWriter struct {
	p      rma.Process
	memory segment
	ops    []rma.Op
	count  int // of rounds
}

// membarTime is the time of writes, and the time from the last write until they are complete.
type membarTime struct{ all, barrier, idle units.Time }

// measure adds the results of a trial.
func (m *membarWriter) measure(w membar, t membarTrial, out *Rows) error {
	var fence membarTime
	for _, by := range []string{byFence, byWaits, byEach} {
		took, err := m.repeat(w, t, by, 0)
		if err != nil {
			return err
		}
		if by == byFence {
			fence = took
		}
		m.add(out, "writes", "us", took.all.Microseconds(), t, by)
		if by != byEach {
			m.add(out, "membar", "us", took.barrier.Microseconds(), t, by)
		}
	}
	compute := w.compute
	if compute == 0 {
		compute = fence.all
	}
	both, err := m.repeat(w, t, byFence, compute)
	if err != nil {
		return err
	}
	idle := fence.idle
	if _, ok := m.p.(rma.Idler); !ok {
		idle = fence.barrier
	}
	hidden := overlap(fence.all+compute-both.all, idle, compute)
	m.add(out, "overlap", "fraction", hidden, t, byFence)
	return nil
}

func (m *membarWriter) add(out *Rows, metric, unit string, value float64, t membarTrial, by string) {
	out.Add(Row{Metric: metric, Unit: unit, Value: value, Bytes: t.size, Labels: []Label{{"targets", t.targets}, {"writes", t.writes}, {"by", by}}})
}

// repeat returns means over iterations, with a computation before it waits for the writes. It
// verifies the last writes.
func (m *membarWriter) repeat(w membar, t membarTrial, by string, compute units.Time) (membarTime, error) {
	var sum membarTime
	for i := range w.warmup + w.iterations {
		took, err := m.once(t, by, compute)
		if err != nil {
			return sum, err
		}
		if i >= w.warmup {
			sum.all, sum.barrier, sum.idle = sum.all+took.all, sum.barrier+took.barrier, sum.idle+took.idle
		}
	}
	n := units.Time(w.iterations)
	return membarTime{sum.all / n, sum.barrier / n, sum.idle / n}, m.check(t)
}

// once writes, and waits until the writes are complete.
func (m *membarWriter) once(t membarTrial, by string, compute units.Time) (membarTime, error) {
	m.fill(t)
	p := m.p
	begin, idle := p.Now(), m.idle()
	for i := range t.writes {
		op, err := p.Push(m.address(t, i), m.write(t, i), rma.DMA)
		if err != nil {
			return membarTime{}, err
		}
		if m.ops = append(m.ops, op); by == byEach {
			if err := m.wait(); err != nil {
				return membarTime{}, err
			}
		}
	}
	written := p.Now()
	if by == byFence {
		op, err := p.Fence()
		if err != nil {
			return membarTime{}, err
		}
		p.Compute(compute)
		if err := p.Wait(op); err != nil {
			return membarTime{}, err
		}
	} else if err := m.wait(); err != nil {
		return membarTime{}, err
	}
	took := membarTime{p.Now() - begin, p.Now() - written, m.idle() - idle}
	return took, m.wait() // a fence does not report failures
}

// wait waits for each write.
func (m *membarWriter) wait() error {
	for _, op := range m.ops {
		if err := m.p.Wait(op); err != nil {
			return err
		}
	}
	m.ops = m.ops[:0]
	return nil
}

func (m *membarWriter) idle() units.Time {
	if p, ok := m.p.(rma.Idler); ok {
		return p.Idle()
	}
	return 0
}

// address returns where a write goes.
func (m *membarWriter) address(t membarTrial, i int) rma.Address {
	return rma.Address{Rank: 1 + i%t.targets, Segment: m.memory.number, Offset: i * t.size}
}

func (m *membarWriter) write(t membarTrial, i int) []byte {
	return m.memory.memory[i*t.size:][:t.size]
}

// fill changes the data to be sent next.
func (m *membarWriter) fill(t membarTrial) {
	m.count++
	for i := range t.writes * t.size {
		m.memory.memory[i] = byte(i*7 + m.count*101)
	}
}

// check reads the last writes back.
func (m *membarWriter) check(t membarTrial) error {
	got := make([]byte, t.size)
	for i := range t.writes {
		op, err := m.p.Pull(m.address(t, i), got)
		if err != nil {
			return err
		}
		if err := m.p.Wait(op); err != nil {
			return err
		}
		if !bytes.Equal(got, m.write(t, i)) {
			return fmt.Errorf("workload: write %d of %d bytes to %v is not there after its fence", i, t.size, m.address(t, i))
		}
	}
	return nil
}
