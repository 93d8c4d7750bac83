package hosttest_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/sim/machine"
	"musubi/units"
)

// world runs a plan, and keeps beside the machine what its memory and its rings
// must come to hold.
type world struct {
	*plan
	c     *host.Cluster
	seed  uint64
	image []byte     // of every rank, for others to pull
	boxes [][]byte   // of each rank, with a region for each that pushes to it
	want  [][]byte   // what must be in the boxes
	last  [][]int    // number of the last push of each rank to each other
	sent  [][][]part // what each rank gets from each other
	ended []int      // messages to each rank that are complete for their senders
	log   []string   // what happened when
}

// part is what one arrival brings of a message.
type part struct {
	data []byte
	last bool
}

var long = flag.Bool("long", false, "run the long tests")

// TestRandomPrograms runs random pushes, pulls and messages, contiguous and
// scattered, between ranks with random rings, on every machine. Memory and messages
// come out as if there were no machine between, and a second run is the same.
func TestRandomPrograms(t *testing.T) {
	variants := map[string][][]string{
		"rhinet2":  {{"ring.manage", "0ns"}, {"ring.manage", "300ns", "nic.in_flight", "4"}, {"switch.engine", "flit"}, {"switch.engine", "flow"}},
		"ndr":      {{}, {"ring.manage", "1us"}, {"nic.in_flight", "2"}, {"switch.engine", "flow", "packet.payload", "256B"}},
		"loggp":    {{}, {"ring.manage", "1us"}, {"loggp.o", "0ns", "loggp.L", "0ns", "loggp.g", "0ns"}},
		"dimmnet2": {{}, {"ring.full", "nack"}, {"swif.loss", "20000"}},
		"iqrouter": {{}},
		"ssscore": {{}, {"ring.manage", "0ns"}, {"sram.send", "32KiB", "sram.receive", "32KiB", "sram.reserve", "10KiB"}, {"bus.burst", "0"},
			{"conditions.scheduled", "0.4", "conditions.quantum", "50us"}, {"conditions.absent", "0.5", "conditions.evict", "100us", "os.page_in", "30us"},
			{"conditions.scheduled", "0.4", "conditions.quantum", "50us", "conditions.absent", "0.5", "os.page_in", "30us", "remote.routes", "2"}},
		"tofu2": {{}, {"ring.manage", "300ns", "nic.in_flight", "2"}, {"queue.engines", "1", "queue.per_process", "12"}, {"switch.engine", "flow", "packet.payload", "128B"}},
	}
	seeds := uint64(8) // as many as the most variants of a machine
	if *long {
		seeds = 100
	}
	for _, name := range machine.Names() {
		sets := append(variants[name], []string{})
		t.Run(name, func(t *testing.T) {
			for seed := range seeds {
				set := sets[seed%uint64(len(sets))]
				first, second := runPlan(t, name, seed, set), runPlan(t, name, seed, set)
				if !reflect.DeepEqual(first.log, second.log) || !reflect.DeepEqual(first.c.Report(), second.c.Report()) {
					t.Errorf("seed %d: two runs differ", seed)
				}
			}
		})
	}
}

// runPlan runs the random program of a seed.
func runPlan(t *testing.T, name string, seed uint64, set []string) *world {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	ranks := 2 + rng.IntN(7)
	const switches, hosts = 4, 2
	c := hosttest.NewCluster(t, name, "mesh:2x2", hosts, set...)
	if c.Fabric == nil {
		c = hosttest.NewCluster(t, name, "", switches*hosts, set...)
	}
	w := &world{plan: newPlan(rng, c, ranks), c: c, seed: seed, image: make([]byte, region), ended: make([]int, ranks)}
	for i := range w.image {
		w.image[i] = byte(rng.Uint32())
	}
	for range ranks {
		w.boxes = append(w.boxes, make([]byte, ranks*region))
		w.want = append(w.want, make([]byte, ranks*region))
		w.last = append(w.last, make([]int, ranks))
		w.sent = append(w.sent, make([][]part, ranks))
	}
	if rng.IntN(2) == 0 { // the user has chosen
		c.Config.Rings = append(w.rings, make([]rma.Rings, len(c.Ranks)-ranks)...)
	}
	stop := make(chan struct{})
	c.Config.Stop = stop
	c.Config.Progress = func(p host.Progress) {
		if p.Now > units.Second {
			close(stop)
		}
	}
	if err := c.Run(w.run); err != nil {
		t.Fatalf("seed %d with %v: %v", seed, set, err)
	}
	for r := range ranks {
		if !bytes.Equal(w.boxes[r], w.want[r]) {
			t.Errorf("seed %d with %v: memory of rank %d is wrong", seed, set, r)
		}
	}
	w.checkReport(t)
	return w
}

