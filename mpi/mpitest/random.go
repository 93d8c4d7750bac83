package mpitest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"musubi/mpi"
	"musubi/units"
)

var randomChecks = group{"random programs", []check{
	{name: "matching", program: func(c *mpi.Comm) error { return Random(c, 0, 6) }},
}}

// Random programs: every rank starts sends and receives in random order, with
// lengths on both sides of the eager limit, and then receives what is left. What has
// been received is checked against MPI's rules of matching.

const randomTags = 3

// Random runs the programs of some seeds, from the first one on.
func Random(c *mpi.Comm, seed, programs uint64) error {
	for seed := seed; programs > 0; seed++ {
		programs--
		t := newTraffic(seed, c.Size())
		if err := first(t.run(c), mpi.Barrier(c)); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return nil
}

// sent is a message of a random program. Messages of a pair of ranks are numbered in
// the order of their sends.
type sent struct {
	to, tag, bytes, number int
}

// received is a receive of a random program, in the order of the calls of a rank.
type received struct {
	from, tag int // as asked
	into      []byte
	request   *mpi.Request
	status    mpi.Status
}

// traffic is what all ranks send, known to all.
type traffic struct {
	seed  uint64
	sends [][]sent // by sender, in order
}

func newTraffic(seed uint64, ranks int) traffic {
	rng := rand.New(rand.NewPCG(seed, 0))
	t := traffic{seed: seed, sends: make([][]sent, ranks)}
	for from := range t.sends {
		numbers := make([]int, ranks)
		for range rng.IntN(30) {
			s := sent{to: rng.IntN(ranks), tag: rng.IntN(randomTags), bytes: 8 + rng.IntN(200)}
			if rng.IntN(4) == 0 {
				s.bytes += rng.IntN(12000)
			}
			s.number = numbers[s.to]
			numbers[s.to]++
			t.sends[from] = append(t.sends[from], s)
		}
	}
	return t
}

// fill makes the data of a message.
func (s *sent) fill(from int) []byte {
	b := text(s.bytes, from*31+s.number)
	binary.LittleEndian.PutUint32(b, uint32(from))
	binary.LittleEndian.PutUint32(b[4:], uint32(s.number))
	return b
}

// receives returns receives for all that a rank is sent, in random order. Which
// wildcards they have is such that none can take what another needs: by tag, by
// source, or all of them any.
func (t *traffic) receives(rank int, rng *rand.Rand) []received {
	var all []received
	form := rng.IntN(3)
	wild := rng.IntN(8) // bits: tags, or sources, that have wildcards
	for from, sends := range t.sends {
		for _, s := range sends {
			if s.to != rank {
				continue
			}
			r := received{from: from, tag: s.tag}
			switch {
			case form == 0 && wild>>s.tag&1 == 1:
				r.from = mpi.AnySource
			case form == 1 && wild>>(from%3)&1 == 1:
				r.tag = mpi.AnyTag
			case form == 2:
				r.from, r.tag = mpi.AnySource, mpi.AnyTag
			}
			r.into = make([]byte, 13000)
			all = append(all, r)
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// run is the program of a rank.
func (t *traffic) run(c *mpi.Comm) error {
	rng := rand.New(rand.NewPCG(t.seed, uint64(c.Rank())+1))
	receives := t.receives(c.Rank(), rng)
	sends := t.sends[c.Rank()]
	var requests []*mpi.Request
	posted, early := 0, rng.IntN(len(receives)+1)
	for len(sends) > 0 || posted < early {
		if posted < early && (len(sends) == 0 || rng.IntN(2) == 0) {
			r := &receives[posted]
			var err error
			if r.request, err = mpi.IReceive(c, r.from, r.tag, r.into); err != nil {
				return err
			}
			posted++
		} else {
			request, err := t.send(c, &sends[0], rng)
			if err != nil {
				return err
			}
			requests = append(requests, request)
			sends = sends[1:]
		}
		if err := dawdle(c, rng); err != nil {
			return err
		}
	}
	for i := posted; i < len(receives); i++ {
		if err := receiveLate(c, &receives[i], rng); err != nil {
			return err
		}
	}
	for i := range receives[:posted] {
		r := &receives[i]
		var err error
		if r.status, err = r.request.Wait(); err != nil {
			return err
		}
	}
	if err := mpi.WaitAll(requests...); err != nil {
		return err
	}
	return t.check(c.Rank(), receives)
}

// send starts one of the kinds of sends.
func (t *traffic) send(c *mpi.Comm, s *sent, rng *rand.Rand) (*mpi.Request, error) {
	data := s.fill(c.Rank())
	switch {
	case rng.IntN(4) == 0:
		return mpi.ISendSync(c, s.to, s.tag, data)
	case s.bytes <= 64 && rng.IntN(2) == 0: // whatever the limit, short ones are eager
		err := mpi.Send(c, s.to, s.tag, data)
		clear(data)
		return nil, err
	}
	return mpi.ISend(c, s.to, s.tag, data)
}

// dawdle does something that takes time, now and then.
func dawdle(c *mpi.Comm, rng *rand.Rand) error {
	switch rng.IntN(6) {
	case 0:
		c.Process().Compute(units.Time(rng.IntN(20)) * units.Microsecond)
	case 1:
		_, _, err := mpi.IProbe(c, mpi.AnySource, mpi.AnyTag)
		return err
	}
	return nil
}

// receiveLate receives in one of the ways that wait.
func receiveLate(c *mpi.Comm, r *received, rng *rand.Rand) (err error) {
	switch rng.IntN(3) {
	case 0:
		r.status, err = mpi.Receive(c, r.from, r.tag, r.into)
		return err
	case 1:
		probed, err := mpi.Probe(c, r.from, r.tag)
		if err != nil {
			return err
		}
		if r.status, err = mpi.Receive(c, probed.From, probed.Tag, r.into[:probed.Bytes]); err == nil && r.status != probed {
			err = fmt.Errorf("received %+v; probed %+v", r.status, probed)
		}
		return err
	}
	m, err := mpi.Match(c, r.from, r.tag)
	if err != nil {
		return err
	}
	r.status, err = mpi.ReceiveMatched(m, r.into[:m.Status().Bytes])
	return err
}

// check holds what a rank has received to MPI's rules.
func (t *traffic) check(rank int, receives []received) error {
	by := map[[2]int]int{} // which receive got a message of a sender, by its number
	for i := range receives {
		r := &receives[i]
		from, number := int(binary.LittleEndian.Uint32(r.into)), int(binary.LittleEndian.Uint32(r.into[4:]))
		s := t.find(from, rank, number)
		if s == nil {
			return fmt.Errorf("receive %d has got what nobody has sent", i)
		}
		if want := (mpi.Status{From: from, Tag: s.tag, Bytes: s.bytes}); r.status != want {
			return fmt.Errorf("receive %d: status %+v; expected %+v", i, r.status, want)
		}
		if !r.takes(from, s.tag) {
			return fmt.Errorf("receive %d from %d with tag %d has got a message from %d with tag %d", i, r.from, r.tag, from, s.tag)
		}
		if string(r.into[:s.bytes]) != string(s.fill(from)) {
			return fmt.Errorf("receive %d has got wrong data", i)
		}
		if other, twice := by[[2]int{from, number}]; twice {
			return fmt.Errorf("receives %d and %d have got the same message", other, i)
		}
		by[[2]int{from, number}] = i
	}
	return t.checkOrder(rank, receives, by)
}

// checkOrder fails if a message has been overtaken: if a receive that would have
// taken it got a later one of the same sender, and it went to a later receive.
func (t *traffic) checkOrder(rank int, receives []received, by map[[2]int]int) error {
	for from := range t.sends {
		for number := 0; ; number++ {
			earlier := t.find(from, rank, number)
			if earlier == nil {
				break
			}
			at, ok := by[[2]int{from, number}]
			if !ok {
				return fmt.Errorf("message %d of rank %d has not been received", number, from)
			}
			for i := range at {
				if r := &receives[i]; r.status.From == from && r.takes(from, earlier.tag) && int(binary.LittleEndian.Uint32(r.into[4:])) > number {
					return fmt.Errorf("message %d of rank %d has been overtaken: receive %d got a later one", number, from, i)
				}
			}
		}
	}
	return nil
}

// find returns a message of a pair, nil if there is none.
func (t *traffic) find(from, to, number int) *sent {
	if from >= len(t.sends) {
		return nil
	}
	for i := range t.sends[from] {
		if s := &t.sends[from][i]; s.to == to && s.number == number {
			return s
		}
	}
	return nil
}

// takes reports whether a receive asks for what is sent so.
func (r *received) takes(from, tag int) bool {
	return (r.from == mpi.AnySource || r.from == from) && (r.tag == mpi.AnyTag || r.tag == tag)
}
