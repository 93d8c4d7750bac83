package nccl

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ranks"
)

var operations = []string{"allreduce", "allgather", "reducescatter", "broadcast", "reduce", "alltoall", "sendrecv"}

var algorithms = []string{ringName, treeName, nvlsName, nvlsTreeName, collNetName, patName}

// Workload measures collective operations as NCCL does them.
var Workload = &workload.Workload{
	Name:       "nccl",
	ListParams: []string{"bytes", "operation", "algorithm", "protocol"},
	Summary:    "collective operations of accelerators as NCCL does them, with the figures of nccl-tests",
	Params: []workload.Param{
		{Name: "operation", Default: "allreduce", Help: "all, or a list out of " + strings.Join(operations, ", ")},
		{Name: "algorithm", Default: "auto", Help: "auto (NCCL's model chooses), all that are possible, or a list out of " + strings.Join(algorithms, ", ")},
		{Name: "protocol", Default: "auto", Help: "auto (NCCL's model chooses), all, or a list out of " + strings.Join(protocols, ", ")},
		{Name: "bytes", Default: "8,1KiB,64KiB,1MiB,16MiB,64MiB", Help: "size of the operation as nccl-tests counts it; " + workload.SizesHelp},
		{Name: "channels", Default: "16", Help: "most channels, each with blocks of threads of its own; small sizes have fewer"},
		{Name: "chunk", Default: "0", Help: "most bytes that a step passes on; 0: as NCCL"},
		{Name: "root", Default: "0", Help: "root rank of broadcast and reduce"},
		{Name: "skew", Default: "0", Help: "of alltoall: the parts of ranks follow Zipf's law with this exponent, as experts of a mixture that are liked more; 0: all have the same"},
		{Name: "pxn", Default: "on", Help: "of alltoall and sendrecv: on, messages to another rail leave by the accelerator of the same node that is on it, as by default in NCCL; off"},
		{Name: "iterations", Default: "1", Help: "operations measured of each size"},
		{Name: "warmup", Default: "0", Help: "operations before"},
	},
	Make: prepare,
}

// trial is an operation that is measured.
type trial struct {
	operation, algorithm, protocol string
	bytes, channels                int
}

// measurement measures trials one after the other.
type measurement struct {
	*layout
	trials             []trial
	root               int
	skew               float64
	seed               uint64
	iterations, warmup int
	most               int // channels of a node
	chunk              int // most bytes of a step; 0: as NCCL
	pxn                bool
}

func prepare(v *workload.Values, env workload.Env) *workload.Plan {
	w := &measurement{root: v.Rank("root", env), seed: env.Seed, iterations: v.Int("iterations", 1, 1e6), warmup: v.Int("warmup", 0, 1e6), skew: v.Fraction("skew")}
	w.most, w.chunk, w.pxn = v.Int("channels", 1, 64), v.Int("chunk", 0, 1<<30), v.Choice("pxn", "on", "off") == "on"
	if v.Failed() {
		return &workload.Plan{}
	}
	if env.RealTime || env.Ranks < 2 {
		v.Fail("operation", "it needs two ranks or more of a simulated machine")
		return &workload.Plan{}
	}
	var err error
	var nodeOf func(int) int
	network := cmp.Or(env.NetworkRate/1e9, 1) // of machines that do not say: only ratios count then
	r := rates{domain: network, network: network}
	if env.Domain != nil {
		nodeOf, r.domain, r.combined = env.Domain.Of, env.Domain.Rate/1e9, env.Domain.Combined/1e9
	}
	if w.layout, err = newLayout(env.Ranks, nodeOf); err != nil {
		v.Fail("operation", "%v", err)
		return &workload.Plan{}
	}
	sizes := v.Sizes("bytes", env)
	for _, operation := range v.Choices("operation", operations) {
		for _, bytes := range sizes {
			w.trials = append(w.trials, w.trialsOf(v, env, operation, bytes, r)...)
		}
	}
	return &workload.Plan{Program: w.run, Data: w.data(), Partners: 4, Sends: w.sends}
}

