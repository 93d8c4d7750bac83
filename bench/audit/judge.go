package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"musubi/routing"
	"musubi/routing/tables"
	"musubi/topology"
	"musubi/topology/networks"
)

// row is what is found out about an engine on a network.
type row struct {
	network  string
	failed   int
	engine   string
	by       string // engine that the tables come from
	changed  bool   // it is another one
	noAnswer bool   // OpenSM did not come up
	unasked  bool   // forwarding tables alone close a cycle, and levels were not asked for
	cycle    int    // channels of a shortest one

	hostsFree bool   // no traffic among hosts closes one
	lost      int64  // pairs
	lanes     string // empty: it does not matter, or is not known
	hops      float64
	load      int64
	seconds   float64 // of processor time
}

func (r *row) String() string {
	if r.noAnswer {
		return fmt.Sprintf("| %s | %d | %s | %s |  |  |  |  |  |  |", r.network, r.failed, r.engine, r.by)
	}
	by, deadlock := r.by, "free"
	if r.changed {
		by = "**" + by + "**"
	}
	switch {
	case r.unasked:
		deadlock = "levels not asked"
	case r.cycle > 0 && r.hostsFree:
		deadlock = fmt.Sprintf("cycle of %d, none among hosts", r.cycle)
	case r.cycle > 0:
		deadlock = fmt.Sprintf("**cycle of %d**", r.cycle)
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %d | %s | %s | %.2f | %d | %.2f |", r.network, r.failed, r.engine, by, r.lost, deadlock, r.lanes, r.hops, r.load, r.seconds)
}

// audit lets an engine route a network and proves the tables; nil if the engine is not for the network.
func (s *settings) audit(c *candidate, e *engine) (*row, error) {
	var file, text string
	if e.prepare != nil {
		var ok bool
		if file, text, ok = e.prepare(c); !ok {
			return nil, nil
		}
	}
	f, seconds, err := s.bringUp(c, e, file, text)
	if f != nil {
		defer f.end()
	}
	if err != nil {
		return nil, err
	}
	r := &row{network: c.name, failed: c.failed, engine: e.name, seconds: seconds}
	if seconds < 0 {
		r.noAnswer, r.by = true, fmt.Sprintf("not up after %v", s.patience)
		return r, nil
	}
	r.by = f.routedBy()
	r.changed = r.by != e.opensm
	return r, s.judge(f, c, e, r)
}

// judge proves the tables of a fabric. If forwarding tables alone close a cycle, it asks for service levels.
func (s *settings) judge(f *fabric, c *candidate, e *engine, r *row) error {
	net, err := f.discovered(c)
	if err != nil {
		return err
	}
	t, err := tables.ReadForwarding(strings.NewReader(f.read("opensm-lfts.dump")), "opensm-lfts.dump", net)
	if err != nil {
		return err
	}
	proof, err := t.Verify()
	if err != nil {
		return err
	}
	r.lanes = "1"
	ends := len(net.EndPoints)
	switch {
	case !e.levels || r.changed:
	case proof.DeadlockFree(): // whatever the lanes
		r.lanes = ""
	case ends*(ends-1) > s.pairs:
		r.lanes, r.unasked = "", true
	default:
		if proof, err = f.withLevels(t, net); err != nil {
			return err
		}
		r.lanes = strconv.Itoa(t.VLs())
	}
	r.cycle, r.hostsFree = len(proof.Cycle), proof.HostsDeadlockFree()
	routes, err := t.Routes()
	if err != nil {
		return err
	}
	stats := routes[0].Statistics()
	r.lost = proof.Unreachable
	r.hops, r.load = stats.Hops.Mean, stats.ChannelLoad.Max
	return nil
}

// discovered is the network as OpenSM found it, with the kinds of end points that ibsim does not know.
func (f *fabric) discovered(c *candidate) (*topology.Network, error) {
	net, err := networks.Open(f.file("opensm-subnet.lst"), 0)
	if err != nil {
		return nil, err
	}
	kinds := make(map[uint64]topology.Kind)
	for _, a := range c.net.Adapters {
		kinds[a.GUID] = a.Kind
	}
	for i := range net.Adapters {
		net.Adapters[i].Kind = kinds[net.Adapters[i].GUID]
	}
	return topology.New(*net)
}

// withLevels asks for the service level of each path, and proves the tables with them.
func (f *fabric) withLevels(t *tables.InfiniBand, net *topology.Network) (*routing.Proof, error) {
	const asking = 4 // at a time
	var lines strings.Builder
	var lock sync.Mutex
	var failed error
	sources := make(chan int)
	var group sync.WaitGroup
	for range asking {
		group.Go(func() {
			for src := range sources {
				text, err := f.levelsFrom(net, src)
				lock.Lock()
				lines.WriteString(text)
				if err != nil {
					failed = err
				}
				lock.Unlock()
			}
		})
	}
	for src := range net.EndPoints {
		sources <- src
	}
	close(sources)
	group.Wait()
	if failed != nil {
		return nil, failed
	}
	if err := t.ReadLevels(strings.NewReader(lines.String()), "levels"); err != nil {
		return nil, err
	}
	if err := t.ReadLanes(strings.NewReader(f.read("opensm-sl2vl.dump")), "opensm-sl2vl.dump"); err != nil {
		return nil, err
	}
	return t.Verify()
}

func (f *fabric) levelsFrom(net *topology.Network, src int) (string, error) {
	var lines strings.Builder
	for dst := range net.EndPoints {
		if dst == src {
			continue
		}
		level, err := f.level(net.EndPoints[src].LID, net.EndPoints[dst].LID)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&lines, "0x%016x %d %d\n", net.EndPoints[src].GUID, net.EndPoints[dst].LID, level)
	}
	return lines.String(), nil
}

// tally counts rows by engine.
type tally struct {
	order []string
	by    map[string]*counts
}

type counts struct{ networks, free, cycles, unknown, changed, lost, none int }

func (t *tally) add(r *row) {
	if t.by == nil {
		t.by = make(map[string]*counts)
	}
	c := t.by[r.engine]
	if c == nil {
		c = new(counts)
		t.by[r.engine] = c
		t.order = append(t.order, r.engine)
	}
	c.networks++
	switch {
	case r.noAnswer:
		c.none++
	case r.changed:
		c.changed++
	case r.unasked:
		c.unknown++
	case r.cycle > 0:
		c.cycles++
	default:
		c.free++
	}
	if r.lost > 0 {
		c.lost++
	}
}

func (t *tally) print() {
	fmt.Println("\n| engine | networks | free of deadlock | cycle | levels not asked | another engine took over | pairs lost | not up |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, name := range t.order {
		c := t.by[name]
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %d | %d |\n", name, c.networks, c.free, c.cycles, c.unknown, c.changed, c.lost, c.none)
	}
}
