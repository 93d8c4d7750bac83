package nexthop_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/routing/nexthop"
	"musubi/topology"
)

// table are rules that are listed: the steps by switch, port, lane and heading.
type table struct {
	net             *topology.Network
	lanes, headings int
	lossy           map[[2]int]bool // channel and lane
	steps           map[[4]int][]nexthop.Step
	uniform         map[[3]int]bool // switch, lane and heading
}

func (t *table) Network() *topology.Network      { return t.net }
func (t *table) Lanes() int                      { return t.lanes }
func (t *table) LaneName(lane int) string        { return fmt.Sprint(lane) }
func (t *table) Lossless(channel, lane int) bool { return !t.lossy[[2]int{channel, lane}] }
func (t *table) Headings() int                   { return t.headings }
func (t *table) HeadingName(h int32) string      { return fmt.Sprint(h) }
func (t *table) Targets(h int32) []int32         { return []int32{h % int32(len(t.net.EndPoints))} }

func (t *table) Entries(int32) []nexthop.Entry {
	var list []nexthop.Entry
	for e, p := range t.net.EndPoints {
		for lane := range t.lanes {
			list = append(list, nexthop.Entry{Switch: p.At.Switch, Port: p.At.Number, Lane: lane, EndPoints: []int32{int32(e)}})
		}
	}
	return list
}

func (t *table) Next(steps []nexthop.Step, sw, port, lane int, h int32) []nexthop.Step {
	return append(steps, t.steps[[4]int{sw, port, lane, int(h)}]...)
}

func (t *table) Uniform(sw, lane int, h int32) bool { return t.uniform[[3]int{sw, lane, int(h)}] }

// randomRules makes rules for up to four switches with a host each, often with loops and holes.
func randomRules(r *rand.Rand) *table {
	n := topology.Network{}
	switches := 2 + r.IntN(3)
	for s := range switches {
		n.Switches = append(n.Switches, topology.Switch{ID: fmt.Sprint("s", s), Ports: 1})
		n.Adapters = append(n.Adapters, topology.Adapter{ID: fmt.Sprint("h", s), Ports: 1})
		n.EndPoints = append(n.EndPoints, topology.EndPoint{Adapter: s, AdapterPort: 1, At: topology.Port{Switch: s, Number: 1}})
	}
	for range 1 + r.IntN(5) {
		a := r.IntN(switches)
		b := (a + 1 + r.IntN(switches-1)) % switches
		n.Switches[a].Ports++
		n.Switches[b].Ports++
		n.Links = append(n.Links, topology.Link{A: topology.Port{Switch: a, Number: n.Switches[a].Ports}, B: topology.Port{Switch: b, Number: n.Switches[b].Ports}})
	}
	net, err := topology.New(n)
	if err != nil {
		panic(err)
	}
	t := &table{net: net, lanes: 1 + r.IntN(2), lossy: map[[2]int]bool{}, steps: map[[4]int][]nexthop.Step{}, uniform: map[[3]int]bool{}}
	t.headings = 1 + r.IntN(switches)
	further := r.IntN(2) // headings that packets may change to
	for c := range net.Channels() {
		for lane := range t.lanes {
			t.lossy[[2]int{c, lane}] = r.IntN(8) == 0
		}
	}
	for s := range switches {
		for lane := range t.lanes {
			for h := range t.headings + further {
				uniform := r.IntN(2) == 0
				t.uniform[[3]int{s, lane, h}] = uniform
				for port := 1; port <= net.Switches[s].Ports; port++ {
					steps := t.randomSteps(r, s, h, further)
					if uniform && port > 1 {
						steps = t.steps[[4]int{s, 1, lane, h}]
					}
					t.steps[[4]int{s, port, lane, h}] = steps
				}
			}
		}
	}
	return t
}

