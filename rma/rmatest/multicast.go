package rmatest

import (
	"errors"
	"fmt"

	"musubi/rma"
	"musubi/units"
)

// Worlds without rma.Multicaster pass these.
var multicastChecks = []check{
	{"a multicast brings the same to all", ringRanks, multicastAtRandom},
	{"a multicast without acknowledgements", 4, unconfirmed},
	{"the last byte of a multicast is the last", 4, multicastLast},
	{"multicasts that fail", 3, wrongMulticasts},
}

// methods returns the methods that the network knows.
func methods(p rma.Process) (rma.Multicaster, []rma.MulticastMethod) {
	m, ok := p.(rma.Multicaster)
	if !ok {
		return nil, nil
	}
	var known []rma.MulticastMethod
	for _, method := range []rma.MulticastMethod{rma.Chain, rma.Hierarchical} {
		if m.Multicasts(method) {
			known = append(known, method)
		}
	}
	return m, known
}

// multicastAtRandom lets each rank send to random ranks, itself sometimes included, and
// read what is there.
func multicastAtRandom(w *World, p rma.Process) error {
	m, known := methods(p)
	part := area * w.Packet
	segment := p.Expose(make([]byte, part*p.Size()))
	rng := random(p)
	for _, method := range known {
		images := make([][]byte, p.Size())
		for r := range images {
			images[r] = make([]byte, part)
			image, err := read(p, rma.Address{Rank: r, Segment: segment, Offset: p.Rank() * part}, part)
			if err != nil {
				return err
			}
			copy(images[r], image)
		}
		for i := range 20 {
			n := w.length(rng)
			data := text(p.Rank(), i, n)
			var to []rma.Address
			for _, r := range rng.Perm(p.Size())[:1+rng.IntN(p.Size())] {
				offset := rng.IntN(part - n)
				to = append(to, rma.Address{Rank: r, Segment: segment, Offset: p.Rank()*part + offset})
				copy(images[r][offset:], data)
			}
			op, err := m.MulticastPush(to, data, rma.Multicast{By: method})
			if i%3 == 0 && err == nil {
				if op, err = p.Fence(); err == nil { // waits for it as well
					err = p.Wait(op)
				}
			} else {
				err = done(p, op, err)
			}
			if err != nil {
				return fmt.Errorf("%v: %w", method, err)
			}
		}
		if err := comparePart(p, segment, part, images); err != nil {
			return fmt.Errorf("%v: %w", method, err)
		}
	}
	return nil
}

// unconfirmed sends to all others, which wait for it.
func unconfirmed(w *World, p rma.Process) error {
	m, known := methods(p)
	flags, data := make([]byte, 8), text(0, 1, w.Packet/2)
	memory := make([]byte, 2*len(data))
	segment, back := p.Expose(memory), p.Expose(flags)
	for number, method := range known {
		data[len(data)-1] = byte(number + 1)
		if p.Rank() > 0 {
			if err := p.WaitUntil(func() bool { return memory[len(data)-1] == byte(number+1) }); err != nil {
				return err
			}
			if err := same("what was sent unconfirmed", memory[:len(data)], data); err != nil {
				return err
			}
			op, err := p.Push(rma.Address{Segment: back, Offset: p.Rank()}, []byte{byte(number + 1)}, rma.DMA)
			if err := done(p, op, err); err != nil {
				return err
			}
			continue
		}
		var to []rma.Address
		for r := 1; r < p.Size(); r++ {
			to = append(to, rma.Address{Rank: r, Segment: segment})
		}
		op, err := m.MulticastPush(to, data, rma.Multicast{By: method, Unacknowledged: true})
		if err := done(p, op, err); err != nil {
			return err
		}
		all := func() bool {
			for r := 1; r < p.Size(); r++ {
				if flags[r] != byte(number+1) {
					return false
				}
			}
			return true
		}
		if err := p.WaitUntil(all); err != nil {
			return err
		}
	}
	return nil
}

