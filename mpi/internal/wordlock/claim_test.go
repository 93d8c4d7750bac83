package wordlock

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"sync/atomic"
	"testing"

	"musubi/internal/explore"
)

// use is how a rank of the model uses the lock once.
type use struct {
	kind   Kind
	others bool
}

// model is ranks that use a lock, each several times. Operations on words take place at once, and
// ranks learn of it later; messages from one rank to another keep their order. Ranks that hold the
// lock, or have ended, hear nothing: they compute.
type model struct {
	uses  [][]use // of each rank, in turn; not changed
	words [Words]int64
	ranks []rank
}

type rank struct {
	claim   Claim
	done    int // uses
	calls   bool
	learns  bool // an operation has taken place
	was     int64
	letters []letter // that have not been heard
}

type letter struct {
	from int
	m    Message
}

// action is a step of a rank, or what it hears from another one.
type action struct {
	rank  int
	hears int // index of the letter; -1: a step
}

func newModel(uses ...[]use) *model {
	m := &model{uses: uses, ranks: make([]rank, len(uses))}
	for i := range m.ranks {
		m.ranks[i].claim.Rank = i
	}
	return m
}

func (m *model) Blank() *model { return newModel(m.uses...) }

func (m *model) CopyFrom(from *model) {
	m.words = from.words
	for i := range m.ranks {
		letters := append(m.ranks[i].letters[:0], from.ranks[i].letters...)
		m.ranks[i] = from.ranks[i]
		m.ranks[i].letters = letters
	}
}

func (m *model) Fingerprint() (sum [16]byte) {
	h := fnv.New128a()
	binary.Write(h, binary.LittleEndian, m.words[:])
	for _, r := range m.ranks {
		fmt.Fprint(h, r)
	}
	h.Sum(sum[:0])
	return sum
}

func (m *model) Actions(to []action) []action {
	for i, r := range m.ranks {
		if r.learns || r.calls && r.claim.Next().Do != Await || !r.calls && r.done < len(m.uses[i]) {
			to = append(to, action{i, -1})
		}
		for n, l := range r.letters {
			if r.calls && !slices.ContainsFunc(r.letters[:n], func(before letter) bool { return before.from == l.from }) {
				to = append(to, action{i, n})
			}
		}
	}
	return to
}

func (m *model) Apply(a action) error {
	r := &m.ranks[a.rank]
	switch {
	case a.hears >= 0:
		l := r.letters[a.hears]
		r.letters = slices.Delete(r.letters, a.hears, a.hears+1)
		if !r.claim.Hear(l.from, l.m) {
			return fmt.Errorf("rank %d did not expect message %d of rank %d", a.rank, l.m, l.from)
		}
	case r.learns:
		r.learns = false
		r.claim.Changed(r.was)
	case !r.calls:
		m.call(r, m.uses[a.rank][r.done])
	default:
		m.step(a.rank, r)
	}
	if r.calls && r.claim.Next().Do == Nothing {
		r.calls = false
		if r.claim.Held == None {
			r.done++
		}
	}
	return m.check()
}

// call lets a rank begin to acquire or release the lock.
func (m *model) call(r *rank, u use) {
	r.calls = true
	if r.claim.Held == None {
		r.claim.Acquire(u.kind, u.others)
	} else {
		r.claim.Release()
	}
}

// step does what a rank wants.
func (m *model) step(number int, r *rank) {
	s := r.claim.Next()
	switch s.Do {
	case Tell:
		to := &m.ranks[s.To]
		to.letters = append(to.letters, letter{number, s.Message})
		r.claim.Told()
	case Change, Swap:
		r.learns, r.was = true, m.words[s.Word]
		if s.Do == Swap || r.was == s.Expected {
			m.words[s.Word] = s.Operand
		}
	}
}

// check fails if a writer is not alone, from the end of its call on to the beginning of the next.
func (m *model) check() error {
	readers, writers := 0, 0
	for _, r := range m.ranks {
		switch {
		case r.calls:
		case r.claim.Held == Shared:
			readers++
		case r.claim.Held == Exclusive:
			writers++
		}
	}
	if writers > 1 || writers == 1 && readers > 0 {
		return fmt.Errorf("%d ranks write, and %d read", writers, readers)
	}
	return nil
}

func (m *model) Done() bool {
	for i, r := range m.ranks {
		if r.calls || r.done < len(m.uses[i]) {
			return false
		}
	}
	return true
}