func (t *table) randomSteps(r *rand.Rand, sw, h, further int) []nexthop.Step {
	var steps []nexthop.Step
	if len(t.net.Out(sw)) == 0 || h < t.headings && int(t.Targets(int32(h))[0]) == sw && r.IntN(4) > 0 {
		return []nexthop.Step{nexthop.Delivered.Step()}
	}
	for range 1 + r.IntN(2) {
		s := nexthop.Step{Channel: t.net.Out(sw)[r.IntN(len(t.net.Out(sw)))], Heading: int32(h), Lane: uint8(r.IntN(t.lanes))}
		switch r.IntN(12) {
		case 0:
			s = nexthop.NoEntry.Step()
		case 1:
			s.Heading = nexthop.Astray
		case 2:
			s.Heading = int32(r.IntN(t.headings + further))
		}
		steps = append(steps, s)
	}
	return steps
}

// walks is the naive twin of Prove: it enumerates every walk from every entry until it ends or comes
// to a place for the second time.
type walks struct {
	*table
	dependencies map[[2]int]bool
	met          map[nexthop.Outcome]bool
}

func (w *walks) from(sw, port, lane int, h int32, held int, before []nexthop.Step) {
	steps := w.Next(nil, sw, port, lane, h)
	if len(steps) == 0 {
		w.met[nexthop.Dropped] = true
	}
	for _, s := range steps {
		if o, ends := s.Outcome(); ends {
			w.met[o] = true
			continue
		}
		v := -1
		if w.Lossless(int(s.Channel), int(s.Lane)) {
			v = int(s.Channel)*w.lanes + int(s.Lane)
		}
		if held >= 0 && v >= 0 {
			w.dependencies[[2]int{held, v}] = true
		}
		switch to := w.net.To(int(s.Channel)); {
		case s.Heading == nexthop.Astray:
		case slices.Contains(before, s):
			w.met[nexthop.Loop] = true
		default:
			w.from(to.Switch, to.Number, int(s.Lane), s.Heading, v, append(before, s))
		}
	}
}

// shortest returns the length of a shortest cycle by trying all walks of the graph up to a length.
func (w *walks) shortest() int {
	at := make(map[[2]int]bool) // start and place
	for d := range w.dependencies {
		at[d] = true
	}
	for length := 1; length <= len(w.dependencies); length++ {
		further := make(map[[2]int]bool)
		for p := range at {
			if p[0] == p[1] {
				return length
			}
			for d := range w.dependencies {
				if d[0] == p[1] {
					further[[2]int{p[0], d[1]}] = true
				}
			}
		}
		at = further
	}
	return 0
}

func TestProveAgreesWithAllWalks(t *testing.T) {
	cyclic, looping, sound := 0, 0, 0
	for seed := range uint64(3000) {
		rules := randomRules(rand.New(rand.NewPCG(seed, 1)))
		p := nexthop.Prove(rules)
		all := walks{table: rules, dependencies: map[[2]int]bool{}}
		var unreachable int64
		pairs := map[nexthop.Outcome]int64{}
		for h := range int32(rules.headings) {
			for _, e := range rules.Entries(h) {
				all.met = map[nexthop.Outcome]bool{}
				all.from(e.Switch, e.Port, e.Lane, h, -1, nil)
				if e.EndPoints[0] == rules.Targets(h)[0] {
					continue
				}
				if len(all.met) != 1 || !all.met[nexthop.Delivered] {
					unreachable++
				}
				if all.met[nexthop.Loop] {
					all.met = map[nexthop.Outcome]bool{nexthop.Loop: true}
				}
				for o := range all.met {
					pairs[o]++
				}
			}
		}
		delete(pairs, nexthop.Delivered)
		if p.Unreachable != unreachable || p.Dependencies != len(all.dependencies) || len(p.Cycle) != all.shortest() {
			t.Fatalf("seed %d: %d unreachable, %d dependencies, a cycle of %d; want %d, %d, %d",
				seed, p.Unreachable, p.Dependencies, len(p.Cycle), unreachable, len(all.dependencies), all.shortest())
		}
		if len(p.Faults) != len(pairs) {
			t.Fatalf("seed %d: faults %+v; want %v", seed, p.Faults, pairs)
		}
		for _, f := range p.Faults {
			if f.Pairs != pairs[f.Outcome] {
				t.Fatalf("seed %d: %d pairs with outcome %v; want %d", seed, f.Pairs, f.Outcome, pairs[f.Outcome])
			}
			checkFlow(t, rules, f.Flow, f.Outcome)
		}
		checkCycle(t, rules, p)
		checkCures(t, &all, p)
		if p.Cycle != nil {
			cyclic++
		}
		if pairs[nexthop.Loop] > 0 {
			looping++
		}
		if p.OK() {
			sound++
		}
	}
	if cyclic < 100 || looping < 100 || sound < 100 {
		t.Errorf("%d with cycles, %d with loops, %d sound; expected 100 of each", cyclic, looping, sound)
	}
}

