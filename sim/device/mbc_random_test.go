package device

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/units"
)

// ordeal is a run of ranks that access each other's memory at random, while processes are
// not scheduled, pages absent, routes unknown, and processes on their way. Each rank writes
// to regions of its own everywhere, so that it knows what must be there.
type ordeal struct {
	c        *Cluster
	seed     uint64
	ranks    int
	boxes    [][]byte // of each rank, with a region for each other one
	casts    [][]byte // of each rank, with a region for multicasts of each other one
	told     [][]byte // of each rank, with a place for each multicast of each other one that nobody acknowledges
	counters [][]byte // words that all add to
	taken    [][]bool // by rank of the counter: numbers that it has given out
	forged   []int    // by rank: attempts at its memory
	mustKnow [][]byte // what told must come to be
	log      []string
}

const (
	ordealRegion = 3*4096 + 100 // bytes
	ordealTold   = 40           // multicasts without acknowledgement, of each rank
	ordealNote   = 50           // bytes of each
)

// conditions draws under which conditions a run takes place.
func ordealConditions(rng *rand.Rand, ranks, hosts int) []string {
	set := []string{"os.page_in", "20us", "os.migrate", "30us"}
	add := func(key, value string) { set = append(set, key, value) }
	if rng.IntN(2) == 0 {
		add("conditions.scheduled", []string{"0.3", "0.5", "0.9"}[rng.IntN(3)])
		add("conditions.quantum", []string{"10us", "47us", "200us"}[rng.IntN(3)])
	}
	if rng.IntN(2) == 0 {
		add("conditions.absent", []string{"0.1", "0.5", "1"}[rng.IntN(3)])
		add("conditions.evict", []string{"0ns", "5us", "100us"}[rng.IntN(3)])
	}
	if rng.IntN(2) == 0 {
		add("remote.routes", []string{"1", "2", "3"}[rng.IntN(3)])
	}
	if rng.IntN(2) == 0 {
		add("sram.send", "24KiB")
		add("sram.receive", "24KiB")
		add("sram.reserve", "10KiB")
	}
	if rng.IntN(2) == 0 {
		var moves []string
		for i := range 1 + rng.IntN(4) { // each to a host of its own
			moves = append(moves, fmt.Sprintf("%d@%dus:%d", rng.IntN(ranks), rng.IntN(3000), ranks+i%(hosts-ranks)))
			if ranks+i+1 == hosts {
				break
			}
		}
		add("conditions.migrations", strings.Join(moves, ","))
	}
	return set
}

// TestOrdeals holds memory, words and fences to what a machine without all that would do.
func TestOrdeals(t *testing.T) {
	seeds := uint64(60)
	if *long {
		seeds = 3000
	}
	var use CaseUse
	for seed := range seeds {
		first, second := runOrdeal(t, seed), runOrdeal(t, seed)
		if !reflect.DeepEqual(first.log, second.log) || !reflect.DeepEqual(first.c.Report(), second.c.Report()) {
			t.Errorf("seed %d: two runs differ", seed)
		}
		use.add(first.c.Report().Cases)
	}
	for _, n := range []int64{use.Direct, use.NotScheduled, use.Absent, use.Behind, use.Forged, use.Forwarded, use.PageIns, use.Misses, use.Migrations} {
		if n == 0 {
			t.Errorf("not all cases have come about: %+v", use)
		}
	}
}

func runOrdeal(t *testing.T, seed uint64) *ordeal {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 21))
	const hosts = 12
	o := &ordeal{seed: seed, ranks: 2 + rng.IntN(5)}
	set := ordealConditions(rng, o.ranks, hosts)
	full := newCluster(t, "ssscore", "mesh:2x2", hosts/4, set...).cfg
	full.Hosts, full.Seed = full.Hosts[:o.ranks], seed
	c, err := New(full)
	if err != nil {
		t.Fatal(err)
	}
	o.c = c
	for range o.ranks {
		o.boxes = append(o.boxes, make([]byte, o.ranks*ordealRegion))
		o.casts = append(o.casts, make([]byte, o.ranks*ordealRegion))
		o.told = append(o.told, make([]byte, o.ranks*ordealTold*ordealNote))
		o.counters = append(o.counters, make([]byte, 8))
		o.mustKnow = append(o.mustKnow, make([]byte, len(o.told[0])))
		o.taken = append(o.taken, make([]bool, 1000))
		o.forged = append(o.forged, 0)
	}
	stop := make(chan struct{})
	c.cfg.Stop = stop
	c.cfg.Progress = func(p Progress) {
		if p.Now > 20*units.Second {
			close(stop)
		}
	}
	if err := c.Run(o.run); err != nil {
		t.Fatalf("seed %d with %v: %v", seed, set, err)
	}
	o.checkCounters(t)
	o.checkOffences(t)
	for r := range o.told {
		if !bytes.Equal(o.told[r], o.mustKnow[r]) {
			t.Errorf("seed %d: multicasts that nobody acknowledges are not as they should be at rank %d", seed, r)
		}
	}
	return o
}

