package memory

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"musubi/rma"
	"musubi/units"
)

// trier is the part of one rank.
type trier struct {
	rma.Atomics
	o         *ordeal
	rng       *rand.Rand
	me        int
	box, cast int // segments
	note      int
	counter   int
	want      [][]byte // what must come to be in its region at each rank
	wantCast  [][]byte // the same of multicasts
	casting   rma.Op   // the last multicast
	notes     int      // multicasts that nobody acknowledges
	mail      letters
	open      []tried
}

// tried is something under way.
type tried struct {
	op    rma.Op
	check func() error
}

func (o *ordeal) run(p rma.Process) error {
	s := &trier{Atomics: p.(rma.Atomics), o: o, me: p.Rank(), rng: rand.New(rand.NewPCG(o.seed, 100+uint64(p.Rank())))}
	s.box, s.counter = p.Expose(o.boxes[s.me]), p.Expose(o.counters[s.me])
	s.cast, s.note = p.Expose(o.casts[s.me]), p.Expose(o.told[s.me])
	s.mail = letters{sent: make([]int, o.ranks), taken: make([]int, o.ranks)}
	for range o.ranks {
		s.wantCast = append(s.wantCast, make([]byte, ordealRegion))
		s.want = append(s.want, make([]byte, ordealRegion))
	}
	for range 5 + s.rng.IntN(30) {
		p.Compute(units.Time(s.rng.IntN(100)) * units.Microsecond)
		if err := s.try(); err != nil {
			return err
		}
		for len(s.open) > 0 && s.rng.IntN(3) == 0 {
			if err := s.wait(s.rng.IntN(len(s.open))); err != nil {
				return err
			}
		}
	}
	for len(s.open) > 0 {
		if err := s.wait(0); err != nil {
			return err
		}
	}
	if err := errors.Join(s.Wait(s.casting), s.readAll()); err != nil {
		return err
	}
	return s.compare(s.want, s.wantCast)
}

// try starts something.
func (s *trier) try() error {
	to := s.rng.IntN(s.o.ranks)
	switch s.rng.IntN(13) {
	case 10, 11:
		return s.write(to)
	case 12:
		return s.read()
	case 8:
		return s.multicast()
	case 9:
		return s.tell()
	case 0:
		return s.fence()
	case 1:
		return s.add(to)
	case 2, 3:
		return s.pull(to)
	case 4:
		return s.forge(to)
	}
	return s.push(to)
}

func (s *trier) wait(i int) error {
	open := s.open[i]
	s.open = append(s.open[:i], s.open[i+1:]...)
	err := s.Wait(open.op)
	s.o.log = append(s.o.log, fmt.Sprint(s.Now(), " rank ", s.me, ": ", err))
	return errors.Join(err, open.check())
}

func (s *trier) started(op rma.Op, err error, check func() error) error {
	s.open = append(s.open, tried{op, check})
	return err
}

func (s *trier) region(to int) (at rma.Address, n int) {
	n = s.rng.IntN([]int{2, 200, ordealRegion}[s.rng.IntN(3)])
	return rma.Address{Rank: to, Segment: s.box, Offset: s.me*ordealRegion + s.rng.IntN(ordealRegion-n)}, n
}

func (s *trier) push(to int) error {
	at, n := s.region(to)
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(s.rng.Uint32())
	}
	copy(s.want[to][at.Offset-s.me*ordealRegion:], data)
	op, err := s.Push(at, data, rma.DMA)
	return s.started(op, err, nothing)
}

func nothing() error { return nil }

// pull reads what nobody writes meanwhile: what it has written before is there first.
func (s *trier) pull(to int) error {
	op, err := s.Fence()
	if err := errors.Join(err, s.Wait(op)); err != nil {
		return err
	}
	at, n := s.region(to)
	begin := at.Offset - s.me*ordealRegion
	got, want := make([]byte, n), bytes.Clone(s.want[to][begin:begin+n])
	op, err = s.Pull(at, got)
	if err := errors.Join(err, s.Wait(op)); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%d bytes at %v are not what was written", n, at)
	}
	return nil
}

// fence must not be complete before what it covers is in memory.
func (s *trier) fence() error {
	op, err := s.Fence()
	if err := errors.Join(err, s.Wait(op)); err != nil {
		return err
	}
	return s.compare(s.want, s.wantCast)
}

func (s *trier) compare(want, wantCast [][]byte) error {
	begin, end := s.me*ordealRegion, (s.me+1)*ordealRegion
	for r := range want {
		if !bytes.Equal(s.o.boxes[r][begin:end], want[r]) {
			return fmt.Errorf("after a fence, what rank %d has written to rank %d is not there", s.me, r)
		}
		if !bytes.Equal(s.o.casts[r][begin:end], wantCast[r]) {
			return fmt.Errorf("after a fence, what rank %d has sent to many is not at rank %d", s.me, r)
		}
	}
	return nil
}

