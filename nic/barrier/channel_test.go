package barrier

import (
	"fmt"
	"math/rand/v2"
	"musubi/onesided"
	"testing"
)

// barrierWorld is members whose packets come in any order.
type barrierWorld struct {
	channels []Channel
	started  []int // operations of each member
	results  [][]Word
	flying   []Packet
	words    func(member, operation int) Word
	rounds   int
}

func newBarrierWorld(members, rounds int, words func(member, operation int) Word) *barrierWorld {
	w := &barrierWorld{
		channels: make([]Channel, members), started: make([]int, members), results: make([][]Word, members),
		words: words, rounds: rounds,
	}
	return w
}

// move is something that can happen next: a member joins or starts, its gate fires, or a packet comes.
type move struct {
	do func(w *barrierWorld, at int) error
	at int // member, or place of the packet
}

// moves adds what can happen next to a list.
func (w *barrierWorld) moves(list []move) []move {
	for m := range w.channels {
		c := &w.channels[m]
		switch {
		case c.members == 0:
			list = append(list, move{(*barrierWorld).join, m})
		case c.Ready():
			list = append(list, move{(*barrierWorld).fire, m})
		case !c.Running() && w.started[m] < w.rounds:
			list = append(list, move{(*barrierWorld).start, m})
		}
	}
	for i := range w.flying {
		list = append(list, move{(*barrierWorld).arrive, i})
	}
	return list
}

func (w *barrierWorld) join(m int) error {
	w.channels[m].Join(m, len(w.channels))
	return nil
}

func (w *barrierWorld) start(m int) error {
	w.started[m]++
	w.channels[m].Start(w.words(m, w.started[m]-1))
	return nil
}

func (w *barrierWorld) fire(m int) error {
	c := &w.channels[m]
	if p, sends := c.Fire(); sends {
		w.flying = append(w.flying, p)
	}
	if result, ok := c.Result(); ok {
		w.results[m] = append(w.results[m], result)
		for other, started := range w.started {
			if started < w.started[m] {
				return fmt.Errorf("member %d has the result of operation %d, which %d has not started", m, w.started[m], other)
			}
		}
	}
	return nil
}

func (w *barrierWorld) arrive(i int) error {
	p := w.flying[i]
	w.flying[i] = w.flying[len(w.flying)-1]
	w.flying = w.flying[:len(w.flying)-1]
	c := &w.channels[p.To]
	if c.early[parity(p.Odd)][p.Gate].there {
		return fmt.Errorf("gate %d of member %d has a word already", p.Gate, p.To)
	}
	c.Arrive(p)
	return nil
}

// finished checks a world in which nothing can happen any more.
func (w *barrierWorld) finished() error {
	for operation := range w.rounds {
		want := w.words(0, operation)
		for other := 1; other < len(w.channels); other++ {
			want = combined(want, w.words(other, operation))
		}
		for m, results := range w.results {
			if len(results) != w.rounds {
				return fmt.Errorf("member %d has %d results of %d", m, len(results), w.rounds)
			}
			if results[operation] != want {
				return fmt.Errorf("member %d has %v of operation %d, want %v", m, results[operation], operation, want)
			}
		}
	}
	return nil
}

// randomWords are such that all members want the same reduction in most operations.
func randomWords(seed uint64) func(member, operation int) Word {
	return func(member, operation int) Word {
		all := rand.New(rand.NewPCG(seed, uint64(operation)))
		own := rand.New(rand.NewPCG(seed^uint64(member+1)<<32, uint64(operation)))
		w := Word{Reduction: onesided.Reduction(all.IntN(int(Conflict)))}
		if all.IntN(4) == 0 {
			w.Reduction = onesided.Reduction(own.IntN(int(Conflict)))
		}
		if w.Reduction != onesided.NoOp {
			w.Value = int64(own.Uint64())
		}
		return w
	}
}

