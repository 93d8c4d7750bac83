package halo

import (
	"math/bits"
	"slices"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/sample"
)

// Workload measures halo exchanges beside a computation.
var Workload = &workload.Workload{
	Name:       "halo",
	ListParams: []string{"bytes", "protocol", "queues"},
	Summary:    "exchange with the neighbours of a stencil, persistent or by messages: time, and how much of it a computation hides",
	Params: []workload.Param{
		{Name: "stencil", Default: "1d", Help: "1d (a ring, two neighbours), 2d5 (a torus, four), 2d9 (diagonals too, eight) or 3d (six)"},
		{Name: "calls", Default: "collective", Help: "collective: a persistent neighbourhood operation; pairs: a paired persistent send and receive for each neighbour; messages: ordinary messages, all receives and then all sends"},
		{Name: "protocol", Default: "auto", Help: "a list out of auto, prdma (the processor sees who is ready, and sends), fast (a command queue for each neighbour), mrc (one queue for all), eager (the processor sends at once, to a reserved slot) and agent (queues of one rank serve all ranks of its host), or all"},
		{Name: "queues", Default: "0", Help: "command queues of a rank, as a list or a range such as 1..4; 0: as many as the protocol needs. Other numbers need protocol=auto, or agent, for which they count the queues of a host"},
		{Name: "bytes", Default: "0..65535:1024", Help: "to each neighbour; " + workload.SizesHelp},
		{Name: "compute", Default: "exchange", Help: "computation beside the exchange: a time such as 5us, or exchange: as long as an exchange alone"},
		{Name: "iterations", Default: "", Help: "exchanges measured; if not given 5, or 1000 between real processes"},
		{Name: "warmup", Default: "", Help: "exchanges before, which are not measured; if not given 2, or 100 between real processes"},
	},
	Make: prepareHalo,
}

// halo measures exchanges of each size by each protocol: first alone, then with a computation
// between start and wait.
type halo struct {
	stencil            stencil
	calls              string // that exchange: collective, pairs or messages
	options            []mpi.ExchangeOptions
	sizes              []int
	compute            units.Time // 0: as long as the exchange
	iterations, warmup int
	realTime           bool
}

func prepareHalo(v *workload.Values, env workload.Env) *workload.Plan {
	v.OrOften(env, "5", "2")
	w := halo{
		stencil:    stencils[v.Choice("stencil", "1d", "2d5", "2d9", "3d")],
		calls:      v.Choice("calls", "collective", "pairs", "messages"),
		options:    exchangeOptions(v),
		sizes:      v.SizesFrom(0, "bytes", env),
		iterations: v.Int("iterations", 1, 1e7),
		warmup:     v.Int("warmup", 1, 1e6), // the first one connects the ranks
		realTime:   env.RealTime,
	}
	if w.calls == "messages" && slices.Max(v.Numbers("queues", 0, mostQueues)) > 0 {
		v.Fail("queues", "messages use no command queues; expected 0 with calls=messages")
	}
	if w.calls == "pairs" && slices.Max(v.Numbers("queues", 0, mostQueues)) > 0 {
		v.Fail("queues", "a pair has one command queue at each end; expected 0 with calls=pairs")
	}
	if v.Text("compute") != "exchange" {
		w.compute = v.Time("compute", units.Picosecond)
	}
	data := 2 * int64(len(w.stencil)) * int64(slices.Max(w.sizes)) * int64(env.Ranks)
	return &workload.Plan{
		Program: w.run, Data: max(1, data), Partners: len(w.stencil),
		Sends: func() (messages, bytes int64) { return w.sends(env.Ranks) },
	}
}

// sends returns about how many messages the ranks send, and how many bytes: for each size two checks,
// and alone and beside a computation the exchanges, some barriers and agreements on times.
func (w *halo) sends(ranks int) (messages, bytes int64) {
	const agreements = 8
	for range w.options {
		for _, size := range w.sizes {
			exchanges := int64(2+2*(w.warmup+w.iterations)) * int64(ranks) * int64(len(w.stencil))
			messages += exchanges + agreements*int64(ranks)*int64(bits.Len(uint(ranks)))
			bytes += exchanges * int64(size)
		}
	}
	return messages, bytes
}

var protocols = map[string]mpi.Protocol{"auto": mpi.Auto, "prdma": mpi.PRDMA, "fast": mpi.FAST, "mrc": mpi.MRC, "eager": mpi.Eager, "agent": mpi.Agent}

const mostQueues = 48 // command queues, more than any machine has

// exchangeOptions reads the parameters protocol and queues.
func exchangeOptions(v *workload.Values) []mpi.ExchangeOptions {
	queues := v.Numbers("queues", 0, mostQueues)
	if slices.Max(queues) > mostQueues {
		v.Fail("queues", "expected numbers from 0 to %d", mostQueues)
	}
	var list []mpi.ExchangeOptions
	for _, name := range v.Choices("protocol", []string{"auto", "prdma", "fast", "mrc", "eager", "agent"}) {
		for _, n := range queues {
			o := mpi.ExchangeOptions{Protocol: protocols[name], Queues: n}
			if n > 0 && name != "agent" {
				if name != "auto" {
					v.Fail("queues", "protocol=%s says how many there are; expected 0, or protocol=auto or agent", name)
				}
				o.Protocol = mpi.Shared
			}
			list = append(list, o)
		}
	}
	return list
}

func (w halo) run(p rma.Process, out *workload.Rows) error {
	return mpi.Run(p, func(c *mpi.Comm) error {
		g, err := w.stencil.topology(c)
		if err != nil {
			return err
		}
		total := len(w.options) * len(w.sizes)
		for i := range total {
			workload.Progress(p, out, i, total)
			if err := w.measure(g, w.options[i/len(w.sizes)], w.sizes[i%len(w.sizes)], out); err != nil {
				return err
			}
		}
		return nil
	}, mpi.Options{Check: mpi.CheckOff})
}

// measure adds the results for one size.
func (w halo) measure(g *mpi.Graph, options mpi.ExchangeOptions, size int, out *workload.Rows) error {
	e, err := newHaloExchange(g, size, options, w.calls, w.realTime)
	if err != nil {
		return err
	}
	if err := e.check(); err != nil { // also connects the ranks
		return err
	}
	t, err := e.times(w.warmup, w.iterations, w.compute)
	if err != nil {
		return err
	}
	if err := e.check(); err != nil {
		return err
	}
	if g.Rank() == 0 {
		row := workload.Row{Metric: "exchange", Unit: "us", Bytes: size, Sized: true, Value: sample.Median(t.alone.longest).Microseconds(), Labels: e.labels()}
		out.Add(row)
		row.Metric, row.Value = "total", sample.Median(t.both.longest).Microseconds()
		out.Add(row)
		row.Metric, row.Unit, row.Value = "overlap", "fraction", sample.Overlap(sample.Median(t.saved), sample.Median(t.alone.idle), t.compute)
		out.Add(row)
		row.Metric, row.Value = "time-overlap", timeOverlap(sample.Median(t.alone.longest), t.compute, sample.Median(t.both.longest))
		out.Add(row)
		addWaiting(out, row, t.alone.idle, "nothing")
		addWaiting(out, row, t.both.idle, "computation")
	}
	return e.free()
}

// addWaiting adds the waiting times from which overlap is computed.
func addWaiting(out *workload.Rows, row workload.Row, idle []units.Time, beside string) {
	row.Metric, row.Unit, row.Value = "waiting", "us", sample.Median(idle).Microseconds()
	row.Labels = append(slices.Clip(row.Labels), workload.Label{Name: "beside", Value: beside})
	out.Add(row)
}
