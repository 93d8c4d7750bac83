package pairs

import (
	"slices"

	"musubi/mpi"
	"musubi/rma"
	"musubi/workload"
	"musubi/workload/internal/content"
	"musubi/workload/internal/ranks"
)

// Unexpected measures receives of messages that have come before.
var Unexpected = &workload.Workload{
	Name:       "unexpected",
	ListParams: []string{"bytes", "rings"},
	Summary:    "unexpected messages of package mpi: how many of them a receive searches",
	Params: []workload.Param{
		{Name: "messages", Default: "20", Help: "messages that each other rank sends"},
		{Name: "bytes", Default: "8", Help: "data of a message; " + workload.SizesHelp},
		{Name: "rings", Default: "private", Help: "receive rings: private (one for each sender), shared, or on simulated machines both as a list"},
	},
	Make: prepareUnexpected,
}

// unexpected lets all ranks send to rank 0, which posts its receives when all messages have
// arrived: one sender after the other, the last one first.
type unexpected struct {
	rings    string
	realTime bool // the clock goes on while a rank checks what it has
	messages int
	sizes    []int
}

func prepareUnexpected(v *workload.Values, env workload.Env) *workload.Plan {
	if env.Ranks < 2 {
		v.Fail("messages", "expected two ranks or more, and there is one")
	}
	w := unexpected{realTime: env.RealTime, messages: v.Int("messages", 1, 1e5), sizes: v.Sizes("bytes", env)}
	plan := ranks.WithRings(v, func(rings string) ranks.Program {
		w.rings = rings
		return w.run
	})
	plan.Data = int64(w.messages) * int64(env.Ranks) * int64(slices.Max(w.sizes)) // most of it at rank 0
	return plan
}

func (w unexpected) run(p rma.Process, out *workload.Rows) error {
	c, err := mpi.New(p, mpi.Options{Rings: w.rings, Check: mpi.CheckOff})
	if err != nil {
		return err
	}
	for i, size := range w.sizes {
		workload.Progress(p, out, i, len(w.sizes))
		sent := content.New(p, size)
		if p.Rank() > 0 {
			err = w.send(c, sent.Of(p.Rank(), 0, size))
		} else {
			err = w.receive(c, rma.Memory(p, size), sent, out)
		}
		if err != nil {
			return err
		}
	}
	return c.Close()
}

func (w unexpected) send(c *mpi.Comm, data []byte) error {
	var all []*mpi.Request
	for tag := range w.messages {
		r, err := mpi.ISend(c, 0, tag, data)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	return mpi.WaitAll(all...)
}

// receive adds the number of messages that a receive searches, and its time. It checks each message; in real time the last one
// only.
func (w unexpected) receive(c *mpi.Comm, into []byte, sent *content.Content, out *workload.Rows) error {
	for from := 1; from < c.Size(); from++ {
		if _, err := mpi.Probe(c, from, w.messages-1); err != nil {
			return err
		}
	}
	start, before := c.Process().Now(), c.Searched()
	for from := c.Size() - 1; from > 0; from-- {
		for tag := range w.messages {
			if _, err := mpi.Receive(c, from, tag, into); err != nil {
				return err
			}
			if w.realTime {
				continue
			}
			if err := sent.CheckReceived(into, from); err != nil {
				return err
			}
		}
	}
	receives := float64(w.messages * (c.Size() - 1))
	rings := []workload.Label{{Name: "rings", Value: w.rings}}
	out.Add(workload.Row{Metric: "searched", Unit: "messages", Value: float64(c.Searched()-before) / receives, Bytes: len(into), Labels: rings})
	if took := c.Process().Now() - start; took > 0 { // matching takes no simulated time
		out.Add(workload.Row{Metric: "receive", Unit: "us", Value: took.Microseconds() / receives, Bytes: len(into), Labels: rings})
	}
	if w.realTime {
		return sent.CheckReceived(into, 1)
	}
	return nil
}
