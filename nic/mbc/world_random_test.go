package mbc

import (
	"flag"
	"math/rand/v2"
	"testing"

	"musubi/nic/reliable"
	"musubi/onesided"
)

var long = flag.Bool("long", false, "run the long tests")

// memoryFault is a fault that is planted, so that a test can be seen to find it.
type memoryFault uint8

const (
	noFault memoryFault = iota
	trustsAccessID
	ignoresAbsence
	overtakesOthers
	acksAtOnce
	losesWhatMoved
	changesRouteAtOnce
	forgetsOwnMove
	movesTooEarly
	takesPacketsTwice
	takesMulticastsTwice
	countsBranchesTwice
	ignoresCRC
	acksAnyEpoch
	notesOnArrival
	checksAgain
	memoryFaults
)

var memoryFaultNames = [...]string{
	"no fault", "a gate that does not check the access id", "a gate that does not check presence",
	"accesses that overtake others which are with the operating system", "acknowledgements before the access is done",
	"a process that leaves without forwarding", "a new route before the old one is empty",
	"a process that moves and does not wait for what it has sent", "a process that moves while something is forwarded to it",
	"a channel that takes duplicates", "a receiver that takes multicasts twice",
	"a switch that counts one branch twice", "a receiver that does not check the CRC",
	"a memory barrier that does not tell epochs apart",
	"a receiver that notes multicasts when they come, not when they are done",
	"a receiver that judges again what has been done",
}

// memoryStatistics show that the cases are not trivial.
type memoryStatistics struct {
	accesses, misses, held, moves, forwarded, corrupt, duplicates, again int
	cases                                                                [PageCrossing + 1]int
}

// TestMemoryWorld lets processes access each other under random schedules of scheduling,
// paging, migration, new access ids, corruption and retransmission. Each access must happen
// once, or be refused for a reason of which the target knows; those of one process to
// another in order; and no memory barrier may be passed before all that it covers is done.
func TestMemoryWorld(t *testing.T) {
	cases := 1_200
	if *long {
		cases = 10_000
	}
	const seed = 6
	var total memoryStatistics
	for i := range cases {
		w := randomMemoryWorld(rand.New(rand.NewPCG(seed, uint64(i))), noFault, &total)
		if err := w.run(); err != nil {
			t.Fatalf("case %d of seed %d: %v", i, seed, err)
		}
	}
	t.Logf("%d cases: %+v", cases, total)
	for c := Direct; c <= Outside; c++ {
		if c != Unknown && total.cases[c] < cases/10 {
			t.Errorf("only %d accesses are %v; expected more in %d cases", total.cases[c], c, cases)
		}
	}
	least := min(total.accesses, total.misses, total.held, total.moves, total.forwarded, total.corrupt, total.duplicates, total.again)
	if least < cases/10 {
		t.Errorf("%d cases have only %+v", cases, total)
	}
}

// TestMemoryWorldFindsFaults plants faults, one at a time, each of which must be found.
func TestMemoryWorldFindsFaults(t *testing.T) {
	const seed, cases = 7, 5_000
	for fault := noFault + 1; fault < memoryFaults; fault++ {
		t.Run(memoryFaultNames[fault], func(t *testing.T) {
			var total memoryStatistics
			for i := range cases {
				w := randomMemoryWorld(rand.New(rand.NewPCG(seed, uint64(i))), fault, &total)
				if err := w.run(); err != nil {
					t.Logf("found in case %d: %v", i, err)
					return
				}
			}
			t.Errorf("not found in %d cases", cases)
		})
	}
}

// randomMemoryWorld is of up to four hosts and five processes.
func randomMemoryWorld(rng *rand.Rand, fault memoryFault, total *memoryStatistics) *memoryWorld {
	w := &memoryWorld{rng: rng, errors: rng.IntN(2) == 0, fault: fault, total: total, odds: randomMemoryOdds(rng), moves: rng.IntN(40)}
	w.hosts = make([]memoryHost, 1+rng.IntN(4))
	w.lanes = make([]memoryLane, len(w.hosts)*len(w.hosts))
	for i := range w.lanes {
		w.lanes[i].out = reliable.NewOutbox(laneWindow)
		w.lanes[i].speed = []float64{1, 0.3, 0.1}[rng.IntN(3)]
	}
	processes := 2 + rng.IntN(4)
	for i := range w.hosts {
		w.hosts[i].running = none
		w.hosts[i].forward = make([]int, processes)
	}
	for i := range processes {
		w.addProcess(i, processes)
	}
	for range 4 + rng.IntN(30) {
		w.addAccess(rng.IntN(processes))
	}
	return w
}

func (w *memoryWorld) addProcess(i, processes int) {
	pages := 1 + w.rng.IntN(2)
	p := &memoryProcess{
		number: i, host: w.rng.IntN(len(w.hosts)), id: Identity{Process: 100}, // one program, with one access id at first
		pages: NewPageTable(pages), present: make([]bool, pages),
		memory: make([]byte, pages*PageSize), shadow: make([]byte, pages*PageSize),
		table: NewRouteTable[*memoryAccess](1 + w.rng.IntN(processes)), latest: make([]int, processes),
	}
	for page := range pages {
		p.present[page] = true
	}
	if err := w.hosts[p.host].gate.Arrive(p.id, uint16(i), &p.pages); err != nil {
		panic(err)
	}
	w.processes = append(w.processes, p)
}

// addAccess plans an access of a process, or a memory barrier.
func (w *memoryWorld) addAccess(from int) {
	p := w.processes[from]
	kinds := []Type{0, Write, Write, Write, Read, FetchOp, CompareSwap, Chain, Multicast}
	a := &memoryAccess{from: from, sentTo: none, kind: kinds[w.rng.IntN(len(kinds))]}
	p.plan = append(p.plan, a)
	if a.kind == 0 {
		return
	}
	a.number = len(w.accesses)
	a.order = a.number + 1
	w.accesses = append(w.accesses, a)
	w.total.accesses++
	a.forged = w.rng.IntN(10) == 0
	w.drawTargets(a)
	w.drawData(a)
	a.fate = make([]fate, len(a.to))
}

func (w *memoryWorld) drawTargets(a *memoryAccess) {
	a.to = w.rng.Perm(len(w.processes))[:1]
	if w.rng.IntN(2) == 0 {
		a.to[0] = (a.from + 1) % len(w.processes) // so that pairs have several
	}
	if !a.isPlain() {
		a.to = w.rng.Perm(len(w.processes))[:1+w.rng.IntN(len(w.processes))]
	}
}

func (w *memoryWorld) drawData(a *memoryAccess) {
	pages := len(w.processes[a.to[0]].present)
	for _, to := range a.to {
		pages = min(pages, len(w.processes[to].present))
	}
	page := w.rng.IntN(pages)
	if a.isPlain() && w.rng.IntN(12) == 0 {
		page, a.outside = pages, true
	}
	word := 8 * w.rng.IntN(4)
	a.at = uint32(page*PageSize + word)
	switch a.kind {
	case FetchOp:
		op := onesided.Atomic{Reduction: onesided.Reduction(w.rng.IntN(int(onesided.Replace) + 1)), Operand: int64(w.rng.IntN(4))}
		a.data = op.Append(nil)
	case CompareSwap:
		op := onesided.Atomic{Compare: true, Expected: int64(w.rng.IntN(2)), Operand: int64(w.rng.IntN(4))}
		a.data = op.Append(nil)
	default:
		a.data = make([]byte, w.rng.IntN(20))
		for i := range a.data {
			a.data[i] = byte(w.rng.IntN(256))
		}
		a.outside = a.outside && len(a.data) > 0
	}
}
