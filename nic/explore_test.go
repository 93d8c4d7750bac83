package nic

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
)

// explorer visits every state that a world can reach, depth first. It checks what
// must hold in each, and that from each the world can still be done.
type explorer struct {
	states  map[[16]byte]int32 // state to its number
	edges   [][2]int32         // from and to
	done    []int32
	depth   []*world   // one world for each level of the search
	actions [][]action // likewise
	path    []action
	limit   int
}

// explore returns the explorer when there are no more states, or an error with the
// actions that lead to a violation.
func explore(s *scenario, limit int) (*explorer, error) {
	w, err := newWorld(s)
	if err != nil {
		return nil, err
	}
	w.receiver.naive = nil // what follows must hold is checked without it
	e := &explorer{states: map[[16]byte]int32{}, limit: limit}
	if _, err := e.visit(w, 0); err != nil {
		return nil, fmt.Errorf("after %v: %w", e.path, err)
	}
	return e, e.checkProgress()
}

// visit explores what follows a state and returns its number.
func (e *explorer) visit(w *world, depth int) (int32, error) {
	key := w.fingerprint()
	if number, seen := e.states[key]; seen {
		return number, nil
	}
	number := int32(len(e.states))
	if len(e.states) == e.limit {
		return 0, fmt.Errorf("more than %d states", e.limit)
	}
	e.states[key] = number
	if w.done() {
		e.done = append(e.done, number)
		if err := w.checkDone(); err != nil {
			return 0, err
		}
	}
	if len(e.depth) == depth {
		e.depth = append(e.depth, w.clone())
		e.actions = append(e.actions, nil)
	}
	e.actions[depth] = w.actions(e.actions[depth][:0])
	for i := range e.actions[depth] {
		next := e.depth[depth]
		next.copyFrom(w)
		e.path = append(e.path, e.actions[depth][i])
		if err := next.apply(e.actions[depth][i]); err != nil {
			return 0, err
		}
		to, err := e.visit(next, depth+1)
		if err != nil {
			return 0, err
		}
		e.path = e.path[:len(e.path)-1]
		e.edges = append(e.edges, [2]int32{number, to})
	}
	return number, nil
}

// checkProgress goes backwards from the states where all is done. Those it does
// not reach are deadlocks, or lead to nothing else.
func (e *explorer) checkProgress() error {
	slices.SortFunc(e.edges, func(a, b [2]int32) int { return int(a[1]) - int(b[1]) })
	into := make([]int32, len(e.states)+1) // first edge that leads to a state
	for _, edge := range e.edges {
		into[edge[1]+1]++
	}
	for i := 1; i < len(into); i++ {
		into[i] += into[i-1]
	}
	reached := make([]bool, len(e.states))
	queue := slices.Clone(e.done)
	for _, s := range queue {
		reached[s] = true
	}
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, edge := range e.edges[into[s]:into[s+1]] {
			if from := edge[0]; !reached[from] {
				reached[from] = true
				queue = append(queue, from)
			}
		}
	}
	if i := slices.Index(reached, false); i >= 0 {
		return fmt.Errorf("from state %d of %d no way leads to the end", i, len(reached))
	}
	return nil
}

// clone returns a copy that shares nothing that changes.
func (w *world) clone() *world {
	c := &world{}
	c.copyFrom(w)
	return c
}

// copyFrom makes a world a copy of another, reusing its memory.
func (w *world) copyFrom(o *world) {
	w.scenario, w.stalled = o.scenario, o.stalled
	rings, slots := w.receiver.rings[:0], w.receiver.status.slots[:0]
	w.receiver = o.receiver
	w.receiver.rings = append(rings, o.receiver.rings...)
	w.receiver.status.slots = append(slots, o.receiver.status.slots...)
	w.memory = append(w.memory[:0], o.memory...)
	w.arriving = append(w.arriving[:0], o.arriving...)
	w.held = append(w.held[:0], o.held...)
	if w.lanes == nil {
		w.lanes = make([]lane, len(o.lanes))
	}
	for i := range o.lanes {
		packets, answers := w.lanes[i].packets[:0], w.lanes[i].answers[:0]
		w.lanes[i] = o.lanes[i]
		w.lanes[i].packets = append(packets, o.lanes[i].packets...)
		w.lanes[i].answers = append(answers, o.lanes[i].answers...)
	}
}

