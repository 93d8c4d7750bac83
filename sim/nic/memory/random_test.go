package memory

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// ordeal is a run of ranks that access each other's memory and send messages at random, while processes are
// not scheduled, pages absent, routes unknown, and processes on their way. Each rank writes
// to regions of its own everywhere, so that it knows what must be there.
type ordeal struct {
	c        *host.Cluster
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
func ordealConditions(rng *rand.Rand, ranks int, hosts []int) []string {
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
		add("remote.convert", "true")
	}
	if rng.IntN(2) == 0 {
		add("remote.chain", []string{"2", "3"}[rng.IntN(2)])
	}
	if rng.IntN(2) == 0 {
		add("conditions.errors", []string{"1e-7", "1e-6", "1e-5"}[rng.IntN(3)])
		add("remote.retry", []string{"200us", "1ms"}[rng.IntN(2)])
		add("remote.window", []string{"1", "4", "64"}[rng.IntN(3)])
		add("remote.tries", "100000")
	}
	if rng.IntN(2) == 0 {
		var moves []string
		for i := range 1 + rng.IntN(4) { // each to a host of its own
			moves = append(moves, fmt.Sprintf("%d@%dus:%d", rng.IntN(ranks), rng.IntN(3000), hosts[ranks+i]))
		}
		add("conditions.migrations", strings.Join(moves, ","))
	}
	return set
}

var long = flag.Bool("long", false, "run the long tests")

// TestOrdeals holds memory, words and fences to what a machine without all that would do.
func TestOrdeals(t *testing.T) {
	seeds := uint64(40)
	if *long {
		seeds = 500
	}
	var use CaseUse
	for seed := range seeds {
		first, second := runOrdeal(t, seed), runOrdeal(t, seed)
		if !reflect.DeepEqual(first.log, second.log) || !reflect.DeepEqual(first.c.Report(), second.c.Report()) {
			t.Errorf("seed %d: two runs differ", seed)
		}
		use.add(modelOf(first.c).use)
	}
	for _, n := range []int64{use.Direct, use.NotScheduled, use.Absent, use.Behind, use.Forged, use.Forwarded, use.PageIns, use.Misses, use.Migrations, use.Corrupt, use.SentAgain, use.Converted, use.Chained} {
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
	places := rng.Perm(hosts)
	set := ordealConditions(rng, o.ranks, places)
	network := "mesh:2x2"
	if rng.IntN(2) == 0 { // switches without hosts, which alone copy packets
		network = []string{"tree:arity=4,levels=2", "fattree:k=4"}[rng.IntN(2)]
		set = append(set, "remote.copies", "inner")
	}
	full := hosttest.NewCluster(t, "ssscore", network, hosts/4, set...).Config
	full.Hosts, full.Seed = places[:o.ranks], seed
	c, err := host.New(full)
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
	c.Config.Stop = stop
	c.Config.Progress = func(p host.Progress) {
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
	told := make([]int, o.ranks)
	for _, n := range modelOf(o.c).residents.violations() {
		told[n.Target] += int(n.Times)
		if is := modelOf(o.c).residents.processes[n.From].id; is.Process != n.Process || is.Access != n.Access {
			t.Errorf("seed %d: rank %d is told of %+v; rank %d is %+v", o.seed, n.Target, n.Violation, n.From, is)
		}
	}
	if !slices.Equal(told, o.forged) {
		t.Errorf("seed %d: ranks are told of %v attempts, want %v", o.seed, told, o.forged)
	}
}

// violations returns what all processes have been told, by target.
func (there *residents) violations() []Violation {
	var all []Violation
	for r := range there.processes {
		for _, n := range there.violationsAt(r) {
			all = append(all, Violation{r, n})
		}
	}
	return all
}

// add sums up uses.
func (u *CaseUse) add(v CaseUse) {
	u.Direct += v.Direct
	u.NotScheduled += v.NotScheduled
	u.Absent += v.Absent
	u.Behind += v.Behind
	u.Forged += v.Forged
	u.Forwarded += v.Forwarded
	u.PageIns += v.PageIns
	u.Misses += v.Misses
	u.Migrations += v.Migrations
	u.Interrupts += v.Interrupts
	u.Corrupt += v.Corrupt
	u.SentAgain += v.SentAgain
	u.Converted += v.Converted
	u.Chained += v.Chained
	u.Stolen += v.Stolen
}
