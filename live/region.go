package live

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// MaxRanks is how many ranks a job may have. There is a ring for each pair, of which those
// take memory that are used.
const MaxRanks = 1024

const magic = 0x6d75737562690007 // of shared memory with this layout

// region is the memory that the ranks of a group share. It is laid out for all ranks of
// the job, so that these have the same numbers in every group; pages that are for ranks
// of other groups are never touched.
type region struct {
	bytes   []byte
	header  *header
	ranks   []rankState
	callers []callers    // of each rank
	common  []commonLine // of each two ranks
	pairs   []pairState  // sender by sender
	rings   []byte       // likewise
	tables  []windowTable
	desks   []desk
	queues  []queueState // command queues, rank by rank
	arenas  []byte       // rank by rank
}

// header begins a region. The first line is written before any rank is started.
type header struct {
	magic      uint64
	size       uint64 // ranks of the job
	local      uint64 // of these, ranks of the group
	ringBytes  uint64
	arenaBytes uint64 // of each rank; 0: windows are in its own memory
	noDirect   uint64 // 1: long transfers go through the rings
	sleeps     uint64 // 1: ranks that wait for long sleep
	_          [8]byte

	joined   atomic.Uint32 // ranks of the group that have mapped the region
	probed   atomic.Uint32 // ranks of the group that have tried to read the memory of another
	refused  atomic.Uint32 // of these, ranks that were not allowed to
	ended    atomic.Uint32 // ranks of the group whose program has returned without error
	failure  atomic.Uint64 // see failure; 0 if there is none
	probe    atomic.Uint64 // number of the wave in which somebody asks who is quiet
	clock    atomic.Uint64 // of the group; see tick
	allEnded atomic.Uint32 // 1 if the programs of all ranks of the job have returned without error
	_        [20]byte
}

// rankState is what a rank tells all others.
type rankState struct {
	sleeping atomic.Uint32 // futex: 1 if the rank sleeps or is about to
	_        [60]byte

	pid      atomic.Uint32
	waiting  atomic.Uint32 // reason, 0 if the rank runs
	last     atomic.Uint32 // reason for which it has waited last
	ended    atomic.Uint32 // 1 if its program has returned
	activity atomic.Uint64 // changes whenever the rank stops waiting
	answer   atomic.Uint64 // wave in which it has found nothing to do
	probed   atomic.Uint64 // address of a word in its memory that others try to read
	failures atomic.Uint64 // how often others have told that an operation of it has failed
	_        [16]byte

	local  uint32        // 1 if the rank is one of this group; written before any rank is started
	absent atomic.Uint32 // 1 if its process has ended well and never joined
	beat   atomic.Uint64 // goes up as long as the process runs

	// Packets to and from ranks of other groups, when the rank has last answered.
	sent     atomic.Uint64
	received atomic.Uint64
	_        [32]byte

	statement statement
	refused   refusalCounts // what its sockets have turned away
	_         [32]byte
}

// pairState is what the receiver of a ring tells its sender.
type pairState struct {
	tail       atomic.Uint64 // bytes of the ring that have been taken since the job began
	failedAt   atomic.Uint64 // end of the operation that has failed; 0 if none, or if the sender has seen it
	failedCode atomic.Uint64
	failedHint atomic.Uint64
	share      share // both write to it
	_          [8]byte
}

// ringBytesFor returns the size of the rings of a job. Those of few ranks hold long
// messages as a whole, so that neither side waits for the other.
func ringBytesFor(ranks int) int {
	switch {
	case ranks <= 4:
		return 1 << 20
	case ranks <= 32:
		return 64 << 10
	}
	return 16 << 10
}

// regionBytes returns how much memory a job takes. Pages count only once they are
// used.
func regionBytes(ranks, ringBytes, arenaBytes int) int {
	return arenasBegin(ranks, ringBytes) + ranks*arenaBytes
}

// arenasBegin returns where in the region of a job the arenas begin.
func arenasBegin(ranks, ringBytes int) int {
	n := int(unsafe.Sizeof(header{})) +
		ranks*int(unsafe.Sizeof(rankState{})+unsafe.Sizeof(callers{})+unsafe.Sizeof(windowTable{})+unsafe.Sizeof(desk{})) +
		ranks*queuesFor(ranks)*int(unsafe.Sizeof(queueState{})) +
		ranks*ranks*(int(unsafe.Sizeof(commonLine{})+unsafe.Sizeof(pairState{}))+ringBytes)
	return (n + arenaGrain - 1) &^ (arenaGrain - 1)
}

