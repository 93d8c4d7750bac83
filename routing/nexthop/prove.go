package nexthop

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Proof is what Prove finds out.
type Proof struct {
	Rules Rules

	// Pairs counts the pairs of an end point and another one that is a target of a heading; a target
	// with several ports counts once. Unreachable counts those whose packets need not arrive:
	// some choice of next hops leads elsewhere.
	Pairs, Unreachable int64

	// Faults lists what can become of packets instead, the forwarding loops first. A pair whose packets
	// can go into a loop counts as that alone.
	Faults []Fault

	// Channels counts the lanes of channels that packets use, Dependencies the pairs of lossless ones
	// of which a packet may hold the first while it waits for the second.
	Channels, Dependencies int

	// Escape lists the lanes to escape to, if the proof rests on these: Dependencies and Cycle are then
	// about them alone.
	Escape []int

	// Cycle is a cycle of dependencies, nil if there is none. Shortest says that no other one is
	// shorter; the search gives up where there are hundreds of millions of dependencies.
	Cycle    []Dependency
	Shortest bool

	// CycleCure breaks all cycles, LoopCure the loops of the destination that the first Fault names.
	// They are nil if there is nothing to break.
	CycleCure *CycleCure
	LoopCure  *LoopCure
}

// Fault is an outcome that packets can meet instead of their delivery.
type Fault struct {
	Outcome  Outcome
	Pairs    int64
	Headings int // to which it happens
	Flow     Flow
}

// Flow is packets of one end point to one heading, with a way that they may take: the channels
// one after the other. If it is a loop the way ends with the channel that it has used before.
type Flow struct {
	Source  int32 // end point
	Heading int32
	Walk    []Step
}

// Dependency is an edge of a cycle: packets of Flow that hold lane Lane of Channel may wait for the
// Channel of the next Dependency of the cycle.
type Dependency struct {
	Channel, Lane int
	Flow          Flow
	Headings      int // whose packets make the dependency
}

// DeadlockFree reports whether no cycle of dependencies exists.
func (p *Proof) DeadlockFree() bool { return p.Cycle == nil }

// OK reports whether all packets arrive, whatever next hops they take, and no deadlock is possible.
func (p *Proof) OK() bool { return p.Unreachable == 0 && p.DeadlockFree() }

// Prove follows the packets of all entries to all headings.
func Prove(rules Rules) *Proof {
	p := &prover{rules: rules, lossless: losslessLanes(rules)}
	proof := &Proof{Rules: rules}
	if escape := escapes(rules); escape != nil {
		proof.Escape = p.keepLanes(escape)
	}
	p.turns = newTurns(rules.Network(), rules.Lanes())
	parts := p.walkAll(nil)
	var total tally
	used := make([]bool, len(p.lossless))
	for _, part := range parts {
		p.turns.merge(part.turns)
		total.add(&part.tally)
		for i, u := range part.used {
			used[i] = used[i] || u
		}
	}
	for _, u := range used {
		if u {
			proof.Channels++
		}
	}
	proof.Pairs, proof.Unreachable = total.pairs, total.unreachable
	proof.Dependencies = p.turns.size()
	p.explainFaults(proof, &total)
	if c := p.turns.cyclicCore(); len(c.vertices) > 0 {
		p.explainCycle(proof, &c)
	}
	return proof
}

// prover is the state of Prove.
type prover struct {
	rules    Rules
	lossless []bool
	turns    *turns // of all walks
}

// keepLanes leaves only some lanes lossless, and returns their numbers.
func (p *prover) keepLanes(keep []bool) []int {
	for i := range p.lossless {
		p.lossless[i] = p.lossless[i] && keep[i%len(keep)]
	}
	var list []int
	for lane, kept := range keep {
		if kept {
			list = append(list, lane)
		}
	}
	return list
}

// part is what one goroutine finds out.
type part struct {
	*walker
	tally
}

// tally counts pairs.
type tally struct {
	pairs, unreachable int64
	met                [outcomes]struct {
		pairs    int64
		headings int
		first    flowID // the lowest
	}
}

// flowID orders flows.
type flowID struct {
	heading int32
	entry   int
}

func (a flowID) compare(b flowID) int {
	return cmp.Or(cmp.Compare(a.heading, b.heading), cmp.Compare(a.entry, b.entry))
}