// known returns the algorithms that an operation has on this layout.
func (w *measurement) known(operation string, env workload.Env) []string {
	combines := env.Domain != nil && env.Domain.Combined > 0 && w.each() > 1
	switch operation {
	case "alltoall", "sendrecv":
		return []string{pairsName}
	case "allgather", "reducescatter":
		switch {
		case w.each() == 1:
			return []string{ringName, patName}
		case combines && (len(w.nodes) == 1 || env.SwitchesCombine):
			return []string{ringName, nvlsName}
		}
		return []string{ringName}
	case "broadcast", "reduce":
		return []string{ringName}
	}
	list := []string{ringName, treeName}
	if combines && (len(w.nodes) == 1 || env.SwitchesCombine) {
		list = append(list, nvlsName)
	}
	if combines && len(w.nodes) > 1 {
		list = append(list, nvlsTreeName)
	}
	if env.SwitchesCombine && len(w.nodes) > 1 {
		list = append(list, collNetName)
	}
	return list
}

// trialsOf returns the trials of an operation and a size: the fastest by NCCL's model of those that are
// asked for, or all that are.
func (w *measurement) trialsOf(v *workload.Values, env workload.Env, operation string, bytes int, r rates) (all []trial) {
	known := w.known(operation, env)
	of, with := asked(v, "algorithm", known), asked(v, "protocol", protocols)
	for _, p := range with {
		if !slices.Contains(protocols, p) {
			v.Fail("protocol", "expected auto, all, or a list out of %s", strings.Join(protocols, ", "))
			return nil
		}
	}
	best, fastest := math.Inf(1), trial{}
	for _, a := range of {
		if !slices.Contains(known, a) {
			v.Fail("algorithm", "%s on these ranks has %s", operation, strings.Join(known, ", "))
		}
		for _, p := range with {
			t := trial{operation, a, p, bytes, channelsOf(a, p, bytes, w.ranks(), w.most)}
			us := w.predicted(operation, a, p, bytes, r, t.channels)
			if us < best {
				best, fastest = us, t
			}
			if !math.IsInf(us, 1) {
				all = append(all, t)
			}
		}
	}
	switch auto := v.Text("algorithm") == "auto" || v.Text("protocol") == "auto"; {
	case len(all) == 0:
		v.Fail("protocol", "%s by %s does not go by it", operation, strings.Join(of, ", "))
	case v.Text("algorithm") == "auto" && v.Text("protocol") == "auto":
		return []trial{fastest}
	case auto:
		return w.fastestOfEach(v, all, r)
	}
	return all
}

// fastestOfEach returns the fastest of trials that have the same algorithm, or protocol if that is what is given.
func (w *measurement) fastestOfEach(v *workload.Values, all []trial, r rates) (list []trial) {
	key := func(t trial) string {
		if v.Text("algorithm") == "auto" {
			return t.protocol
		}
		return t.algorithm
	}
	at := map[string]int{}
	us := func(t trial) float64 {
		return w.predicted(t.operation, t.algorithm, t.protocol, t.bytes, r, t.channels)
	}
	for _, t := range all {
		i, have := at[key(t)]
		switch {
		case !have:
			at[key(t)] = len(list)
			list = append(list, t)
		case us(t) < us(list[i]):
			list[i] = t
		}
	}
	return list
}

// asked returns what a parameter asks for: all that is known, or a list.
func asked(v *workload.Values, name string, known []string) []string {
	switch text := v.Text(name); text {
	case "auto", "all":
		return known
	default:
		return strings.Split(text, ",")
	}
}

