package rmatest

import (
	"errors"
	"fmt"

	"musubi/rma"
	"musubi/units"
)

var windowChecks = []check{
	{"windows can be written and read", 2, useWindow},
	{"windows, segments and messages keep their order", 3, mixedOrder},
	{"mistakes with windows are told", 2, windowMistakes},
	{"windows that are withdrawn are not written", 2, withdrawnWindow},
}

// useWindow writes to a window of the other rank, when that has looked at it, and of
// itself, and reads them again, also with layouts, as far as the world takes these.
func useWindow(w *World, p rma.Process) error {
	segment, memory, err := p.ExposeWindow(layoutMemory)
	if err != nil {
		return err
	}
	if err := same("a new window", memory, make([]byte, layoutMemory)); err != nil {
		return err
	}
	if p.Rank() == 1 {
		op, err := p.IPush(0, nil, rma.DMA)
		return done(p, op, err)
	}
	if err := p.Await(); err != nil {
		return err
	}
	rng := random(p)
	for i := range 40 {
		image := text(0, i, layoutMemory)
		there := rma.Address{Rank: i % 2, Segment: segment}
		op, err := p.Push(there, image, w.mechanism(rng, layoutMemory))
		if err := done(p, op, err); err != nil {
			return err
		}
		n := 1 + rng.IntN(20)
		part := there
		part.Offset = rng.IntN(layoutMemory - n)
		copy(image[part.Offset:], text(1, i, n))
		op, err = p.Push(part, text(1, i, n), w.mechanism(rng, n))
		if err := done(p, op, err); err != nil {
			return err
		}
		if err := readWindow(p, there, image); err != nil {
			return fmt.Errorf("push %d of %d bytes at %d: %w", i, n, part.Offset, err)
		}
		if err := laidOut(p, there, image, i); err != nil {
			return err
		}
	}
	return nil
}

// readWindow compares a window, and where it is this rank's own its memory too.
func readWindow(p rma.Process, at rma.Address, want []byte) error {
	got, err := read(p, at, len(want))
	if err != nil {
		return err
	}
	if err := same("window pulled", got, want); err != nil || at.Rank != p.Rank() {
		return err
	}
	if err := p.Load(at.Segment, 0, rma.Layout{}, got, rma.Cached); err != nil {
		return err
	}
	return same("window loaded", got, want)
}

// laidOut reads a window that has the contents of image, and writes to it, with
// layouts.
func laidOut(p rma.Process, at rma.Address, image []byte, i int) error {
	l := layouts[i%len(layouts)]
	got := make([]byte, len(l.of))
	op, err := p.PullLayout(at, l.layout, got, rma.Layout{})
	if err := done(p, op, err); err != nil {
		return err
	}
	if err := same(fmt.Sprint("PullLayout ", i), got, picked(image, l.of)); err != nil {
		return err
	}
	packed := rma.Strided(1, 1, len(l.of))
	for _, near := range []rma.Layout{{}, packed} {
		data := text(2, i+near.Count, len(l.of))
		op, err := p.PushLayout(at, l.layout, data, near, rma.DMA)
		if err != nil {
			continue // refused
		}
		if err := p.Wait(op); err != nil {
			return err
		}
		for j, at := range l.of {
			image[at] = data[j]
		}
		if err := readWindow(p, at, image); err != nil {
			return fmt.Errorf("PushLayout %d: %w", i, err)
		}
	}
	return nil
}

// Ways in which the senders of mixedOrder send. Each leaves a mark, the number of the
// transfer.
const (
	byWindow = iota
	bySegment
	byMessage
	mixedWays
)

const (
	mixedCount  = 200 // transfers of each sender; marks are bytes
	mixedWindow = 8   // bytes for each rank
)

// mixedPlan draws which way the transfers of a sender take, from number 1 on. The last
// ones take each way once more.
func mixedPlan(w *World, sender int) (ways, lengths []int) {
	rng := newRandom(9, sender)
	for i := range mixedCount {
		way := rng.IntN(mixedWays)
		if left := mixedCount - i; left <= mixedWays {
			way = left - 1
		}
		n := 1 + w.length(rng)
		if way == byWindow {
			n = 1 + rng.IntN(mixedWindow)
		}
		ways, lengths = append(ways, way), append(lengths, n)
	}
	return ways, lengths
}