// multicastLast lets ranks wait for the last byte of multicasts of several packets, and
// looks at the others.
func multicastLast(w *World, p rma.Process) error {
	m, known := methods(p)
	memory, flags := make([]byte, area*w.Packet), make([]byte, 8)
	segment, back := p.Expose(memory), p.Expose(flags)
	rng := newRandom(p.Size(), 0)
	number := byte(0)
	for _, method := range known {
		for range 10 {
			number++
			data := text(0, int(number), w.Packet+rng.IntN(2*w.Packet))
			last := len(data) - 1
			data[last] = number
			if p.Rank() > 0 {
				if err := p.WaitUntil(func() bool { return memory[last] == number }); err != nil {
					return err
				}
				if err := same("a multicast whose last byte is there", memory[:len(data)], data); err != nil {
					return fmt.Errorf("%v: %w", method, err)
				}
				clear(memory)
				op, err := p.Push(rma.Address{Segment: back, Offset: p.Rank()}, []byte{number}, rma.DMA)
				if err := done(p, op, err); err != nil {
					return err
				}
				continue
			}
			var to []rma.Address
			for r := 1; r < p.Size(); r++ {
				to = append(to, rma.Address{Rank: r, Segment: segment})
			}
			op, err := m.MulticastPush(to, data, rma.Multicast{By: method})
			if err := done(p, op, err); err != nil {
				return err
			}
			for r := 1; r < p.Size(); r++ {
				if err := p.WaitUntil(func() bool { return flags[r] == number }); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// wrongMulticasts fail in the call or in Wait. Where only one rank cannot have the data,
// others have it.
func wrongMulticasts(_ *World, p rma.Process) error {
	m, known := methods(p)
	memory := make([]byte, 64)
	segment := p.Expose(memory)
	if m == nil || p.Rank() > 0 {
		return nil
	}
	if m.Multicasts(rma.Hierarchical + 1) {
		return errors.New("the network claims to know a method that does not exist")
	}
	all := []rma.Address{{Rank: 1, Segment: segment}, {Rank: 2, Segment: segment}}
	if op, err := m.MulticastPush(all, make([]byte, 8), rma.Multicast{By: rma.Hierarchical + 1}); done(p, op, err) == nil {
		return errors.New("a multicast by a method that does not exist succeeds")
	}
	for i, method := range known {
		for what, to := range map[string][]rma.Address{
			"to nobody":             nil,
			"to a rank twice":       {{Rank: 1, Segment: segment}, {Rank: 1, Segment: segment, Offset: 8}},
			"to a rank that is not": {{Rank: 1, Segment: segment}, {Rank: 3, Segment: segment}},
			"to rank -1":            {{Rank: -1, Segment: segment}},
		} {
			if op, err := m.MulticastPush(to, make([]byte, 8), rma.Multicast{By: method}); done(p, op, err) == nil {
				return fmt.Errorf("%v: a multicast %s succeeds", method, what)
			}
		}
		data := text(0, i, 16)
		to := []rma.Address{{Rank: 1, Segment: segment, Offset: 60}, {Rank: 2, Segment: segment}}
		if op, err := m.MulticastPush(to, data, rma.Multicast{By: method}); done(p, op, err) == nil {
			return fmt.Errorf("%v: a multicast beyond the end of memory succeeds", method)
		}
		for range patience {
			got, err := read(p, to[1], len(data))
			if err != nil {
				return err
			}
			if same("", got, data) == nil {
				break
			}
			p.Compute(units.Microsecond)
		}
		got, err := read(p, to[1], len(data))
		if err != nil {
			return err
		}
		if err := same(fmt.Sprint(method, " that failed at one rank"), got, data); err != nil {
			return err
		}
		if got, err = read(p, rma.Address{Rank: 1, Segment: segment}, 64); err != nil {
			return err
		}
		if err := same("memory of the rank that could not", got[:60], make([]byte, 60)); err != nil {
			return err
		}
	}
	return nil
}