// multicast sends to several, at the same address or not, when the one before is done.
func (s *trier) multicast() error {
	if err := s.Wait(s.casting); err != nil {
		return err
	}
	data := make([]byte, s.rng.IntN([]int{2, 200, ordealRegion}[s.rng.IntN(3)]))
	for i := range data {
		data[i] = byte(s.rng.Uint32())
	}
	alike, begin := s.rng.IntN(2) == 0, s.rng.IntN(ordealRegion-len(data))
	var to []rma.Address
	for _, r := range s.rng.Perm(s.o.ranks)[:1+s.rng.IntN(s.o.ranks)] {
		if !alike {
			begin = s.rng.IntN(ordealRegion - len(data))
		}
		to = append(to, rma.Address{Rank: r, Segment: s.cast, Offset: s.me*ordealRegion + begin})
		copy(s.wantCast[r][begin:], data)
	}
	var err error
	s.casting, err = s.Atomics.(rma.Multicaster).MulticastPush(to, data, rma.Multicast{By: rma.MulticastMethod(s.rng.IntN(2))})
	return err
}

// tell sends to several, of which nobody acknowledges it.
func (s *trier) tell() error {
	if s.notes == ordealTold {
		return nil
	}
	begin := (s.me*ordealTold + s.notes) * ordealNote
	s.notes++
	data := bytes.Repeat([]byte{byte(s.notes)}, ordealNote)
	var to []rma.Address
	for _, r := range s.rng.Perm(s.o.ranks)[:1+s.rng.IntN(s.o.ranks)] {
		to = append(to, rma.Address{Rank: r, Segment: s.note, Offset: begin})
		copy(s.o.mustKnow[r][begin:], data)
	}
	by := rma.MulticastMethod(s.rng.IntN(2))
	if modelOf(s.o.c).lossy {
		by = rma.Chain // others may be lost
	}
	op, err := s.Atomics.(rma.Multicaster).MulticastPush(to, data, rma.Multicast{By: by, Unacknowledged: true})
	return errors.Join(err, s.Wait(op))
}

// add takes a number from a counter, or two by one request.
func (s *trier) add(to int) error {
	was := make([]int64, 1+s.rng.IntN(2))
	at := rma.Address{Rank: to, Segment: s.counter}
	var op rma.Op
	var err error
	if len(was) == 1 {
		op, err = s.FetchOp(at, rma.Sum, 1, &was[0])
	} else {
		c := rma.Change{At: at, Reduction: rma.Sum, Operand: 1}
		list := []rma.Change{c, c}
		list[0].Was, list[1].Was = &was[0], &was[1]
		op, err = s.Atomics.(rma.Sequencer).Sequence(list)
	}
	return s.started(op, err, func() error {
		for _, n := range was {
			if s.o.taken[to][n] {
				return fmt.Errorf("number %d of rank %d is given out twice", n, to)
			}
			s.o.taken[to][n] = true
		}
		return nil
	})
}

// forge names a wrong access id, and must not get through with it.
func (s *trier) forge(to int) error {
	me := &modelOf(s.o.c).residents.processes[s.me]
	me.claim = claim{made: true, id: me.id.Access ^ uint16(1+s.rng.IntN(1<<16-1))}
	defer func() { me.claim = claim{} }()
	s.o.forged[to]++
	at := rma.Address{Rank: to, Segment: s.box, Offset: s.me * ordealRegion}
	var op rma.Op
	var err error
	was := int64(-1)
	switch s.rng.IntN(6) {
	case 0:
		op, err = s.Push(at, []byte{1, 2, 3}, rma.DMA)
	case 1:
		op, err = s.Pull(at, make([]byte, 3))
	case 2:
		at.Segment, at.Offset = s.counter, 0
		op, err = s.FetchOp(at, rma.Sum, 1, &was)
	case 3:
		at.Segment, at.Offset = s.counter, 0
		op, err = s.Atomics.(rma.Sequencer).Sequence([]rma.Change{{At: at, Reduction: rma.Sum, Operand: 1, Was: &was}})
	default:
		op, err = s.Atomics.(rma.Multicaster).MulticastPush([]rma.Address{at}, []byte{1, 2, 3}, rma.Multicast{By: rma.MulticastMethod(s.rng.IntN(2))})
	}
	if err != nil {
		return err
	}
	if err := s.Wait(op); err == nil || !strings.Contains(err.Error(), "forged") || was != -1 {
		return fmt.Errorf("an access with a wrong access id ends with error %v, and has read %d", err, was)
	}
	return nil
}