// planFor returns the plan of a rank for a trial.
func (w *measurement) planFor(rank int, t trial, hop func(from, to int) units.Time) *plan {
	a := &algorithm{
		layout: w.layout, rank: rank, bytes: t.bytes, channels: t.channels, chunk: min(chunkOf(t.algorithm, t.protocol, t.bytes, t.channels*w.each(), len(w.layout.nodes)), max(16, (t.bytes+15)/16*16)),
		hop: hop, root: w.root, skew: w.skew, seed: w.seed, pxn: w.pxn,
	}
	if w.chunk > 0 {
		a.chunk = min(a.chunk, (w.chunk+15)/16*16)
	}
	p := &plan{chunk: a.chunk, buffer: t.bytes, overhead: overheadOf(t.protocol), rate: rateOf(t.protocol, w.most), connections: connectionsOf * t.channels}
	if base := costsOf[t.algorithm].base[index(t.protocol)]; base > 0 {
		p.base = microseconds(base)
	}
	switch {
	case t.operation == "alltoall":
		p.connections, p.base = w.ranks()+w.relayed()*len(w.nodes), microseconds(costsOf[ringName].base[index(t.protocol)])
		p.programs, p.buffer = a.allToAll()
	case t.operation == "sendrecv":
		p.connections, p.base = (1+w.relayed())*t.channels, microseconds(costsOf[ringName].base[index(t.protocol)])
		p.programs, p.buffer = a.sendReceive()
	case t.algorithm == nvlsName && t.operation != "allreduce":
		p.connections = 0
		p.programs = a.nvlsBlocks(t.operation == "reducescatter")
	case t.algorithm == patName:
		p.connections = patConnections * t.channels
		p.programs = a.pat(t.operation == "reducescatter")
	case t.operation == "broadcast" || t.operation == "reduce":
		p.programs = a.line(t.operation == "reduce")
	case t.algorithm == ringName:
		p.programs = a.ringPasses(t.operation != "allgather", t.operation != "reducescatter", t.operation != "allreduce")
	case t.algorithm == treeName:
		p.programs = a.tree()
	case t.algorithm == collNetName:
		p.connections = 2 * w.each() * w.each() * t.channels
		p.programs = a.collNet()
	default:
		p.connections *= w.each()
		p.programs = a.nvls(t.algorithm == nvlsTreeName)
	}
	return p
}

// relayed returns for how many ranks of its node a rank may pass on messages, itself included.
func (w *measurement) relayed() int {
	if !w.pxn || w.each() == 1 || len(w.nodes) == 1 {
		return 0
	}
	return w.each()
}

// data returns how many bytes all ranks have at most.
func (w *measurement) data() (most int64) {
	most = 1
	for _, t := range w.trials {
		p := w.planFor(0, t, func(int, int) units.Time { return 0 })
		most = max(most, int64(w.ranks())*(int64(p.buffer)+int64(p.connections*slots*p.chunk)))
	}
	return most
}

// sends returns about how many messages the ranks send, and how many bytes.
func (w *measurement) sends() (messages, bytes int64) {
	for _, t := range w.trials {
		p := w.planFor(0, t, func(int, int) units.Time { return 0 })
		for _, program := range p.programs {
			for _, s := range program {
				messages += int64((1 + 2*len(s.send)) * w.ranks() * (w.warmup + w.iterations))
				bytes += int64(len(s.send) * s.bytes * w.ranks() * (w.warmup + w.iterations))
			}
		}
	}
	return messages, bytes
}

// factor returns the bus bandwidth of an operation for each byte of its algorithm bandwidth, as nccl-tests has it.
func factor(operation string, n float64) float64 {
	switch operation {
	case "allreduce":
		return 2 * (n - 1) / n
	case "allgather", "reducescatter", "alltoall":
		return (n - 1) / n
	}
	return 1
}

func (w *measurement) run(p rma.Process, out *workload.Rows) error {
	team := ranks.NewTeam(p)
	buffer, staging, padding := 0, 0, 0
	free := func(int, int) units.Time { return 0 }
	for _, t := range w.trials {
		plan := w.planFor(p.Rank(), t, free)
		buffer, staging, padding = max(buffer, plan.buffer), max(staging, plan.connections*slots*plan.chunk), max(padding, plan.overhead(plan.chunk))
	}
	pad := rma.Memory(p, padding)
	area := rma.Memory(p, staging)
	segment := p.Expose(area)
	p.Expose(pad)
	r, err := newRunner(p, rma.Memory(p, buffer), area, pad, segment)
	if err != nil {
		return err
	}
	wire, err := w.wires(p, team)
	if err != nil {
		return err
	}
	for i, t := range w.trials {
		us, err := w.measure(p, team, r, t, wire)
		if err != nil {
			return fmt.Errorf("%s by %s, %s: %w", t.operation, t.algorithm, t.protocol, err)
		}
		workload.Progress(p, out, i+1, len(w.trials))
		if p.Rank() == 0 {
			w.tell(t, us, out)
		}
	}
	return nil
}

