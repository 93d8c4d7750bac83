package workload

import (
	"fmt"
	"slices"
	"strings"

	"musubi/rma"
	"musubi/workload/nas"
)

var nasWorkload = &Workload{
	Name:    "nas",
	lists:   []string{"kernel"},
	Summary: "communication of the NAS Parallel Benchmarks MG, CG, LU, SP, BT and IS, without their arithmetic",
	Params: []Param{
		{"kernel", "cg", "all, or a list out of mg, cg, lu, sp, bt, is; they run in this order"},
		{"class", "A", "size of the problem: S, W, A, B or C"},
		{"iterations", "3", "iterations measured; a whole benchmark of class A has 4 (mg), 15 (cg), 250 (lu), 400 (sp), 200 (bt) or 10 (is)"},
		{"warmup", "1", "iterations before"},
		{"compute", "", "time that a process computes before each exchange of a level (mg), a product (cg), a plane (lu), a cell (sp, bt) or all keys (is); if empty, what its operations take at the machine's rate, if it states one"},
		{"by", "machine", "what passes messages on: machine (its receive rings, or the library of its host, if it states one) or mpi (package mpi)"},
		{"ring", "", "size of the receive ring for each sender, unless --rings chooses the rings; if empty, twice the longest message to a process"},
	},
	prepare: prepareNAS,
}

// nasRun runs kernels of package nas one after the other.
type nasRun struct {
	kernels            []*nas.Kernel
	class              int
	iterations, warmup int
	work               nas.Work
	byMPI              bool
	ring, packet       int // bytes; ring is 0 if it follows from the messages
}

func prepareNAS(v *values, env Env) *Plan {
	b := nasRun{
		class:      slices.Index(nas.Classes, v.choice("class", nas.Classes...)),
		iterations: v.int("iterations", 1, 1e6),
		warmup:     v.int("warmup", 0, 1e6),
		work:       nas.Work{Rate: env.Operations, Library: env.Library},
		packet:     max(1, env.RingPacket),
	}
	if b.byMPI = v.choice("by", "machine", "mpi") == "mpi"; b.byMPI {
		b.work.Library = nil
	}
	if v.text("compute") != "" {
		b.work.Pause, b.work.Rate = v.time("compute", 0), 0
	}
	if v.text("ring") != "" {
		if b.ring, _ = v.size(1, "ring", v.text("ring"), env); b.ring < b.packet {
			v.fail("ring", "expected at least the %d bytes of a packet", b.packet)
		}
	}
	chosen := v.choices("kernel", nas.Names())
	for i := range nas.Kernels {
		if k := &nas.Kernels[i]; slices.Contains(chosen, k.Name) {
			b.kernels = append(b.kernels, k)
		}
	}
	if !b.fits(env.Ranks) {
		v.fail("kernel", "class %s divides among %s ranks; there are %d", nas.Classes[b.class], b.fitting(), env.Ranks)
	}
	return &Plan{Program: b.run}
}

// fits reports whether all chosen kernels can be divided among that many ranks.
func (b *nasRun) fits(ranks int) bool {
	return !slices.ContainsFunc(b.kernels, func(k *nas.Kernel) bool { return !k.Fits(b.class, ranks) })
}

// fitting lists numbers of ranks that fit, for an error message.
func (b *nasRun) fitting() string {
	const most = 1024 // the dots stand for larger numbers
	var list []string
	for ranks := 1; ranks <= most; ranks++ {
		if b.fits(ranks) {
			list = append(list, fmt.Sprint(ranks))
		}
	}
	if b.fits(most) {
		list = append(list, "...")
	}
	return strings.Join(list, ", ")
}

func (b *nasRun) run(p rma.Process, out *Rows) error {
	results := newScores(p, len(b.kernels)*b.work.Figures()*p.Size())
	var messages nas.Messages
	if b.byMPI {
		m, err := newNASMPI(p)
		if err != nil {
			return err
		}
		messages = m
	}
	actor := nas.NewActor(p, func(rank int) []nas.Script { return b.scripts(p.Size(), rank) }, b.work, messages)
	scripts := b.scripts(p.Size(), p.Rank())
	if b.work.Library == nil && !b.byMPI {
		if err := p.Rings(b.rings(scripts)); err != nil {
			return err
		}
	}
	for i := range scripts {
		if err := b.measure(p, actor, &scripts[i], out, i); err != nil {
			return fmt.Errorf("workload nas: kernel %s: %w", b.kernels[i].Name, err)
		}
	}
	if err := actor.Settle(); err != nil {
		return err
	}
	for slot, number := range actor.All() {
		if err := results.put(slot*p.Size()+p.Rank(), number); err != nil {
			return err
		}
	}
	if p.Rank() != 0 {
		return nil
	}
	return b.rows(results, p.Size(), out)
}

