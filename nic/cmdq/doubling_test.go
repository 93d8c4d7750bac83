package cmdq

import (
	"crypto/md5"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/internal/explore"
)

// doubling is persistent allgathers by recursive doubling on command queues, as package mpi has them
// for barriers and allreduces: in step k a rank sends what it has to rank xor 2^k, from a queue for
// that step. The put of a step arrives at the queue of the next step there, and so does one of the
// rank itself, from behind it; both together open the gate of that queue.
type doubling struct {
	ranks, rounds int
	gateless      bool // a fault: the first arrival opens the gate
	single        bool // a fault: rounds share one buffer
	state         []doublingRank
	flying        [][]flight // from each queue to each queue, in order
}

// doublingRank is a rank with its queues. Blocks hold the round from which they are, 0 if none.
type doublingRank struct {
	started, ended, notices int
	blocks                  [2][]int
	queues                  []Pointers
	completed               []int
}

// flight is a put on its way.
type flight struct {
	advance int
	notice  bool
	parity  int
	first   int
	blocks  []int
}

// doublingCommand is one of a round's, for a queue at a rank.
type doublingCommand struct {
	nop          bool
	rank, step   int // target
	advance      int
	notice, data bool
}

func newDoubling(ranks, rounds int) *doubling {
	d := &doubling{ranks: ranks, rounds: rounds, state: make([]doublingRank, ranks)}
	for r := range d.state {
		s := &d.state[r]
		s.blocks = [2][]int{make([]int, ranks), make([]int, ranks)}
		s.completed = make([]int, d.steps())
		for k := range d.steps() {
			s.queues = append(s.queues, OpenPointers(k > 0, 0))
		}
	}
	queues := ranks * d.steps()
	d.flying = make([][]flight, queues*queues)
	return d
}

func (d *doubling) steps() int { return bits.Len(uint(d.ranks)) - 1 }

// program is the commands of a queue in each round.
func (d *doubling) program(rank, k int) []doublingCommand {
	last := k == d.steps()-1
	puts := []doublingCommand{{rank: rank ^ 1<<k, step: min(k+1, d.steps()-1), notice: last, data: true}}
	if !last {
		puts[0].advance = 1
		puts = append(puts, doublingCommand{rank: rank, step: k + 1, advance: 1})
	}
	if k == 0 {
		return puts
	}
	gate := doublingCommand{rank: rank, step: k, advance: len(puts)}
	if d.gateless {
		gate.advance--
		return append([]doublingCommand{gate}, puts...)
	}
	return append([]doublingCommand{{nop: true}, gate}, puts...)
}

// doublingAction starts a round of a rank, ends it, lets a queue carry out a command, or lets a put
// arrive.
type doublingAction struct{ kind, at int }

const (
	doublingStart = iota
	doublingEnd
	doublingRun
	doublingArrive
)

func (d *doubling) Actions(to []doublingAction) []doublingAction {
	for r := range d.state {
		s := &d.state[r]
		switch {
		case s.started == s.ended && s.started < d.rounds:
			to = append(to, doublingAction{doublingStart, r})
		case s.started > s.ended && d.isComplete(r):
			to = append(to, doublingAction{doublingEnd, r})
		}
		for k := range s.queues {
			if s.queues[k].Ready() > 0 {
				to = append(to, doublingAction{doublingRun, r*d.steps() + k})
			}
		}
	}
	for i, puts := range d.flying {
		if len(puts) > 0 {
			to = append(to, doublingAction{doublingArrive, i})
		}
	}
	return to
}

// isComplete reports whether a rank finds that its round is over.
func (d *doubling) isComplete(r int) bool {
	s := &d.state[r]
	for k := range s.queues {
		if s.completed[k] < s.started*len(d.program(r, k)) {
			return false
		}
	}
	return s.notices > 0
}

func (d *doubling) Apply(a doublingAction) error {
	switch a.kind {
	case doublingStart:
		d.start(&d.state[a.at], a.at)
	case doublingEnd:
		return d.end(&d.state[a.at], a.at)
	case doublingRun:
		d.run(a.at/d.steps(), a.at%d.steps())
	case doublingArrive:
		d.arrive(a.at)
	}
	return nil
}

func (d *doubling) start(s *doublingRank, r int) {
	s.started++
	s.blocks[d.parity(s.started)][r] = s.started
	for k := range s.queues {
		s.queues[k].Write += uint64(len(d.program(r, k)))
	}
}

func (d *doubling) parity(round int) int {
	if d.single {
		return 0
	}
	return round % 2
}

// end fails if a block of another rank is not that of the round.
func (d *doubling) end(s *doublingRank, r int) error {
	for of, round := range s.blocks[d.parity(s.started)] {
		if round != s.started {
			return fmt.Errorf("rank %d ends round %d with a block of rank %d from round %d", r, s.started, of, round)
		}
	}
	s.ended++
	s.notices--
	return nil
}

// run carries out the next command of a queue: it reads the data, and sends it.
func (d *doubling) run(r, k int) {
	s := &d.state[r]
	program := d.program(r, k)
	at := int(s.queues[k].Read)
	s.queues[k].Read++
	c := program[at%len(program)]
	if c.nop {
		s.completed[k]++
		return
	}
	p := flight{advance: c.advance, notice: c.notice}
	if c.data {
		p.parity, p.first = d.parity(1+at/len(program)), r>>k<<k
		p.blocks = slices.Clone(s.blocks[p.parity][p.first : p.first+1<<k])
	}
	way := (r*d.steps()+k)*d.ranks*d.steps() + c.rank*d.steps() + c.step
	d.flying[way] = append(slices.Clone(d.flying[way]), p)
}