// mixedOrder lets ranks send to rank 0 by three ways at once, so that all that was sent
// before must be there when a mark is.
func mixedOrder(w *World, p rma.Process) error {
	part := area * w.Packet
	large := make([]byte, part*p.Size())
	segment := p.Expose(large)
	window, small, err := p.ExposeWindow(mixedWindow * p.Size())
	if err != nil {
		return err
	}
	if p.Rank() > 0 {
		return sendMixed(w, p,
			rma.Address{Segment: window, Offset: mixedWindow * (p.Rank() + 1)},
			rma.Address{Segment: segment, Offset: part * (p.Rank() + 1)})
	}
	r := newMixed(w, p, small, large)
	for range patience {
		if err := r.look(); err != nil {
			return err
		}
		if r.isComplete() {
			return nil
		}
		p.Compute(units.Microsecond)
	}
	return fmt.Errorf("after %d looks not all has come: %v", patience, r.marks)
}

// sendMixed sends what mixedPlan says, so that it ends at these addresses.
func sendMixed(w *World, p rma.Process, window, segment rma.Address) error {
	ways, lengths := mixedPlan(w, p.Rank())
	rng := random(p)
	var open []rma.Op
	for i, way := range ways {
		data := make([]byte, lengths[i])
		data[len(data)-1] = byte(i + 1)
		to := [...]rma.Address{byWindow: window, bySegment: segment, byMessage: {}}[way]
		to.Offset -= len(data)
		by := w.mechanism(rng, len(data))
		op, err := rma.Op(0), error(nil)
		if way == byMessage {
			op, err = p.IPush(0, data, by)
		} else {
			op, err = p.Push(to, data, by)
		}
		if err != nil {
			return err
		}
		if open = append(open, op); rng.IntN(20) > 0 {
			continue
		}
		for _, op := range open {
			if err := p.Wait(op); err != nil {
				return err
			}
		}
		open = nil
	}
	return errors.Join(waitFor(p, open)...)
}

func waitFor(p rma.Process, ops []rma.Op) []error {
	var errs []error
	for _, op := range ops {
		errs = append(errs, p.Wait(op))
	}
	return errs
}

// mixed is what rank 0 has seen of the others, by sender.
type mixed struct {
	p            rma.Process
	small, large []byte
	receiver     *rma.Receiver
	ways         [][]int
	marks        [][mixedWays]int // last seen
}

func newMixed(w *World, p rma.Process, small, large []byte) *mixed {
	m := &mixed{p: p, small: small, large: large, receiver: rma.NewReceiver(p)}
	for sender := range p.Size() {
		ways, _ := mixedPlan(w, sender)
		m.ways = append(m.ways, ways)
	}
	m.marks = make([][mixedWays]int, p.Size())
	return m
}

// look looks at the marks, first at those of one way, then at those of another.
func (m *mixed) look() error {
	for _, first := range []int{byWindow, bySegment, byMessage} {
		if err := m.see(first); err != nil {
			return err
		}
		before := make([][mixedWays]int, len(m.marks))
		copy(before, m.marks)
		for _, second := range []int{byMessage, bySegment, byWindow} {
			if err := m.see(second); err != nil {
				return err
			}
			if err := m.compare(before, first, second); err != nil {
				return err
			}
		}
	}
	return nil
}

// see brings the marks of one way up to date.
func (m *mixed) see(way int) error {
	if way == byMessage {
		return m.takeMessages()
	}
	memory := m.small
	if way == bySegment {
		memory = m.large
	}
	part := len(memory) / len(m.marks)
	return m.p.WaitUntil(func() bool {
		for sender := range m.marks {
			m.marks[sender][way] = int(memory[part*(sender+1)-1])
		}
		return true
	})
}

func (m *mixed) takeMessages() error {
	for {
		arrived, err := m.p.Poll()
		if err != nil || !arrived {
			return err
		}
		got, err := m.receiver.Receive()
		if err != nil {
			return err
		}
		m.marks[got.From][byMessage] = int(got.Data[len(got.Data)-1])
	}
}

// compare fails if marks of the second way are missing that were sent before those
// which had been seen of the first way.
func (m *mixed) compare(before [][mixedWays]int, first, second int) error {
	for sender := 1; sender < len(m.marks); sender++ {
		least := 0
		for i, way := range m.ways[sender][:before[sender][first]] {
			if way == second {
				least = i + 1
			}
		}
		if got := m.marks[sender][second]; got < least {
			return fmt.Errorf("transfer %d of rank %d, by way %d, has come before transfer %d, by way %d; there is %d",
				before[sender][first], sender, first, least, second, got)
		}
	}
	return nil
}

