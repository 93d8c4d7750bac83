package workload

import (
	"slices"

	"musubi/rma"
	"musubi/units"
)

var pingpongWorkload = &Workload{
	Name:    "pingpong",
	Summary: "latency: two ranks send a message back and forth",
	Params: []Param{
		bytesParam, mechanismParam, fromParam, toParam,
		{"iterations", "10", "round trips measured"},
		{"warmup", "2", "round trips before"},
	},
	prepare: preparePingpong,
}

// pingpong measures every size between every pair, one after the other. The
// latency is half a round trip: from the call of Push to the moment at which the
// partner sees the last byte. Ranks that are in no pair stay silent.
type pingpong struct {
	pairs              []pair
	sizes              []int
	by                 rma.Mechanism
	iterations, warmup int
}

func preparePingpong(v *values, env Env) *Plan {
	b := pingpong{
		pairs:      v.pairs(env),
		sizes:      v.sizes("bytes", env),
		iterations: v.int("iterations", 1, 1e6),
		warmup:     v.int("warmup", 0, 1e6),
	}
	b.by = v.mechanism(env, slices.Max(b.sizes), "push", "pio")
	return &Plan{Program: b.run}
}

func (b *pingpong) run(p rma.Process, out *Rows) error {
	results := newBoard(p, len(b.pairs)*len(b.sizes))
	first, inboxes := b.expose(p)
	for i, pair := range b.pairs {
		for j, size := range b.sizes {
			slot := i*len(b.sizes) + j
			progress(p, out, slot, len(b.pairs)*len(b.sizes))
			if !pair.includes(p.Rank()) {
				continue
			}
			e := exchange{
				p: p, segment: first + j, inbox: inboxes[j], message: make([]byte, size), by: b.by,
				count: i * (b.warmup + b.iterations),
			}
			if err := b.measure(pair, &e, results, slot); err != nil {
				return err
			}
		}
	}
	if p.Rank() != 0 {
		return nil
	}
	return b.rows(results, out)
}

// expose makes an inbox for every size and returns the number of the first, and
// all. As none is used for two sizes, a rank that is ahead does no harm to one
// that still finishes the size before. Ranks that are in no pair have empty ones.
func (b *pingpong) expose(p rma.Process) (first int, inboxes [][]byte) {
	takesPart := slices.ContainsFunc(b.pairs, func(q pair) bool { return q.includes(p.Rank()) })
	for i, size := range b.sizes {
		if !takesPart {
			size = 0
		}
		inboxes = append(inboxes, make([]byte, size))
		if segment := p.Expose(inboxes[i]); i == 0 {
			first = segment
		}
	}
	return first, inboxes
}

// measure does one rank's part for one pair and size.
func (b *pingpong) measure(pair pair, e *exchange, results *board, slot int) error {
	if e.p.Rank() == pair.from {
		half, err := b.ping(pair.to, e)
		if err != nil {
			return err
		}
		return results.put(slot, half)
	}
	for range b.warmup + b.iterations {
		if err := e.pong(pair.from); err != nil {
			return err
		}
	}
	return nil
}

// ping returns half of the mean round trip in microseconds.
func (b *pingpong) ping(partner int, e *exchange) (float64, error) {
	var start units.Time
	for i := range b.warmup + b.iterations {
		if i == b.warmup {
			start = e.p.Now()
		}
		if err := e.ping(partner); err != nil {
			return 0, err
		}
	}
	return (e.p.Now() - start).Microseconds() / float64(2*b.iterations), nil
}

func (b *pingpong) rows(results *board, out *Rows) error {
	latencies, err := results.all()
	if err != nil {
		return err
	}
	rate := func(size int, us float64) float64 { return float64(size) / us } // B/us is MB/s
	for _, metric := range []string{"latency", "bandwidth"} {
		for i, us := range latencies {
			pair, size := b.pairs[i/len(b.sizes)], b.sizes[i%len(b.sizes)]
			row := Row{Metric: metric, Unit: "us", Value: us, Bytes: size, Labels: pair.labels()}
			if metric == "bandwidth" {
				row.Unit, row.Value = "MB/s", rate(size, us)
			}
			out.Add(row)
		}
	}
	return nil
}

// exchange is messages of one size going back and forth. The last byte of a
// message is a mark that differs from that of the message before.
type exchange struct {
	p       rma.Process
	segment int
	inbox   []byte
	message []byte
	by      rma.Mechanism
	count   int // messages of this size before, with earlier partners as well
	mark    byte
}

func (e *exchange) next() {
	e.mark = byte(1 + e.count%255) // never 0, which a fresh inbox holds
	e.message[len(e.message)-1] = e.mark
	e.count++
}

func (e *exchange) push(partner int) (rma.Op, error) {
	return e.p.Push(rma.Address{Rank: partner, Segment: e.segment}, e.message, e.by)
}

func (e *exchange) receive() error {
	return e.p.WaitUntil(func() bool { return e.inbox[len(e.inbox)-1] == e.mark })
}

func (e *exchange) ping(partner int) error {
	e.next()
	op, err := e.push(partner)
	if err != nil {
		return err
	}
	if err := e.receive(); err != nil {
		return err
	}
	return e.p.Wait(op)
}

func (e *exchange) pong(partner int) error {
	e.next()
	if err := e.receive(); err != nil {
		return err
	}
	op, err := e.push(partner)
	if err != nil {
		return err
	}
	return e.p.Wait(op)
}