// add adds another tally.
func (t *tally) add(other *tally) {
	t.pairs += other.pairs
	t.unreachable += other.unreachable
	for o := range t.met {
		m, n := &t.met[o], &other.met[o]
		if m.pairs == 0 || n.pairs > 0 && n.first.compare(m.first) < 0 {
			m.first = n.first
		}
		m.pairs += n.pairs
		m.headings += n.headings
	}
}

// fewHeadings are not worth several goroutines.
const fewHeadings = 16

// watch asks to be told of turns.
type watch struct {
	from []bool // by lane of a channel
	// teller makes the function that one core tells of its turns.
	teller func() func(heading, from, to int32)
}

// walkAll follows the packets of all headings, on all cores. wanted may be nil.
func (p *prover) walkAll(wanted *watch) []*part {
	cores := runtime.GOMAXPROCS(0)
	if p.rules.Headings() < fewHeadings {
		cores = 1
	}
	parts := make([]*part, cores)
	var next atomic.Int32
	var group sync.WaitGroup
	for i := range parts {
		q := &part{walker: newWalker(p.rules, p.lossless, p.turns.like())}
		parts[i] = q
		var heading int32
		if wanted != nil {
			tell := wanted.teller()
			q.watched = wanted.from
			q.turned = func(from, to int32) { tell(heading, from, to) }
		}
		group.Go(func() {
			for heading = next.Add(1) - 1; int(heading) < p.rules.Headings(); heading = next.Add(1) - 1 {
				q.follow(heading)
			}
		})
	}
	group.Wait()
	return parts
}

// follow follows the packets of all entries to one heading.
func (q *part) follow(heading int32) {
	targets := q.rules.Targets(heading)
	adapters := q.countAdapters(targets)
	var happened outcomeSet
	q.begin(heading)
	for i, e := range q.rules.Entries(heading) {
		pairs := q.countPairs(e, targets, adapters)
		met := q.enter(e)
		if pairs == 0 {
			continue
		}
		q.pairs += pairs
		if met.has(Loop) { // what else they meet depends on how often they go around
			met = 1 << Loop
		}
		if met != 1<<Delivered {
			q.unreachable += pairs
		}
		for o := Loop; o < outcomes; o++ {
			if !met.has(o) {
				continue
			}
			m := &q.met[o]
			if id := (flowID{heading, i}); m.pairs == 0 || id.compare(m.first) < 0 {
				m.first = id
			}
			m.pairs += pairs
		}
		happened |= met
	}
	for o := range q.met {
		if happened.has(Outcome(o)) {
			q.met[o].headings++
		}
	}
}

// countPairs counts the end points of an entry for each adapter among the targets, but for those
// that are targets themselves.
func (w *walker) countPairs(e Entry, targets []int32, adapters int) int64 {
	n := int64(len(e.EndPoints)) * int64(adapters)
	for _, t := range targets {
		if w.net.EndPoints[t].At.Switch == e.Switch && slices.Contains(e.EndPoints, t) {
			n--
		}
	}
	return max(n, 0)
}

// countAdapters counts the adapters that end points belong to.
func (w *walker) countAdapters(ends []int32) int {
	seen := make(map[int]bool, len(ends))
	for _, e := range ends {
		seen[w.net.EndPoints[e].Adapter] = true
	}
	return len(seen)
}

// explainFaults lists what went wrong, with a flow for each.
func (p *prover) explainFaults(proof *Proof, total *tally) {
	for o := Loop; o < outcomes; o++ {
		m := &total.met[o]
		if m.pairs == 0 {
			continue
		}
		f := Fault{Outcome: o, Pairs: m.pairs, Headings: m.headings}
		e := p.rules.Entries(m.first.heading)[m.first.entry]
		t := tracer{p.rules, []Entry{e}, m.first.heading}
		f.Flow = Flow{source(e, p.rules.Targets(m.first.heading)), m.first.heading, t.walkTo(o)}
		proof.Faults = append(proof.Faults, f)
		if o == Loop {
			proof.LoopCure = p.cureLoops(f.Flow)
		}
	}
}

// source returns an end point of an entry that is no target.
func source(e Entry, targets []int32) int32 {
	for _, s := range e.EndPoints {
		if !slices.Contains(targets, s) {
			return s
		}
	}
	return e.EndPoints[0]
}