// checkReport compares the counters with the plan.
func (w *world) checkReport(t *testing.T) {
	t.Helper()
	want, got := int64(0), w.c.Report().Rings
	for _, from := range w.expects {
		for _, n := range from {
			want += int64(n)
		}
	}
	refused := int64(0)
	for _, actions := range w.actions {
		for _, a := range actions {
			if a.refused {
				refused++
			}
		}
	}
	if got.Messages != want || got.NoRing+got.TooLong != refused || got.Packets < want || got.StallTime < 0 || got.StallTime > 0 && got.Stalls == 0 {
		t.Errorf("seed %d: %+v; want %d messages and %d refused", w.seed, got, want, refused)
	}
}

// process is the part of one rank.
type process struct {
	rma.Process
	w        *world
	rng      *rand.Rand
	box, pic int // segments
	open     []opened
	unread   int // messages
	held     []int
	arrivals []received // in the order in which they came
}

type opened struct {
	op     rma.Op
	number int // among the pushes of its rank to its target
	action
}

type received struct {
	rma.Arrival
	data []byte // nil until it is taken
}

func (w *world) run(p rma.Process) error {
	me := p.Rank()
	if me >= len(w.rings) {
		return nil
	}
	s := &process{Process: p, w: w, rng: rand.New(rand.NewPCG(w.seed, uint64(me)))}
	s.box, s.pic = p.Expose(w.boxes[me]), p.Expose(w.image)
	if err := p.Rings(w.rings[me]); err != nil {
		return err
	}
	for _, n := range w.expects[me] {
		s.unread += n
	}
	for _, a := range w.actions[me] {
		p.Compute(a.pause)
		if err := s.begin(a); err != nil {
			return err
		}
		for range s.rng.IntN(3) {
			if err := s.step(); err != nil {
				return err
			}
		}
	}
	for len(s.open) > 0 || s.unread > 0 || len(s.held) > 0 {
		if err := s.step(); err != nil {
			return err
		}
	}
	return s.checkMessages()
}

// begin starts an action and enters what is to come of it.
func (s *process) begin(a action) error {
	w, me := s.w, s.Rank()
	var op rma.Op
	var err error
	switch a.kind {
	case host.Push:
		op, err = s.PushLayout(rma.Address{Rank: a.to, Segment: s.box, Offset: me*region + a.offset}, a.far, a.local, a.near, a.by)
	case host.Pull:
		op, err = s.PullLayout(rma.Address{Rank: a.to, Segment: s.pic, Offset: a.offset}, a.far, a.local, a.near)
	case host.IPush:
		op, err = s.IPush(a.to, a.local, a.by)
	}
	if err != nil {
		if strings.Contains(err.Error(), "expected no layout where data is written") {
			return nil // of cards
		}
		return err
	}
	if a.kind == host.Push {
		w.last[me][a.to]++
	}
	s.open = append(s.open, opened{op, w.last[me][a.to], a})
	if a.kind == host.IPush && !a.refused {
		ring, _ := ringFor(&w.rings[a.to], me)
		w.sent[a.to][me] = append(w.sent[a.to][me], parts(a.local, ring.Status, w.packet)...)
	}
	if a.kind == host.Push {
		far, near := places(a.far, a.size), places(a.near, a.size)
		for i := range far {
			w.want[a.to][me*region+a.offset+far[i]] = a.local[near[i]]
		}
	}
	return nil
}

