package access

import (
	"bytes"
	"errors"
	"fmt"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ranks"
	"musubi/workload/internal/sample"
)

// gatherer is rank 0 of workload layouts. Elements that lie apart begin in exposed memory. The
// processor packs into memory of its own, because that is where Load brings them.
type gatherer struct {
	p       rma.Process
	packed  ranks.Segment // data in one piece, which comes from rank 1; where it goes to there
	apart   ranks.Segment // elements
	own     []byte        // elements in memory of the processor
	message []byte        // data in one piece in memory of the processor
	content []byte        // that is to be moved
	reads   []rma.Op
	rounds  int
}

// gap fills what lies between elements.
const gap = 0xee

// measure adds the results of a trial. Where the interface refuses, the other ways remain: machines
// may write in one piece only.
func (g *gatherer) measure(w layouts, t *layoutTrial, out *workload.Rows) error {
	var direct units.Time // of the interface
	for _, by := range t.ways {
		took, err := g.repeat(w, t, by)
		if errors.As(err, new(errRefused)) && len(t.ways) > 1 {
			continue
		}
		if err != nil {
			return fmt.Errorf("workload layouts, side=%s by=%s: %w", t.side, by, err)
		}
		if by == byLayout {
			direct = took
		}
		us := took.Microseconds()
		t.add(out, "transfer", "us", us, by)
		t.add(out, "bandwidth", "MB/s", float64(t.size)/us, by)
		if by != byLayout && direct > 0 {
			t.add(out, "ratio", "interface = 1", float64(took)/float64(direct), by)
		}
	}
	return nil
}

func (t *layoutTrial) add(out *workload.Rows, metric, unit string, value float64, by string) {
	labels := append(t.labels[:len(t.labels):len(t.labels)], workload.Label{Name: "by", Value: by})
	out.Add(workload.Row{Metric: metric, Unit: unit, Value: value, Bytes: t.size, Labels: labels})
}

// repeat returns the median time of a transfer, because real processes wait for a processor now and
// then, and verifies the last.
func (g *gatherer) repeat(w layouts, t *layoutTrial, by string) (units.Time, error) {
	for _, memory := range [][]byte{g.apart.Memory, g.own} {
		for i := range memory[:t.extent] {
			memory[i] = gap
		}
	}
	var times []units.Time
	for i := range w.warmup + w.iterations {
		if err := g.fill(t); err != nil {
			return 0, err
		}
		begin := g.p.Now()
		if err := g.once(t, by); err != nil {
			return 0, err
		}
		if i >= w.warmup {
			times = append(times, g.p.Now()-begin)
		}
	}
	return sample.Median(times), g.check(t, by)
}

// fill puts new data where the next transfer takes it from.
func (g *gatherer) fill(t *layoutTrial) error {
	g.rounds++
	content := g.content[:t.size]
	for i := range content {
		content[i] = byte(i*7 + i>>8*13 + g.rounds*101)
	}
	switch t.side {
	case sideGather:
		t.layout.Scatter(g.apart.Memory, content, 0)
		return nil
	case sideRemote:
		t.layout.Scatter(g.own, content, 0)
		return ranks.BlockingPush(g.p, g.remote(0), g.own[:t.extent], rma.DMA)
	}
	return ranks.BlockingPush(g.p, g.there(), content, rma.DMA)
}

// remote is an offset in the elements at rank 1.
func (g *gatherer) remote(offset int) rma.Address {
	return rma.Address{Rank: 1, Segment: g.apart.Number, Offset: offset}
}

// there is the piece at rank 1.
func (g *gatherer) there() rma.Address { return rma.Address{Rank: 1, Segment: g.packed.Number} }

// once moves the elements of a trial.
func (g *gatherer) once(t *layoutTrial, by string) error {
	switch {
	case by == byLayout:
		return g.direct(t)
	case t.side == sideScatter:
		return g.unpack(t)
	case t.side == sideRemote:
		return g.read(t, by)
	}
	if err := g.pack(t, by); err != nil {
		return err
	}
	return ranks.BlockingPush(g.p, g.there(), g.message[:t.size], rma.DMA)
}