func (m *model) CheckDone() error {
	for i, r := range m.ranks {
		if len(r.letters) > 0 || r.claim.next != 0 || r.claim.turned || r.claim.given {
			return fmt.Errorf("rank %d has messages left", i)
		}
	}
	if m.words != [Words]int64{} {
		return fmt.Errorf("words %x at the end; expected zeros", m.words)
	}
	return nil
}

// In all orders of steps and messages writers are alone, all get the lock, and nothing is left.
func TestLockInAllOrders(t *testing.T) {
	read, write, more := use{Shared, false}, use{Exclusive, false}, use{Shared, true}
	for name, uses := range map[string][][]use{
		"two writers, twice":      {{write, write}, {write, write}},
		"three writers":           {{write}, {write}, {write}},
		"readers and a writer":    {{read}, {read}, {write}},
		"readers of both lanes":   {{write}, {read}, {more}},
		"writers and a holder":    {{write}, {write}, {more}},
		"holders and a writer":    {{more}, {more}, {write}},
		"readers, then they hold": {{read, more}, {write, read}},
		"write, then read":        {{write, read}, {read, write}},
	} {
		t.Run(name, func(t *testing.T) {
			states, err := explore.From[*model, action](newModel(uses...))
			if err != nil {
				t.Error(err)
			}
			t.Logf("%d states", states)
		})
	}
}

// An operation acquires a free lock, and another one releases it.
func TestFreeLockTakesOneOperation(t *testing.T) {
	for _, kind := range []Kind{Shared, Exclusive} {
		var words [Words]int64
		c := Claim{Rank: 3}
		for _, begin := range []func(){func() { c.Acquire(kind, false) }, c.Release} {
			begin()
			operations := 0
			for s := c.Next(); s.Do != Nothing; s = c.Next() {
				operations++
				was := words[s.Word]
				if was == s.Expected {
					words[s.Word] = s.Operand
				}
				c.Changed(was)
			}
			if operations != 1 {
				t.Errorf("kind %d: %d operations; expected 1", kind, operations)
			}
		}
		if c.Held != None || words != [Words]int64{} {
			t.Errorf("kind %d: held %d, words %x after the release", kind, c.Held, words)
		}
	}
}

// TestFreeLocksTakeOneChange: TakeFree and LeaveFree do what the steps of Acquire and Release do, if the first of these succeeds, and
// nothing otherwise.
func TestFreeLocksTakeOneChange(t *testing.T) {
	inSteps := func(c *Claim, word *atomic.Int64, want Kind) bool {
		s := c.Next()
		if s.Do != Change || s.Word != State || !word.CompareAndSwap(s.Expected, s.Operand) {
			return false
		}
		c.Changed(s.Expected)
		return c.Held == want && c.Next().Do == Nothing
	}
	for _, kind := range []Kind{Shared, Exclusive} {
		alone, _ := state(0).grant(kind)
		for _, was := range []state{0, 1, 2, Writer, alone.enter(ordinary, 3, Exclusive), alone.enter(holding, 3, Shared)} {
			var word, inTwo atomic.Int64
			word.Store(int64(was))
			inTwo.Store(int64(was))
			var at, by Claim
			by.Acquire(kind, false)
			if took, want := at.TakeFree(kind, &word), inSteps(&by, &inTwo, kind); took != want || took != (was == 0) || word.Load() != inTwo.Load() {
				t.Errorf("kind %d from state %#x: taken %v, state %#x; in steps %v, %#x", kind, was, took, word.Load(), want, inTwo.Load())
			}
		}
		for _, was := range []state{alone, alone + 1, alone.enter(ordinary, 3, Exclusive), alone.enter(holding, 3, Shared)} {
			var word, inTwo atomic.Int64
			word.Store(int64(was))
			inTwo.Store(int64(was))
			at, by := Claim{Held: kind}, Claim{Held: kind}
			by.Release()
			left, want := at.LeaveFree(&word), inSteps(&by, &inTwo, None)
			if left && !want || left && word.Load() != inTwo.Load() || !left && (word.Load() != int64(was) || at.Held != kind) || left != (was == alone) {
				t.Errorf("release of kind %d from state %#x: left %v, state %#x; in steps %v, %#x", kind, was, left, word.Load(), want, inTwo.Load())
			}
		}
	}
}