// fingerprint tells states apart. Worlds with the same one behave alike: it leaves
// out only which slots of the status ring records lie in, the order in which the
// consumer holds them, and how often a ring has been gone round.
func (w *world) fingerprint() [16]byte {
	b := append(make([]byte, 0, 512), byte(w.stalled))
	for i := range w.lanes {
		b = w.lanes[i].encode(b)
	}
	for _, a := range w.arriving {
		b = append(b, byte(a.from), byte(a.packet))
	}
	b = append(b, 0xff)
	for i := range w.receiver.rings {
		b = w.receiver.rings[i].encode(b, &w.receiver.status)
	}
	for i := w.receiver.status.first; i != none; i = w.receiver.status.slots[i].behind {
		b = append(b, byte(w.receiver.status.slots[i].Ring))
	}
	b = append(b, 0xff)
	b = append(b, w.memory...)
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16])
}

func (l *lane) encode(b []byte) []byte {
	b = append(b, byte(l.out.first), byte(l.out.first>>8), byte(l.out.n), byte(l.in.expected), byte(l.in.expected>>8), flag(l.in.nacked))
	b = append(b, byte(l.sent), byte(l.again), byte(l.records), byte(l.received), byte(l.message), byte(l.part))
	for _, p := range l.packets {
		b = append(b, byte(p))
	}
	b = append(b, 0xff)
	for _, a := range l.answers {
		b = append(b, byte(a.sequence), byte(a.sequence>>8), flag(a.nack))
	}
	return append(b, 0xff)
}

func (g *ring) encode(b []byte, s *status) []byte {
	b = append(b, byte(g.Head%uint64(g.Size)), byte(g.Used()), byte(g.promised-g.Head), byte(g.written-g.Head), byte(g.told-g.Head))
	b = append(b, byte(g.owner), flag(g.waiting), flag(g.closed))
	for i := g.oldest; i != none; i = s.slots[i].newer {
		slot := &s.slots[i]
		b = append(b, byte(slot.From), byte(slot.Bytes), byte(slot.extra), byte(slot.state), flag(slot.Last))
	}
	return append(b, 0xff)
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func TestExplore(t *testing.T) {
	private := func(sizes ...int) (c []RingConfig) {
		for _, n := range sizes {
			c = append(c, RingConfig{Size: n})
		}
		return c
	}
	shared := func(size int) []RingConfig {
		return []RingConfig{{Size: size, Shared: true, PerPacket: true}}
	}
	for _, c := range []struct {
		name     string
		s        scenario
		ring     []int
		status   Flags
		messages [][]int
	}{
		{"1 sender private stall", scenario{config: Config{Rings: private(3), Records: 2, Packet: 2}, wire: 2}, []int{0}, 0, [][]int{{3, 1, 2}}},
		{"2 shared stall", scenario{config: Config{Rings: shared(3), Records: 2, Packet: 2}, wire: 2}, []int{0, 0}, PacketStatus, [][]int{{3, 1}, {4, 2}}},
		{"3 shared stall", scenario{config: Config{Rings: shared(5), Records: 3, Packet: 2}, wire: 1}, []int{0, 0, 0}, PacketStatus, [][]int{{3, 1}, {4, 2}, {2, 3}}},
		{"3 shared nack", scenario{config: Config{Rings: shared(5), Records: 3, Packet: 2, Policy: SendNack}, wire: 2, window: 2, reliable: true}, []int{0, 0, 0}, PacketStatus, [][]int{{3}, {4}, {1}}},
		{"1 lossy", scenario{config: Config{Rings: private(3), Records: 3, Packet: 2, Policy: SendNack}, wire: 3, window: 3, reliable: true, lossy: true, timeouts: true, first: 4095}, []int{0}, 0, [][]int{{3, 1}}},
		{"1 lossy stall", scenario{config: Config{Rings: private(3), Records: 3, Packet: 2}, wire: 3, window: 3, reliable: true, lossy: true, timeouts: true, first: 4095}, []int{0}, 0, [][]int{{3, 1}}},
		{"2 lossy", scenario{config: Config{Rings: shared(3), Records: 3, Packet: 2, Policy: SendNack}, wire: 1, window: 2, reliable: true, lossy: true, timeouts: true, first: 4095}, []int{0, 0}, PacketStatus, [][]int{{3}, {3}}},
		{"2 lossy", scenario{config: Config{Rings: private(3, 2), Records: 3, Packet: 2, Policy: SendNack}, wire: 2, window: 2, reliable: true, lossy: true, timeouts: true, first: 4095}, []int{0, 1}, 0, [][]int{{3}, {1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.s
			for i, ring := range c.ring {
				s.config.Table = append(s.config.Table, ring)
				s.senders = append(s.senders, newSendPlan(&s.config, i, ring, c.status, c.messages[i]...))
			}
			e, err := explore(&s, 20e6)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d states, %d transitions, %d depth, %d end", len(e.states), len(e.edges), len(e.depth), len(e.done))
		})
	}
}