// checkWalk follows a walk by the rules and returns the steps at its end.
func checkWalk(t *testing.T, rules *table, f nexthop.Flow) []nexthop.Step {
	t.Helper()
	at := rules.net.EndPoints[f.Source].At
	var last []nexthop.Step
	led := false
	for lane := range rules.lanes { // the walk may begin on each
		sw, port, on, h := at.Switch, at.Number, lane, f.Heading
		steps := rules.Next(nil, sw, port, on, h)
		sound := true
		for _, s := range f.Walk {
			if sound = slices.Contains(steps, s); !sound {
				break
			}
			to := rules.net.To(int(s.Channel))
			steps = nil
			if s.Heading != nexthop.Astray {
				steps = rules.Next(nil, to.Switch, to.Number, int(s.Lane), s.Heading)
			}
		}
		if sound {
			last, led = append(last, steps...), true
		}
	}
	if !led {
		t.Fatalf("the rules do not lead along %+v", f)
	}
	return last
}

func checkFlow(t *testing.T, rules *table, f nexthop.Flow, o nexthop.Outcome) {
	t.Helper()
	last := checkWalk(t, rules, f)
	switch o {
	case nexthop.Loop:
		if n := len(f.Walk) - 1; !slices.Contains(f.Walk[:n], f.Walk[n]) {
			t.Fatalf("walk %v is no loop", f.Walk)
		}
	default:
		if !slices.Contains(last, o.Step()) && (o != nexthop.Dropped || len(last) > 0) {
			t.Fatalf("walk %v does not end in outcome %v", f.Walk, o)
		}
	}
}

func checkCycle(t *testing.T, rules *table, p *nexthop.Proof) {
	t.Helper()
	for i, d := range p.Cycle {
		next := p.Cycle[(i+1)%len(p.Cycle)]
		checkWalk(t, rules, d.Flow)
		holds := false
		for j, s := range d.Flow.Walk[1:] {
			b := d.Flow.Walk[j]
			holds = holds || int(b.Channel) == d.Channel && int(b.Lane) == d.Lane && int(s.Channel) == next.Channel && int(s.Lane) == next.Lane
		}
		if !holds || d.Headings == 0 {
			t.Fatalf("flow %+v does not hold %d on lane %d and wait for %d", d.Flow, d.Channel, d.Lane, next.Channel)
		}
	}
}

// checkCures takes away what the cure names, and looks at all walks again.
func checkCures(t *testing.T, all *walks, p *nexthop.Proof) {
	t.Helper()
	if (p.CycleCure != nil) != (p.Cycle != nil) {
		t.Fatalf("cycle %v with cure %v", p.Cycle, p.CycleCure)
	}
	if p.CycleCure == nil {
		return
	}
	left := walks{table: all.table, dependencies: map[[2]int]bool{}}
	for d := range all.dependencies {
		left.dependencies[d] = true
	}
	for _, turn := range p.CycleCure.Turns {
		delete(left.dependencies, [2]int{int(turn.From.Channel)*all.lanes + int(turn.From.Lane), int(turn.To.Channel)*all.lanes + int(turn.To.Lane)})
	}
	if left.shortest() != 0 {
		t.Fatalf("the cure %+v leaves a cycle", p.CycleCure)
	}
	if !p.CycleCure.Least || len(p.CycleCure.Turns) != 2 {
		return
	}
	for d := range all.dependencies { // no single one would do
		left.dependencies = map[[2]int]bool{}
		for e := range all.dependencies {
			left.dependencies[e] = e != d
		}
		delete(left.dependencies, d)
		if left.shortest() == 0 {
			t.Fatalf("the cure has two turns; %v alone is one", d)
		}
	}
}
