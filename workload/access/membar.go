package access

import (
	"bytes"
	"fmt"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ranks"
	"musubi/workload/internal/sample"
)

// Membar measures how long writes to several ranks take until all are known to be there.
var Membar = &workload.Workload{
	Name:       "membar",
	ListParams: []string{"bytes", "targets", "writes"},
	Summary:    "memory barrier (fence) after writes to other ranks: time, compared with a wait for each write, and how much of it a computation hides",
	Params: []workload.Param{
		{Name: "writes", Default: "1,4,16,64", Help: "outstanding writes, as a list or a range such as 1..4"},
		{Name: "targets", Default: "", Help: "number of target ranks, which take turns, as a list or a range; if not given, 1 and all others up to 4"},
		{Name: "bytes", Default: "8", Help: "of each write; " + workload.SizesHelp},
		{Name: "compute", Default: "writes", Help: "computation between the start and the end of a barrier: a time such as 5us, or writes: as long as writes and barrier take alone"},
		{Name: "iterations", Default: "", Help: "rounds of writes measured; if not given 10, or 1000 between real processes"},
		{Name: "warmup", Default: "", Help: "rounds of writes before, which are not measured; if not given 2, or 100 between real processes"},
	},
	Make: prepareMembar,
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

func prepareMembar(v *workload.Values, env workload.Env) *workload.Plan {
	v.OrOften(env, "10", "2")
	if most := min(4, env.Ranks-1); most > 1 {
		v.Or("targets", fmt.Sprintf("1,%d", most))
	}
	v.Or("targets", "1")
	if env.Ranks < 2 {
		v.Fail("targets", "expected two ranks or more, and there is one")
	}
	w := membar{iterations: v.Int("iterations", 1, 1e7), warmup: v.Int("warmup", 0, 1e6)}
	if v.Text("compute") != "writes" {
		w.compute = v.Time("compute", units.Picosecond)
	}
	writes, sizes := upTo(v, "writes", mostWrites), v.Sizes("bytes", env)
	for _, targets := range upTo(v, "targets", env.Ranks-1) {
		for _, n := range writes {
			for _, size := range sizes {
				if n*size > mostOutstanding {
					v.Fail("bytes", "%d writes of %d bytes are more than %v together", n, size, units.Bytes(mostOutstanding))
				}
				w.trials = append(w.trials, membarTrial{n, targets, size})
			}
		}
	}
	return &workload.Plan{Program: w.run}
}

// Limits on outstanding writes, so that a typing error does not exhaust memory.
const (
	mostWrites      = 10_000
	mostOutstanding = 256 << 20 // bytes
)

// upTo reads a list of numbers from 1 to most.
func upTo(v *workload.Values, name string, most int) []int {
	list := v.Numbers(name, 1, most)
	for _, n := range list {
		if n > most {
			v.Fail(name, "expected numbers from 1 to %d", most)
		}
	}
	return list
}

func (w membar) run(p rma.Process, out *workload.Rows) error {
	t := ranks.NewTeam(p)
	memory := ranks.Expose(p, w.outstanding())
	if p.Rank() == 0 {
		writer := membarWriter{p: p, memory: memory}
		for i := range w.trials {
			workload.Progress(p, out, i, len(w.trials))
			if err := writer.measure(w, w.trials[i], out); err != nil {
				return err
			}
		}
	}
	_, err := t.Agree(0) // the others keep their memory until then
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
	memory ranks.Segment
	ops    []rma.Op
	count  int // of rounds
}

// membarTime is the time of writes, and the time from the last write until they are complete.
type membarTime struct{ all, barrier, idle units.Time }

// measure adds the results of a trial.
func (m *membarWriter) measure(w membar, t membarTrial, out *workload.Rows) error {
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
	hidden := sample.Overlap(fence.all+compute-both.all, idle, compute)
	m.add(out, "overlap", "fraction", hidden, t, byFence)
	return nil
}

func (m *membarWriter) add(out *workload.Rows, metric, unit string, value float64, t membarTrial, by string) {
	out.Add(workload.Row{Metric: metric, Unit: unit, Value: value, Bytes: t.size, Labels: []workload.Label{{Name: "targets", Value: t.targets}, {Name: "writes", Value: t.writes}, {Name: "by", Value: by}}})
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
	return rma.Address{Rank: 1 + i%t.targets, Segment: m.memory.Number, Offset: i * t.size}
}

func (m *membarWriter) write(t membarTrial, i int) []byte {
	return m.memory.Memory[i*t.size:][:t.size]
}

// fill changes the data to be sent next.
func (m *membarWriter) fill(t membarTrial) {
	m.count++
	for i := range t.writes * t.size {
		m.memory.Memory[i] = byte(i*7 + m.count*101)
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