// arrive writes the oldest put on a way, and completes its command.
func (d *doubling) arrive(way int) {
	from, to := way/(d.ranks*d.steps()), way%(d.ranks*d.steps())
	p := d.flying[way][0]
	d.flying[way] = d.flying[way][1:]
	target := &d.state[to/d.steps()]
	copy(target.blocks[p.parity][p.first:], p.blocks)
	target.queues[to%d.steps()].Advance(p.advance)
	if p.notice {
		target.notices++
	}
	d.state[from/d.steps()].completed[from%d.steps()]++
}

func (d *doubling) Done() bool {
	return !slices.ContainsFunc(d.state, func(s doublingRank) bool { return s.ended < d.rounds })
}

func (d *doubling) CheckDone() error { return nil }

func (d *doubling) Blank() *doubling {
	b := newDoubling(d.ranks, d.rounds)
	b.gateless, b.single = d.gateless, d.single
	return b
}

func (d *doubling) CopyFrom(from *doubling) {
	for r := range d.state {
		a, b := &d.state[r], &from.state[r]
		a.started, a.ended, a.notices = b.started, b.ended, b.notices
		copy(a.queues, b.queues)
		copy(a.completed, b.completed)
		for i := range a.blocks {
			copy(a.blocks[i], b.blocks[i])
		}
	}
	copy(d.flying, from.flying) // puts on a way are not changed
}

// Fingerprint is of a byte for each number, as none gets to 256 in a few rounds.
func (d *doubling) Fingerprint() [16]byte {
	b := make([]byte, 0, 512)
	for _, s := range d.state {
		b = append(b, byte(s.started), byte(s.ended), byte(s.notices))
		b = appendBytes(b, s.blocks[0])
		b = appendBytes(b, s.blocks[1])
		for _, q := range s.queues {
			b = append(b, byte(q.Write), byte(q.Read), byte(q.Scheduled), byte(q.Done), byte(q.Taken))
		}
		b = appendBytes(b, s.completed)
	}
	for _, way := range d.flying {
		b = append(b, byte(len(way)))
		for _, p := range way {
			b = append(b, byte(p.advance), bit(p.notice), byte(p.parity), byte(p.first), byte(len(p.blocks)))
			b = appendBytes(b, p.blocks)
		}
	}
	return md5.Sum(b)
}

// appendBytes appends small numbers.
func appendBytes(b []byte, numbers []int) []byte {
	for _, n := range numbers {
		b = append(b, byte(n))
	}
	return b
}

// TestExploreDoubling lets ranks, engines and network do everything in every order: no rank ends a
// round with a block of another round, and from each state all can end all rounds. With -long four ranks do, with -nightly in
// three rounds.
func TestExploreDoubling(t *testing.T) {
	sizes := [][2]int{{2, 4}}
	switch {
	case *nightly:
		sizes = append(sizes, [2]int{4, 3})
	case *long:
		sizes = append(sizes, [2]int{4, 2})
	}
	for _, size := range sizes {
		states, err := explore.From(newDoubling(size[0], size[1]))
		if err != nil {
			t.Fatalf("%d ranks: %v", size[0], err)
		}
		t.Logf("%d ranks, %d rounds: %d states", size[0], size[1], states)
	}
}

// walk does what can be done in a random order, now and then one thing for as long as possible.
func (d *doubling) walk(random *rand.Rand) error {
	weight := make([]float64, 4*len(d.flying))
	for i := range weight {
		weight[i] = random.ExpFloat64() * random.ExpFloat64()
	}
	for {
		actions := d.Actions(nil)
		if len(actions) == 0 {
			break
		}
		best := slices.MinFunc(actions, func(a, b doublingAction) int {
			if weight[4*a.at%len(weight)+a.kind] < weight[4*b.at%len(weight)+b.kind] {
				return -1
			}
			return 1
		})
		if random.IntN(4) == 0 {
			best = actions[random.IntN(len(actions))]
		}
		if err := d.Apply(best); err != nil {
			return err
		}
	}
	if !d.Done() {
		return fmt.Errorf("nothing can happen any more, and not all rounds have ended")
	}
	return nil
}

func walks(n int, change func(d *doubling)) error {
	random := rand.New(rand.NewPCG(7, 7))
	for i := range n {
		d := newDoubling(2<<(i%3), 4)
		change(d)
		if err := d.walk(random); err != nil {
			return fmt.Errorf("%d ranks: %w", d.ranks, err)
		}
	}
	return nil
}

// TestDoublingInRandomOrders does so with more ranks than can be explored, some things being much
// slower than others.
func TestDoublingInRandomOrders(t *testing.T) {
	n := 300
	switch {
	case *nightly:
		n = 20_000
	case *long:
		n = 2_000
	}
	if err := walks(n, func(*doubling) {}); err != nil {
		t.Error(err)
	}
}

// TestDoublingFindsFaults plants faults, and expects the walks to find them.
func TestDoublingFindsFaults(t *testing.T) {
	for name, change := range map[string]func(d *doubling){
		"the first arrival opens the gate": func(d *doubling) { d.gateless = true },
		"rounds share one buffer":          func(d *doubling) { d.single = true },
	} {
		if err := walks(600, change); err == nil {
			t.Errorf("%s: not found", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}
