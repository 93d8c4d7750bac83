package workload

import (
	"slices"
	"strconv"

	"musubi/rma"
)

var streamWorkload = &Workload{
	Name:    "stream",
	Summary: "bandwidth: one rank writes to, or reads from, another over and over",
	Params: []Param{
		bytesParam, mechanismParam, fromParam, toParam,
		{"operation", "push", "push (write) or pull (read)"},
		{"window", "", "transfers kept open; if empty, 1 where the network interface allows one in flight, else 16"},
		{"iterations", "1000", "transfers measured"},
		{"warmup", "10", "transfers before"},
	},
	prepare: prepareStream,
}

// stream keeps a number of transfers open from one rank of a pair to the other.
// The figure is D/T, with T the mean time of a transfer; with a window of 1 that
// is the time from a request to its completion. Ranks that start no transfers stay
// silent.
type stream struct {
	pairs              []pair
	sizes              []int
	by                 rma.Mechanism
	pull               bool
	window             int
	iterations, warmup int
}

func prepareStream(v *values, env Env) *Plan {
	v.or("window", strconv.Itoa(usualWindow(env)))
	s := stream{
		pairs:      v.pairs(env),
		sizes:      v.sizes("bytes", env),
		pull:       v.choice("operation", "push", "pull") == "pull",
		window:     v.int("window", 1, 1<<16),
		iterations: v.int("iterations", 1, 1e6),
		warmup:     v.int("warmup", 0, 1e6),
	}
	s.by = v.mechanism(env, slices.Max(s.sizes), "push", "pio")
	if s.pull && s.by == rma.BOTF {
		v.fail("mechanism", "operation=pull reads by DMA only")
	}
	return &Plan{Program: s.run}
}

func usualWindow(env Env) int {
	if env.InFlight == 1 {
		return 1
	}
	return 16
}

func (s *stream) run(p rma.Process, out *Rows) error {
	results := newBoard(p, len(s.pairs)*len(s.sizes))
	segment := p.Expose(s.memory(p.Rank()))
	slot := 0
	for _, pair := range s.pairs {
		for _, size := range s.sizes {
			progress(p, out, slot, len(s.pairs)*len(s.sizes))
			if p.Rank() == pair.from {
				t, err := s.measure(p, rma.Address{Rank: pair.to, Segment: segment}, make([]byte, size))
				if err != nil {
					return err
				}
				if err := results.put(slot, t); err != nil {
					return err
				}
			}
			slot++
		}
	}
	if p.Rank() != 0 {
		return nil
	}
	return s.rows(results, out)
}

// memory returns what a rank lets others write to and read from.
func (s *stream) memory(rank int) []byte {
	if !slices.ContainsFunc(s.pairs, func(q pair) bool { return q.to == rank }) {
		return nil
	}
	return make([]byte, slices.Max(s.sizes))
}

// measure returns the mean time of a transfer in microseconds: from the first
// request to the last completion, over the number of transfers. Nothing is under
// way when it begins, so that no transfer counts that had a head start.
func (s *stream) measure(p rma.Process, remote rma.Address, data []byte) (float64, error) {
	if err := s.transfer(p, remote, data, s.warmup); err != nil {
		return 0, err
	}
	start := p.Now()
	if err := s.transfer(p, remote, data, s.iterations); err != nil {
		return 0, err
	}
	return (p.Now() - start).Microseconds() / float64(s.iterations), nil
}

// transfer makes n transfers, of which it keeps up to a window open, and waits
// for all.
func (s *stream) transfer(p rma.Process, remote rma.Address, data []byte, n int) error {
	open := make([]rma.Op, min(s.window, n))
	for i := range n + len(open) {
		slot := &open[i%len(open)]
		if err := p.Wait(*slot); err != nil {
			return err
		}
		if i >= n {
			continue
		}
		var err error
		if *slot, err = s.start(p, remote, data); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) start(p rma.Process, remote rma.Address, data []byte) (rma.Op, error) {
	if s.pull {
		return p.Pull(remote, data)
	}
	return p.Push(remote, data, s.by)
}

func (s *stream) rows(results *board, out *Rows) error {
	times, err := results.all()
	if err != nil {
		return err
	}
	for _, metric := range []string{"bandwidth", "message_rate"} {
		for i, us := range times {
			pair, size := s.pairs[i/len(s.sizes)], s.sizes[i%len(s.sizes)]
			row := Row{Metric: metric, Unit: "MB/s", Value: float64(size) / us, Bytes: size, Labels: pair.labels()}
			if metric == "message_rate" {
				row.Unit, row.Value = "1/s", 1e6/us
			}
			out.Add(row)
		}
	}
	return nil
}
