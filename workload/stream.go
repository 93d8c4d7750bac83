package workload

import (
	"slices"
	"strconv"

	"musubi/rma"
	"musubi/units"
)

var streamWorkload = &Workload{
	Name:    "stream",
	Summary: "bandwidth: one rank writes to, or reads from, another over and over",
	Params: []Param{
		bytesParam, mechanismParam, fromParam, toParam,
		{"operation", "push", "push (write) or pull (read)"},
		{"window", "", "transfers kept open; if empty, 1 where the network interface allows one in flight, else 16"},
		{"iterations", "100", "transfers measured"},
		{"warmup", "10", "transfers before"},
	},
	prepare: prepareStream,
}

// stream keeps a number of transfers open from one rank of a pair to the other.
// The figure is D/T, with T the mean time from one completion to the next; with
// a window of 1 that is the time from a request to its completion. Ranks that
// start no transfers stay silent.
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
		warmup:     v.int("warmup", 1, 1e6),
	}
	s.by = v.mechanism(env, slices.Max(s.sizes), "push", "pio")
	if s.pull && s.by == rma.PIO {
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

// measure returns the mean time of a transfer in microseconds. It counts from
// where the last transfer of the warm-up is seen to be complete to where the last
// one measured is, and keeps the window full all the time.
func (s *stream) measure(p rma.Process, remote rma.Address, data []byte) (float64, error) {
	last := s.warmup + s.iterations - 1
	open := make([]rma.Op, s.window)
	var start, end units.Time
	for i := 0; ; i++ {
		if done := i - s.window; done >= 0 {
			if err := p.Wait(open[i%s.window]); err != nil {
				return 0, err
			}
			open[i%s.window] = 0
			switch done {
			case s.warmup - 1:
				start = p.Now()
			case last:
				end = p.Now()
			}
		}
		if end > 0 {
			break
		}
		op, err := s.start(p, remote, data)
		if err != nil {
			return 0, err
		}
		open[i%s.window] = op
	}
	for _, op := range open {
		if err := p.Wait(op); err != nil {
			return 0, err
		}
	}
	return (end - start).Microseconds() / float64(s.iterations), nil
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