// Whatever the number of members and the order of all that happens, every member gets the
// result of every operation, none before all have started it, and no packet finds the place
// of another.
func TestChannelsInAnyOrder(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 1))
		members := 1 + rng.IntN(40)
		w := newBarrierWorld(members, 5, randomWords(seed))
		for moves := w.moves(nil); len(moves) > 0; moves = w.moves(moves[:0]) {
			next := moves[rng.IntN(len(moves))]
			if err := next.do(w, next.at); err != nil {
				t.Fatalf("seed %d, %d members: %v", seed, members, err)
			}
		}
		if err := w.finished(); err != nil {
			t.Fatalf("seed %d, %d members: %v", seed, members, err)
		}
	}
}

// The same in every order that there is, for few members.
func TestChannelsInEveryOrder(t *testing.T) {
	for _, test := range []struct{ members, rounds int }{{1, 3}, {2, 3}, {3, 2}, {4, 1}, {5, 1}} {
		seen := map[string]bool{}
		w := newBarrierWorld(test.members, test.rounds, randomWords(7))
		if test.members > 4 { // else members only join in other orders
			for m := range w.channels {
				w.channels[m].Join(m, test.members)
			}
		}
		if err := w.explore(seen); err != nil {
			t.Errorf("%d members, %d operations: %v", test.members, test.rounds, err)
		}
		t.Logf("%d members, %d operations: %d states", test.members, test.rounds, len(seen))
	}
}

// explore visits all states that can follow.
func (w *barrierWorld) explore(seen map[string]bool) error {
	key := w.key()
	if seen[key] {
		return nil
	}
	seen[key] = true
	moves := w.moves(nil)
	if len(moves) == 0 {
		return w.finished()
	}
	for _, move := range moves {
		next := w.clone()
		if err := move.do(next, move.at); err != nil {
			return err
		}
		if err := next.explore(seen); err != nil {
			return err
		}
	}
	return nil
}

// key tells states apart. What words are follows from where they are.
func (w *barrierWorld) key() string {
	var k []byte
	for m := range w.channels {
		c := &w.channels[m]
		k = append(k, byte(c.members), byte(w.started[m]), byte(len(w.results[m])), byte(c.at), byte(parity(c.fresh)))
		for odd := range c.early {
			for gate := range c.doubling + 4 {
				k = append(k, byte(parity(c.early[odd][gate].there)))
			}
		}
	}
	flying := map[[3]int]int{}
	for _, p := range w.flying {
		flying[[3]int{p.To, parity(p.Odd), int(p.Gate)}]++
	}
	return fmt.Sprint(string(k), flying) // maps are printed in order
}

func (w *barrierWorld) clone() *barrierWorld {
	next := *w
	next.channels = append([]Channel(nil), w.channels...)
	next.started = append([]int(nil), w.started...)
	next.flying = append([]Packet(nil), w.flying...)
	next.results = make([][]Word, len(w.results))
	for m := range w.results {
		next.results[m] = append([]Word(nil), w.results[m]...)
	}
	return &next
}

// A member passes as many gates as it takes by hand.
func TestChannelSteps(t *testing.T) {
	for members, want := range map[int]int{1: 1, 2: 2, 3: 3, 4: 3, 8: 4, 9: 5, 96: 8} {
		w := newBarrierWorld(members, 1, func(int, int) Word { return Word{} })
		fires := 0
		for m := range w.channels {
			w.channels[m].Join(m, members)
			w.channels[m].Start(Word{})
		}
		for {
			if w.channels[0].Ready() {
				fires++
			}
			moved := false
			for m := range w.channels {
				if w.channels[m].Ready() {
					moved = true
					if p, sends := w.channels[m].Fire(); sends {
						w.flying = append(w.flying, p)
					}
				}
			}
			for len(w.flying) > 0 {
				if err := w.arrive(0); err != nil {
					t.Fatal(err)
				}
			}
			if !moved {
				break
			}
		}
		if fires != want {
			t.Errorf("member 0 of %d fires %d times, want %d", members, fires, want)
		}
	}
}
