package workload

import (
	"fmt"
	"slices"
	"strings"

	"musubi/rma"
	"musubi/units"
)

var nasWorkload = &Workload{
	Name:    "nas",
	Summary: "communication of the NAS Parallel Benchmarks MG, CG, LU, SP, BT and IS, without their arithmetic",
	Params: []Param{
		{"kernel", "cg", "all, or a list out of mg, cg, lu, sp, bt, is; they run in this order"},
		{"class", "A", "size of the problem: S, W, A, B or C"},
		{"iterations", "3", "iterations measured; a whole benchmark of class A has 4 (mg), 15 (cg), 250 (lu), 400 (sp), 200 (bt) or 10 (is)"},
		{"warmup", "1", "iterations before"},
		{"compute", "0us", "time that a process computes before each exchange of a level (mg), a product (cg), a plane (lu), a cell (sp, bt) or all keys (is)"},
		{"ring", "", "size of the receive ring for each sender, unless --rings chooses the rings; if empty, twice the longest message to a process"},
	},
	prepare: prepareNAS,
}

// nas runs the communication of the NAS Parallel Benchmarks: the messages that
// the reference implementation (NPB 3.3, MPI) sends between two processes in each
// of its timed iterations, with their sizes and in their order, and for IS also
// those of its verification. Set-up and norms are left out, and instead of
// arithmetic processes may compute for a time.
//
// Point-to-point messages go by IPUSH. The partners of a process are the processes that send to it
// that way, as Kitamura et al. (2006) count them. Collective operations, which only IS has in its
// iterations, go by PUSH to separate memory, and do not count as partners.
//
// Each process takes messages off its rings whenever it waits for one, whoever sent it, and never
// waits for anything else while others may send to it. So rings of any size suffice. IS comes last
// because its collective operations wait for memory.
type nas struct {
	kernels            []*nasKernel
	class              int
	iterations, warmup int
	compute            units.Time
	ring, packet       int // bytes; ring is 0 if it follows from the messages
}

func prepareNAS(v *values, env Env) *Plan {
	b := nas{
		class:      slices.Index(nasClasses, v.choice("class", nasClasses...)),
		iterations: v.int("iterations", 1, 1e6),
		warmup:     v.int("warmup", 0, 1e6),
		compute:    v.time("compute", 0),
		packet:     max(1, env.RingPacket),
	}
	if v.text("ring") != "" {
		if b.ring, _ = v.size(1, "ring", v.text("ring"), env); b.ring < b.packet {
			v.fail("ring", "expected at least the %d bytes of a packet", b.packet)
		}
	}
	chosen := v.choices("kernel", nasNames())
	for i := range nasKernels {
		if k := &nasKernels[i]; slices.Contains(chosen, k.name) {
			b.kernels = append(b.kernels, k)
		}
	}
	if !b.fits(env.Ranks) {
		v.fail("kernel", "class %s divides among %s ranks; there are %d", nasClasses[b.class], b.fitting(), env.Ranks)
	}
	return &Plan{Program: b.run}
}

// fits reports whether all chosen kernels can be divided among that many ranks.
func (b *nas) fits(ranks int) bool {
	return !slices.ContainsFunc(b.kernels, func(k *nasKernel) bool { return !k.fits(b.class, ranks) })
}

// fitting lists numbers of ranks that fit, for an error message.
func (b *nas) fitting() string {
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

func (b *nas) run(p rma.Process, out *Rows) error {
	results := newBoard(p, len(b.kernels)*nasFigures*p.Size())
	scripts := b.scripts(p)
	actor, err := b.newActor(p, scripts)
	if err != nil {
		return err
	}
	for i := range scripts {
		if err := b.measure(actor, &scripts[i], out, i); err != nil {
			return fmt.Errorf("workload nas: kernel %s: %w", b.kernels[i].name, err)
		}
	}
	if err := actor.settle(); err != nil {
		return err
	}
	for slot, number := range actor.figures {
		if err := results.put(slot*p.Size()+p.Rank(), number); err != nil {
			return err
		}
	}
	if p.Rank() != 0 {
		return nil
	}
	return b.rows(results, p.Size(), out)
}

// scripts returns the actions of this process in each kernel.
func (b *nas) scripts(p rma.Process) []script {
	scripts := make([]script, len(b.kernels))
	for i, k := range b.kernels {
		scripts[i] = k.script(b.class, p.Size(), p.Rank())
	}
	return scripts
}

// rings asks for a private ring for each process that sends to this one.
func (b *nas) rings(scripts []script) rma.Rings {
	most := longest(scripts, receiveAction)
	ring := rma.Ring{Bytes: b.ring}
	if b.ring == 0 {
		ring.Bytes = max(2*most, b.packet)
	}
	if ring.Bytes < most {
		ring.Status = rma.PerPacket // lets messages through that are longer than the ring
	}
	var rings rma.Rings
	for _, sender := range senders(scripts) {
		ring.Senders = []int{sender}
		rings.Private = append(rings.Private, ring)
	}
	return rings
}

// measure runs a kernel and records its figures.
func (b *nas) measure(a *actor, s *script, out *Rows, kernel int) error {
	a.begin()
	all := b.warmup + b.iterations
	start := a.p.Now()
	for i := range all {
		progress(a.p, out, kernel*all+i, len(b.kernels)*all)
		if i == b.warmup {
			start = a.p.Now()
		}
		if err := a.act(s.iteration); err != nil {
			return err
		}
		if err := a.reap(); err != nil {
			return err
		}
	}
	took := a.p.Now() - start
	if err := a.act(s.finish); err != nil {
		return err
	}
	a.record(took.Microseconds() / float64(b.iterations))
	return nil
}

// rows adds the figures of each kernel: the time of the slowest process, the partners of a process,
// and the messages and bytes of all, warm-up included.
func (b *nas) rows(results *board, ranks int, out *Rows) error {
	numbers, err := results.all()
	if err != nil {
		return err
	}
	for i, k := range b.kernels {
		of := func(figure int) []float64 { return numbers[(i*nasFigures+figure)*ranks:][:ranks] }
		add := func(metric, unit string, value float64, labels ...Label) {
			out.Add(Row{Metric: metric, Unit: unit, Value: value, Labels: append([]Label{{"kernel", k.name}}, labels...)})
		}
		add("time", "us", slices.Max(of(timeFigure)))
		add("partners", "processes", slices.Max(of(partnersFigure)), Label{"statistic", "max"})
		add("partners", "processes", mean(of(partnersFigure)), Label{"statistic", "mean"})
		add("messages", "count", sum(of(messagesFigure)))
		add("message_bytes", "B", sum(of(bytesFigure)))
		if collective := sum(of(collectiveFigure)); collective > 0 {
			add("collective_bytes", "B", collective)
		}
	}
	return nil
}

func sum(numbers []float64) float64 {
	total := 0.0
	for _, x := range numbers {
		total += x
	}
	return total
}