// measure returns the mean time of an operation, the longest of all ranks, in microseconds.
func (w *measurement) measure(p rma.Process, team *ranks.Team, r *runner, t trial, wire [2]units.Time) (float64, error) {
	plan := w.planFor(p.Rank(), t, func(from, to int) units.Time {
		together := w.together(from, to)
		on := wire[1]
		if together {
			on = wire[0]
		}
		return max(0, w.hopOf(t.algorithm, t.protocol, together)-on)
	})
	sum := units.Time(0)
	for i := range w.warmup + w.iterations {
		if _, err := team.Agree(0); err != nil {
			return 0, err
		}
		start := p.Now()
		if err := r.run(plan); err != nil {
			return 0, err
		}
		longest, err := team.Agree(p.Now() - start)
		if err != nil {
			return 0, err
		}
		if i >= w.warmup {
			sum += longest
		}
	}
	return sum.Microseconds() / float64(w.iterations), nil
}

// tell adds the rows of a trial.
func (w *measurement) tell(t trial, us float64, out *workload.Rows) {
	labels := []workload.Label{{Name: "operation", Value: t.operation}, {Name: "algorithm", Value: t.algorithm}, {Name: "protocol", Value: t.protocol}, {Name: "channels", Value: t.channels}}
	bytes := float64(t.bytes)
	if t.operation == "alltoall" {
		bytes = float64((&algorithm{layout: w.layout, bytes: t.bytes, skew: w.skew, seed: w.seed}).received())
	}
	bandwidth := bytes / us / 1000
	for _, row := range []struct {
		metric, unit string
		value        float64
	}{{"time", "us", us}, {"algbw", "GB/s", bandwidth}, {"busbw", "GB/s", bandwidth * factor(t.operation, float64(w.ranks()))}} {
		out.Add(workload.Row{Metric: row.metric, Unit: row.unit, Value: row.value, Bytes: t.bytes, Labels: labels})
	}
}

// wires measures how long a word takes between two ranks of a node, and between two nodes.
func (w *measurement) wires(p rma.Process, team *ranks.Team) (wire [2]units.Time, err error) {
	peers := [2]int{-1, -1}
	if w.each() > 1 {
		peers[0] = w.nodes[0][1]
	}
	if len(w.nodes) > 1 {
		peers[1] = w.nodes[1][0]
	}
	first := w.nodes[0][0]
	for i, peer := range peers {
		var took units.Time
		if peer >= 0 && p.Rank() == first {
			if took, err = ping(p, peer); err != nil {
				return wire, err
			}
		} else if p.Rank() == peer {
			if err = answer(p, first); err != nil {
				return wire, err
			}
		}
		if wire[i], err = team.Agree(took); err != nil {
			return wire, err
		}
	}
	return wire, nil
}

// ping returns half of the time of a word to a rank and back.
func ping(p rma.Process, to int) (units.Time, error) {
	start := p.Now()
	if err := word(p, to); err != nil {
		return 0, err
	}
	if err := hear(p); err != nil {
		return 0, err
	}
	return (p.Now() - start) / 2, nil
}

func answer(p rma.Process, to int) error {
	if err := hear(p); err != nil {
		return err
	}
	return word(p, to)
}

func word(p rma.Process, to int) error {
	op, err := p.IPush(to, make([]byte, 8), rma.DMA)
	if err != nil {
		return err
	}
	return p.Wait(op)
}

func hear(p rma.Process) error {
	a, err := p.Next()
	if err != nil {
		return err
	}
	return p.Take(a, make([]byte, a.Bytes), rma.Cached)
}