// checkCounters sees that each number was given out once, and none beyond the last.
func (o *ordeal) checkCounters(t *testing.T) {
	t.Helper()
	for r, counter := range o.counters {
		n := int(binary.NativeEndian.Uint64(counter))
		for i, taken := range o.taken[r] {
			if taken != (i < n) {
				t.Errorf("seed %d: a counter of rank %d is %d; number %d has been given out: %v", o.seed, r, n, i, taken)
			}
		}
	}
}

// checkOffences sees that ranks have learnt who has tried what it had no right to.
func (o *ordeal) checkOffences(t *testing.T) {
	t.Helper()
	for r := range o.forged {
		times := 0
		for _, offence := range o.c.pager.processes[r].offences {
			times += int(offence.Times)
			if by := o.c.pager.processes[offence.Node].id; by != offence.By {
				t.Errorf("seed %d: rank %d is told of %+v; rank %d is %+v", o.seed, r, offence.By, offence.Node, by)
			}
		}
		if times != o.forged[r] {
			t.Errorf("seed %d: rank %d is told of %d attempts, want %d", o.seed, r, times, o.forged[r])
		}
	}
}

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
	if err := s.Wait(s.casting); err != nil {
		return err
	}
	return s.compare(s.want, s.wantCast)
}

// try starts something.
func (s *trier) try() error {
	to := s.rng.IntN(s.o.ranks)
	switch s.rng.IntN(10) {
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
	s.casting, err = s.Atomics.(rma.Multicaster).MulticastPush(to, data, rma.Multicast{By: rma.Manner(s.rng.IntN(2))})
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
	op, err := s.Atomics.(rma.Multicaster).MulticastPush(to, data, rma.Multicast{By: rma.Manner(s.rng.IntN(2)), Unconfirmed: true})
	return errors.Join(err, s.Wait(op))
}

// add takes a number from a counter.
func (s *trier) add(to int) error {
	was := new(int64)
	op, err := s.FetchOp(rma.Address{Rank: to, Segment: s.counter}, rma.Sum, 1, was)
	return s.started(op, err, func() error {
		if s.o.taken[to][*was] {
			return fmt.Errorf("number %d of rank %d is given out twice", *was, to)
		}
		s.o.taken[to][*was] = true
		return nil
	})
}

// forge names a wrong access id, and must not get through with it.
func (s *trier) forge(to int) error {
	s.o.c.pager.processes[s.me].mistake = uint16(1 + s.rng.IntN(1<<16-1))
	defer func() { s.o.c.pager.processes[s.me].mistake = 0 }()
	s.o.forged[to]++
	at := rma.Address{Rank: to, Segment: s.box, Offset: s.me * ordealRegion}
	var op rma.Op
	var err error
	was := int64(-1)
	switch s.rng.IntN(5) {
	case 0:
		op, err = s.Push(at, []byte{1, 2, 3}, rma.DMA)
	case 1:
		op, err = s.Pull(at, make([]byte, 3))
	case 2:
		at.Segment, at.Offset = s.counter, 0
		op, err = s.FetchOp(at, rma.Sum, 1, &was)
	default:
		op, err = s.Atomics.(rma.Multicaster).MulticastPush([]rma.Address{at}, []byte{1, 2, 3}, rma.Multicast{By: rma.Manner(s.rng.IntN(2))})
	}
	if err != nil {
		return err
	}
	if err := s.Wait(op); err == nil || !strings.Contains(err.Error(), "forged") || was != -1 {
		return fmt.Errorf("an access with a wrong access id ends with error %v, and has read %d", err, was)
	}
	return nil
}