// scripts returns the actions of a process in each kernel.
func (b *nasRun) scripts(ranks, rank int) []nas.Script {
	scripts := make([]nas.Script, len(b.kernels))
	for i, k := range b.kernels {
		scripts[i] = k.Script(b.class, ranks, rank)
		if b.work.Library != nil {
			scripts[i] = scripts[i].WithoutCollectives(ranks, rank)
		}
	}
	return scripts
}

// rings asks for a private ring for each process that sends to this one.
func (b *nasRun) rings(scripts []nas.Script) rma.Rings {
	most := nas.Longest(scripts)
	ring := rma.Ring{Bytes: b.ring}
	if b.ring == 0 {
		ring.Bytes = max(2*most, b.packet)
	}
	if ring.Bytes < most {
		ring.Status = rma.PerPacket // lets messages through that are longer than the ring
	}
	var rings rma.Rings
	for _, sender := range nas.Senders(scripts) {
		ring.Senders = []int{sender}
		rings.Private = append(rings.Private, ring)
	}
	return rings
}

// measure runs a kernel and records its figures.
func (b *nasRun) measure(p rma.Process, a *nas.Actor, s *nas.Script, out *Rows, kernel int) error {
	a.Begin()
	all := b.warmup + b.iterations
	start := p.Now()
	for i := range all {
		progress(p, out, kernel*all+i, len(b.kernels)*all)
		if i == b.warmup {
			start = p.Now()
			a.Measure()
		}
		if err := a.Iterate(s); err != nil {
			return err
		}
	}
	a.Measured(p.Now()-start, b.iterations)
	if err := a.Finish(s); err != nil {
		return err
	}
	a.Record()
	return nil
}

// rows adds the figures of each kernel: the time of the slowest process, the partners of a process,
// and the messages and bytes of all, warm-up included.
func (b *nasRun) rows(results *scores, ranks int, out *Rows) error {
	numbers, err := results.all()
	if err != nil {
		return err
	}
	for i, k := range b.kernels {
		of := func(figure int) []float64 { return numbers[(i*b.work.Figures()+figure)*ranks:][:ranks] }
		add := func(metric, unit string, value float64, labels ...Label) {
			out.Add(Row{Metric: metric, Unit: unit, Value: value, Labels: append([]Label{{"kernel", k.Name}}, labels...)})
		}
		add("time", "us", slices.Max(of(nas.TimeFigure)))
		add("partners", "processes", slices.Max(of(nas.PartnersFigure)), Label{"statistic", "max"})
		add("partners", "processes", mean(of(nas.PartnersFigure)), Label{"statistic", "mean"})
		add("messages", "count", sum(of(nas.MessagesFigure)))
		add("message_bytes", "B", sum(of(nas.BytesFigure)))
		if collective := sum(of(nas.CollectiveFigure)); collective > 0 {
			add("collective_bytes", "B", collective)
		}
		if b.work.Whole() {
			b.addWhole(k, of, add)
		}
	}
	return nil
}

// addWhole adds how long the whole benchmark takes, if all its iterations are like those measured:
// the time of the slowest process, and what the mean of all does in its time.
func (b *nasRun) addWhole(k *nas.Kernel, of func(figure int) []float64, add func(metric, unit string, value float64, labels ...Label)) {
	seconds := func(us float64) float64 { return us * float64(k.Iterations(b.class)) / 1e6 }
	computation, waiting := mean(of(nas.ComputationFigure)), mean(of(nas.WaitingFigure))
	for _, part := range []struct {
		name string
		us   float64
	}{
		{"total", slices.Max(of(nas.TimeFigure))},
		{"computation", computation},
		{"communication", mean(of(nas.TimeFigure)) - computation - waiting},
		{"waiting", waiting},
	} {
		add("benchmark", "s", seconds(part.us), Label{"part", part.name})
	}
}

func sum(numbers []float64) float64 {
	total := 0.0
	for _, x := range numbers {
		total += x
	}
	return total
}