// errRefused is the error of a machine whose interface does not do what a layout asks for.
type errRefused struct{ error }

// direct lets the interface gather or scatter.
func (g *gatherer) direct(t *layoutTrial) error {
	memory := g.apart.Memory[:t.extent]
	var op rma.Op
	var err error
	switch t.side {
	case sideGather:
		op, err = g.p.PushLayout(g.there(), rma.Layout{}, memory, t.layout, rma.DMA)
	case sideScatter:
		op, err = g.p.PullLayout(g.there(), rma.Layout{}, memory, t.layout)
	default:
		op, err = g.p.PullLayout(g.remote(0), t.layout, g.packed.Memory[:t.size], rma.Layout{})
	}
	if err != nil {
		return errRefused{err}
	}
	return g.p.Wait(op)
}

// pack lets the processor bring the elements to one piece in memory of its own.
func (g *gatherer) pack(t *layoutTrial, by string) error {
	message := g.message[:t.size]
	switch by {
	case byLoad:
		return g.load(g.apart, 0, t.layout, message)
	case bySpan:
		if err := g.load(g.apart, 0, rma.Layout{}, g.own[:t.extent]); err != nil {
			return err
		}
		t.layout.Gather(message, g.own, 0)
		return nil
	}
	for i := range t.layout.Count {
		element := message[i*t.layout.Element:][:t.layout.Element]
		if err := g.load(g.apart, t.offset(i), rma.Layout{}, element); err != nil {
			return err
		}
	}
	return nil
}

func (g *gatherer) load(from ranks.Segment, offset int, layout rma.Layout, into []byte) error {
	return g.p.Load(from.Number, offset, layout, into, rma.Cached)
}

// offset returns where an element begins.
func (t *layoutTrial) offset(i int) int {
	if t.layout.Offsets != nil {
		return t.layout.Offsets[i]
	}
	return i * t.layout.Stride
}

// unpack reads the piece, and lets the processor put its elements apart.
func (g *gatherer) unpack(t *layoutTrial) error {
	if err := blockingPull(g.p, g.there(), g.packed.Memory[:t.size]); err != nil {
		return err
	}
	if err := g.load(g.packed, 0, rma.Layout{}, g.message[:t.size]); err != nil {
		return err
	}
	t.layout.Scatter(g.own, g.message[:t.size], 0)
	return nil
}

// read reads remote elements one by one, or all from the first to the last, of which the processor
// takes the elements.
func (g *gatherer) read(t *layoutTrial, by string) error {
	if by == bySpan {
		if err := blockingPull(g.p, g.remote(0), g.apart.Memory[:t.extent]); err != nil {
			return err
		}
		return g.load(g.apart, 0, t.layout, g.message[:t.size])
	}
	g.reads = g.reads[:0]
	for i := range t.layout.Count {
		op, err := g.p.Pull(g.remote(t.offset(i)), g.packed.Memory[i*t.layout.Element:][:t.layout.Element])
		if err != nil {
			return err
		}
		g.reads = append(g.reads, op)
	}
	for _, op := range g.reads {
		if err := g.p.Wait(op); err != nil {
			return err
		}
	}
	return nil
}

func blockingPull(p rma.Process, from rma.Address, into []byte) error {
	op, err := p.Pull(from, into)
	if err != nil {
		return err
	}
	return p.Wait(op)
}

// check looks at every byte where the last transfer ended, and at those between.
func (g *gatherer) check(t *layoutTrial, by string) error {
	want, got := g.content[:t.size], make([]byte, t.size)
	switch {
	case t.side == sideGather:
		if err := blockingPull(g.p, g.there(), got); err != nil {
			return err
		}
	case t.side == sideRemote && by == bySpan:
		got = g.message[:t.size]
	case t.side == sideRemote:
		got = g.packed.Memory[:t.size]
	default:
		got = g.own[:t.extent]
		if by == byLayout {
			got = g.apart.Memory[:t.extent]
		}
		want = bytes.Repeat([]byte{gap}, t.extent)
		t.layout.Scatter(want, g.content[:t.size], 0)
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%d bytes in elements of %d are not where they belong", t.size, t.layout.Element)
	}
	return nil
}