// format prepares fresh memory, which is all zeros, for some of the ranks of a job.
func format(memory []byte, size int, local []int, ringBytes, arenaBytes int) *region {
	h := (*header)(unsafe.Pointer(unsafe.SliceData(memory)))
	h.magic, h.size, h.ringBytes, h.arenaBytes = magic, uint64(size), uint64(ringBytes), uint64(arenaBytes)
	g := layOut(memory)
	g.enlist(local)
	return g
}

// enlist says which ranks are those of the group.
func (g *region) enlist(ranks []int) {
	for _, rank := range ranks {
		atomic.StoreUint32(&g.ranks[rank].local, 1)
	}
	atomic.StoreUint64(&g.header.local, uint64(len(ranks)))
}

// open finds the parts of a region that was formatted. It fails if that is none.
func open(memory []byte) (*region, error) {
	if len(memory) < int(unsafe.Sizeof(header{})) {
		return nil, fmt.Errorf("live: shared memory of %d bytes; expected that of a job", len(memory))
	}
	h := (*header)(unsafe.Pointer(unsafe.SliceData(memory)))
	if h.magic != magic || h.size > MaxRanks || h.local > h.size || h.ringBytes > uint64(len(memory)) || h.arenaBytes > uint64(len(memory)) ||
		regionBytes(int(h.size), int(h.ringBytes), int(h.arenaBytes)) != len(memory) {
		return nil, fmt.Errorf("live: shared memory of %d bytes does not hold a job of this version of Musubi; expected ranks to run the program of their parent", len(memory))
	}
	return layOut(memory), nil
}

func layOut(memory []byte) *region {
	g := &region{bytes: memory}
	at := unsafe.Pointer(unsafe.SliceData(memory))
	g.header = (*header)(at)
	n := int(g.header.size)
	at = unsafe.Add(at, unsafe.Sizeof(header{}))
	g.ranks = unsafe.Slice((*rankState)(at), n)
	at = unsafe.Add(at, uintptr(n)*unsafe.Sizeof(rankState{}))
	g.callers = unsafe.Slice((*callers)(at), n)
	at = unsafe.Add(at, uintptr(n)*unsafe.Sizeof(callers{}))
	g.common = unsafe.Slice((*commonLine)(at), n*n)
	at = unsafe.Add(at, uintptr(n*n)*unsafe.Sizeof(commonLine{}))
	g.pairs = unsafe.Slice((*pairState)(at), n*n)
	at = unsafe.Add(at, uintptr(n*n)*unsafe.Sizeof(pairState{}))
	g.tables = unsafe.Slice((*windowTable)(at), n)
	at = unsafe.Add(at, uintptr(n)*unsafe.Sizeof(windowTable{}))
	g.desks = unsafe.Slice((*desk)(at), n)
	at = unsafe.Add(at, uintptr(n)*unsafe.Sizeof(desk{}))
	g.queues = unsafe.Slice((*queueState)(at), n*queuesFor(n))
	at = unsafe.Add(at, uintptr(len(g.queues))*unsafe.Sizeof(queueState{}))
	g.rings = unsafe.Slice((*byte)(at), n*n*int(g.header.ringBytes))
	g.arenas = memory[arenasBegin(n, int(g.header.ringBytes)):]
	return g
}

func (g *region) size() int { return len(g.ranks) }

func (g *region) isLocal(rank int) bool { return g.ranks[rank].local == 1 }

// isWhole reports whether the group is all of the job.
func (g *region) isWhole() bool { return g.header.local == g.header.size }

// locals returns the ranks of the group.
func (g *region) locals() []int {
	var list []int
	for rank := range g.ranks {
		if g.isLocal(rank) {
			list = append(list, rank)
		}
	}
	return list
}

// ring returns the memory of the ring from one rank to another, and what its
// receiver tells.
func (g *region) ring(from, to int) ([]byte, *pairState) {
	n, pair := int(g.header.ringBytes), from*g.size()+to
	return g.rings[pair*n:][:n:n], &g.pairs[pair]
}

// wake lets a rank look again if it sleeps. What it is to find must have been written
// before, with sequential consistency.
func (g *region) wake(rank int) {
	word := &g.ranks[rank].sleeping
	if word.Load() == 1 && word.CompareAndSwap(1, 0) {
		futexWake(word)
	}
}

func (g *region) wakeAll() {
	for rank := range g.ranks {
		g.wake(rank)
	}
}