// isComplete reports whether the last mark of each way has come from all.
func (m *mixed) isComplete() bool {
	for sender := 1; sender < len(m.marks); sender++ {
		for way, mark := range m.marks[sender] {
			if mark != mixedCount-way {
				return false
			}
		}
	}
	return true
}

// windowMistakes lets rank 0 reach beyond a window of rank 1.
func windowMistakes(_ *World, p rma.Process) error {
	const size = 50
	segment, _, err := p.ExposeWindow(size)
	if err != nil || p.Rank() == 1 {
		return err
	}
	if _, _, err := p.ExposeWindow(-1); err == nil {
		return errors.New("a window of -1 bytes is exposed")
	}
	data := make([]byte, size+1)
	at := func(offset int) rma.Address { return rma.Address{Rank: 1, Segment: segment, Offset: offset} }
	for _, m := range []mistake{
		{"Push of more than a window", func() (rma.Op, error) { return p.Push(at(0), data, rma.DMA) }},
		{"Push over the end of a window", func() (rma.Op, error) { return p.Push(at(size-1), data[:2], rma.DMA) }},
		{"Push from before a window", func() (rma.Op, error) { return p.Push(at(-1), data[:2], rma.DMA) }},
		{"Push by an unknown mechanism", func() (rma.Op, error) { return p.Push(at(0), data[:2], 9) }},
		{"Pull over the end of a window", func() (rma.Op, error) { return p.Pull(at(size-1), data[:2]) }},
		{"Pull from far behind a window", func() (rma.Op, error) { return p.Pull(at(1<<40), data[:2]) }},
		{"PullLayout beyond a window", func() (rma.Op, error) {
			return p.PullLayout(at(0), rma.List(1, 0, size), data[:2], rma.Layout{})
		}},
		{"PushLayout of other bytes than there are", func() (rma.Op, error) {
			return p.PushLayout(at(0), rma.Strided(1, 2, 3), data[:2], rma.Layout{}, rma.DMA)
		}},
	} {
		op, err := m.do()
		if err == nil {
			err = p.Wait(op)
		}
		if err == nil {
			return fmt.Errorf("%s succeeds", m.name)
		}
	}
	return readWindow(p, at(0), make([]byte, size))
}

// withdrawnWindow lets rank 0 access a segment all the time, which is a window that
// rank 1 withdraws, then nothing, then memory. The memory that was withdrawn may
// be that of the next window, which nobody writes to.
func withdrawnWindow(_ *World, p rma.Process) error {
	if p.Rank() == 0 {
		return accessOn(p, rma.Address{Rank: 1})
	}
	for range 20 {
		segment, memory, err := p.ExposeWindow(8)
		if err != nil {
			return err
		}
		if err := p.WaitUntil(func() bool { return memory[7] != 0 }); err != nil {
			return err
		}
		if err := p.Withdraw(segment); err != nil {
			return err
		}
		memory = make([]byte, 8)
		if segment = p.Expose(memory); segment != 0 {
			return fmt.Errorf("segment %d is exposed; want 0, which was withdrawn", segment)
		}
		next, untouched, err := p.ExposeWindow(8)
		if err != nil {
			return err
		}
		if err := p.WaitUntil(func() bool { return memory[7] != 0 }); err != nil {
			return err
		}
		if err := same("a window that nobody writes to", untouched, make([]byte, 8)); err != nil {
			return err
		}
		if err := errors.Join(p.Withdraw(next), p.Withdraw(segment)); err != nil {
			return err
		}
	}
	op, err := p.IPush(0, nil, rma.DMA)
	return done(p, op, err)
}

// accessOn reads and writes until there is a message. Segments need not be there. The
// other rank may have to wait for a processor meanwhile.
func accessOn(p rma.Process, at rma.Address) error {
	const accesses = 100 * patience
	data, got := text(0, 0, 8), make([]byte, 8)
	for range accesses {
		op, err := p.Push(at, data, rma.DMA)
		_ = done(p, op, err)
		op, err = p.Pull(at, got)
		_ = done(p, op, err)
		arrived, err := p.Poll()
		if err != nil || arrived {
			return err
		}
	}
	return fmt.Errorf("no message after %d accesses", accesses)
}
