package nas

import (
	"fmt"
	"slices"
	"strings"

	"musubi/rma"
	"musubi/workload"
	"musubi/workload/internal/ranks"
	"musubi/workload/internal/sample"
)

// Workload runs the communication of the NAS parallel benchmarks.
var Workload = &workload.Workload{
	Name:       "nas",
	ListParams: []string{"kernel"},
	Summary:    "communication of the NAS Parallel Benchmarks MG, CG, LU, SP, BT and IS, without their arithmetic",
	Params: []workload.Param{
		{Name: "kernel", Default: "cg", Help: "all, or a list out of mg, cg, lu, sp, bt, is; they run in this order"},
		{Name: "class", Default: "A", Help: "size of the problem: S, W, A, B or C"},
		{Name: "iterations", Default: "3", Help: "iterations measured; a whole benchmark of class A has 4 (mg), 15 (cg), 250 (lu), 400 (sp), 200 (bt) or 10 (is)"},
		{Name: "warmup", Default: "1", Help: "iterations before"},
		{Name: "compute", Default: "", Help: "time that a process computes before each exchange of a level (mg), a product (cg), a plane (lu), a cell (sp, bt) or all keys (is); if not given, what its operations take at the machine's rate, if it states one"},
		{Name: "by", Default: "machine", Help: "what passes messages on: machine (its receive rings, or the library of its host, if it states one) or mpi (package mpi)"},
		{Name: "ring", Default: "", Help: "size of the receive ring for each sender, unless --rings chooses the rings; if not given, twice the longest message to a process"},
	},
	Make: prepareNAS,
}

// nasRun runs kernels of package nas one after the other.
type nasRun struct {
	kernels            []*Kernel
	class              int
	iterations, warmup int
	work               Work
	byMPI              bool
	ring, packet       int // bytes; ring is 0 if it follows from the messages
}

func prepareNAS(v *workload.Values, env workload.Env) *workload.Plan {
	b := nasRun{
		class:      slices.Index(Classes, v.Choice("class", Classes...)),
		iterations: v.Int("iterations", 1, 1e6),
		warmup:     v.Int("warmup", 0, 1e6),
		work:       Work{Rate: env.Operations, Library: env.Library},
		packet:     max(1, env.RingPacket),
	}
	if b.byMPI = v.Choice("by", "machine", "mpi") == "mpi"; b.byMPI {
		b.work.Library = nil
	}
	if v.Has("compute") {
		b.work.Pause, b.work.Rate = v.Time("compute", 0), 0
	}
	if v.Has("ring") {
		if b.ring, _ = v.Size(1, "ring", v.Text("ring"), env); b.ring < b.packet {
			v.Fail("ring", "expected at least the %d bytes of a packet", b.packet)
		}
	}
	chosen := v.Choices("kernel", Names())
	for i := range Kernels {
		if k := &Kernels[i]; slices.Contains(chosen, k.Name) {
			b.kernels = append(b.kernels, k)
		}
	}
	if !b.fits(env.Ranks) {
		v.Fail("kernel", "class %s divides among %s ranks; there are %d", Classes[b.class], b.fitting(), env.Ranks)
	}
	return &workload.Plan{Program: b.run}
}

// fits reports whether all chosen kernels can be divided among that many ranks.
func (b *nasRun) fits(ranks int) bool {
	return !slices.ContainsFunc(b.kernels, func(k *Kernel) bool { return !k.Fits(b.class, ranks) })
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

func (b *nasRun) run(p rma.Process, out *workload.Rows) error {
	results := ranks.NewScores(p, len(b.kernels)*b.work.Figures()*p.Size())
	var messages Messages
	if b.byMPI {
		m, err := newNASMPI(p)
		if err != nil {
			return err
		}
		messages = m
	}
	actor := NewActor(p, func(rank int) []Script { return b.scripts(p.Size(), rank) }, b.work, messages)
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
		if err := results.Put(slot*p.Size()+p.Rank(), number); err != nil {
			return err
		}
	}
	if p.Rank() != 0 {
		return nil
	}
	return b.rows(results, p.Size(), out)
}

// scripts returns the actions of a process in each kernel.
func (b *nasRun) scripts(ranks, rank int) []Script {
	scripts := make([]Script, len(b.kernels))
	for i, k := range b.kernels {
		scripts[i] = k.Script(b.class, ranks, rank)
		if b.work.Library != nil || b.byMPI {
			scripts[i] = scripts[i].WithoutCollectives(ranks, rank)
		}
	}
	return scripts
}

// rings asks for a private ring for each process that sends to this one.
func (b *nasRun) rings(scripts []Script) rma.Rings {
	most := Longest(scripts)
	ring := rma.Ring{Bytes: b.ring}
	if b.ring == 0 {
		ring.Bytes = max(2*most, b.packet)
	}
	if ring.Bytes < most {
		ring.Status = rma.PerPacket // lets messages through that are longer than the ring
	}
	var rings rma.Rings
	for _, sender := range Senders(scripts) {
		ring.Senders = []int{sender}
		rings.Private = append(rings.Private, ring)
	}
	return rings
}

// measure runs a kernel and records its figures.
func (b *nasRun) measure(p rma.Process, a *Actor, s *Script, out *workload.Rows, kernel int) error {
	a.Begin()
	all := b.warmup + b.iterations
	start := p.Now()
	for i := range all {
		workload.Progress(p, out, kernel*all+i, len(b.kernels)*all)
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
func (b *nasRun) rows(results *ranks.Scores, ranks int, out *workload.Rows) error {
	numbers, err := results.All()
	if err != nil {
		return err
	}
	for i, k := range b.kernels {
		of := func(figure int) []float64 { return numbers[(i*b.work.Figures()+figure)*ranks:][:ranks] }
		add := func(metric, unit string, value float64, labels ...workload.Label) {
			out.Add(workload.Row{Metric: metric, Unit: unit, Value: value, Labels: append([]workload.Label{{Name: "kernel", Value: k.Name}}, labels...)})
		}
		add("time", "us", slices.Max(of(TimeFigure)))
		add("partners", "processes", slices.Max(of(PartnersFigure)), workload.Label{Name: "statistic", Value: "max"})
		add("partners", "processes", sample.Mean(of(PartnersFigure)), workload.Label{Name: "statistic", Value: "mean"})
		add("messages", "count", sample.Sum(of(MessagesFigure)))
		add("message_bytes", "B", sample.Sum(of(BytesFigure)))
		if collective := sample.Sum(of(CollectiveFigure)); collective > 0 {
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
func (b *nasRun) addWhole(k *Kernel, of func(figure int) []float64, add func(metric, unit string, value float64, labels ...workload.Label)) {
	seconds := func(us float64) float64 { return us * float64(k.Iterations(b.class)) / 1e6 }
	computation, waiting := sample.Mean(of(ComputationFigure)), sample.Mean(of(WaitingFigure))
	for _, part := range []struct {
		name string
		us   float64
	}{
		{"total", slices.Max(of(TimeFigure))},
		{"computation", computation},
		{"communication", sample.Mean(of(TimeFigure)) - computation - waiting},
		{"waiting", waiting},
	} {
		add("benchmark", "s", seconds(part.us), workload.Label{Name: "part", Value: part.name})
	}
}