// step looks for arrivals and completions, takes what has arrived in any order, and
// lets time pass. It never waits for its own transfers while others may wait for it
// to take something.
func (s *process) step() error {
	s.Compute(units.Time(1+s.rng.IntN(2000)) * units.Nanosecond)
	if err := s.look(); err != nil {
		return err
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		done, err := s.Test(s.open[i].op)
		if done || err != nil {
			if err := s.ended(&s.open[i], err); err != nil {
				return err
			}
			s.open = append(s.open[:i], s.open[i+1:]...)
		}
	}
	return nil
}

// look takes a record off the status ring if there is one, and a message that it
// has kept if there is none or it has kept some.
func (s *process) look() error {
	arrived, err := s.Poll()
	if err != nil {
		return err
	}
	if arrived {
		a, err := s.Next()
		if err != nil {
			return err
		}
		s.held = append(s.held, len(s.arrivals))
		s.arrivals = append(s.arrivals, received{Arrival: a})
		s.note("rank %d: %d bytes from %d, last: %v", s.Rank(), a.Bytes, a.From, a.Last)
		if a.Last {
			s.unread--
		}
	}
	if len(s.held) == 0 || arrived && s.rng.IntN(4) > 0 {
		return nil
	}
	i := s.rng.IntN(len(s.held))
	got := &s.arrivals[s.held[i]]
	s.held = append(s.held[:i], s.held[i+1:]...)
	got.data = make([]byte, got.Bytes)
	return s.Take(got.Arrival, got.data, rma.Caching(s.rng.IntN(2)))
}

// ended checks what has come of an action.
func (s *process) ended(a *opened, err error) error {
	s.note("rank %d: %v of %d bytes has ended: %v", s.Rank(), a.kind, a.size, err)
	switch {
	case a.refused && err == nil:
		return fmt.Errorf("%d bytes are sent to rank %d, which has no ring for them", a.size, a.to)
	case a.refused:
		return nil
	case err != nil:
		return err
	}
	w, me := s.w, s.Rank()
	near, far := places(a.near, a.size), places(a.far, a.size)
	switch a.kind {
	case host.IPush:
		w.ended[a.to]++
		// Cards tell of a message when they have acknowledged it.
		if there := int(counter(&w.c.Ranks[a.to], "Messages")); there < w.ended[a.to] && w.c.Traits.Windows == 0 {
			return fmt.Errorf("%d messages to rank %d are complete, %d are in its rings", w.ended[a.to], a.to, there)
		}
	case host.Pull:
		return same(a, a.local, near, w.image[a.offset:], far)
	case host.Push:
		if begin := me*region + a.offset; a.number == w.last[me][a.to] { // not overwritten since
			return same(a, w.boxes[a.to][begin:], far, w.want[a.to][begin:], far)
		}
	}
	return nil
}

// same fails unless got has at its places what want has at its own.
func same(a *opened, got []byte, gotAt []int, want []byte, wantAt []int) error {
	for i := range a.size {
		if got[gotAt[i]] != want[wantAt[i]] {
			return fmt.Errorf("byte %d of a complete %v of %d bytes with rank %d is wrong", i, a.kind, a.size, a.to)
		}
	}
	return nil
}

// parts cuts a message as the arrivals from a ring do.
func parts(message []byte, status rma.Status, packet int) []part {
	var all []part
	for status == rma.PerPacket && len(message) > packet {
		all = append(all, part{data: message[:packet]})
		message = message[packet:]
	}
	return append(all, part{message, true})
}

// checkMessages compares what has come from each sender with what it has sent.
func (s *process) checkMessages() error {
	got := make([][]part, len(s.w.rings))
	for _, a := range s.arrivals {
		got[a.From] = append(got[a.From], part{a.data, a.Last})
	}
	var wrong error
	for sender, sent := range s.w.sent[s.Rank()] {
		alike := func(a, b part) bool { return a.last == b.last && bytes.Equal(a.data, b.data) }
		if !slices.EqualFunc(got[sender], sent, alike) {
			wrong = errors.Join(wrong, fmt.Errorf("messages of rank %d are wrong", sender))
		}
	}
	return wrong
}

func (s *process) note(format string, args ...any) {
	s.w.log = append(s.w.log, fmt.Sprint(s.Now(), " ", fmt.Sprintf(format, args...)))
}
