package shm

import (
	"fmt"
	"musubi/live/wire"
	"sync/atomic"
	"unsafe"
)

const magic = 0x6d75737562690009 // of shared memory with this layout

// Region is the memory that the ranks of a group share. It is laid out for all ranks of
// the job, so that these have the same numbers in every group; pages that are for ranks
// of other groups are never touched.
type Region struct {
	Bytes    []byte
	Header   *header
	Ranks    []rankState
	Callers  []callers    // of each rank
	common   []CommonLine // of each two ranks
	pairs    []PairState  // sender by sender
	rings    []byte       // of each pair of ranks, sender by sender
	Tables   []windowTable
	Progress []Progress
	queues   []Queue // command queues, rank by rank
	Arenas   []byte  // rank by rank
}

// header begins a region. The first line is written before any rank is started.
type header struct {
	magic      uint64
	size       uint64 // ranks of the job
	Local      uint64 // of these, ranks of the group
	ringBytes  uint64
	arenaBytes uint64 // of each rank; 0: windows are in its own memory
	NoDirect   uint64 // 1: long transfers go through the rings
	Sleeps     uint64 // 1: ranks that wait sleep soon
	Wait       uint64 // how ranks wait that do not sleep soon: Dozing, Yielding or Spinning

	Joined   atomic.Uint32 // ranks of the group that have mapped the region
	Probed   atomic.Uint32 // ranks of the group that have tried to read the memory of another
	Refused  atomic.Uint32 // of these, ranks that were not allowed to
	Ended    atomic.Uint32 // ranks of the group whose program has returned without error
	Failure  atomic.Uint64 // see failure; 0 if there is none
	Probe    atomic.Uint64 // number of the wave in which somebody asks who is quiet
	Clock    atomic.Uint64 // of the group; see tick
	AllEnded atomic.Uint32 // 1 if the programs of all ranks of the job have returned without error
	Alone    atomic.Uint32 // 1 if the job is one group, and no programs beside its ranks compute on this host; 0: perhaps some do
	_        [16]byte
}

// How ranks wait that do not sleep soon.
const (
	Dozing   = iota // they yield the processor, and after long sleep for a moment now and then
	Yielding        // they yield the processor
	Spinning        // they keep it
)

// rankState is what a rank tells all others.
type rankState struct {
	Sleeping atomic.Uint32 // futex: whether the rank sleeps or is about to, and for what: 0, ForAll or ForData
	_        [60]byte

	Pid      atomic.Uint32
	Waiting  atomic.Uint32 // reason, 0 if the rank runs
	Last     atomic.Uint32 // reason for which it has waited last
	Ended    atomic.Uint32 // 1 if its program has returned
	Activity atomic.Uint64 // changes whenever the rank stops waiting
	Answer   atomic.Uint64 // wave in which it has found nothing to do
	Probed   atomic.Uint64 // address of a word in its memory that others try to read
	Failures atomic.Uint64 // how often others have told that an operation of it has failed
	_        [16]byte

	local      uint32        // 1 if the rank is one of this group; written before any rank is started
	Absent     atomic.Uint32 // 1 if its process has ended well and never joined
	Heartbeats atomic.Uint64 // goes up as long as the process runs

	// Packets to and from ranks of other groups, when the rank has last answered.
	Sent     atomic.Uint64
	Received atomic.Uint64
	_        [32]byte

	Statement statement
	Refused   [16]atomic.Uint64 // what its sockets have turned away, by reason
}

// PairState is what the receiver of a ring tells its sender.
type PairState struct {
	tail       atomic.Uint64 // bytes of the ring that have been taken since the job began
	FailedAt   atomic.Uint64 // end of the operation that has failed; 0 if none, or if the sender has seen it
	FailedCode atomic.Uint64
	FailedHint atomic.Uint64
	Shared     SharedPull // both write to it
	_          [8]byte
}

// RingBytesFor returns the size of the rings of a job. Those of few ranks hold long
// messages as a whole, so that neither side waits for the other.
func RingBytesFor(ranks int) int {
	switch {
	case ranks <= 4:
		return farLap
	case ranks <= 32:
		return 64 << 10
	}
	return 16 << 10
}

// RegionBytes returns how much memory a job takes. Pages count only once they are
// used.
func RegionBytes(ranks, ringBytes, arenaBytes int) int {
	return arenasBegin(ranks, ringBytes) + ranks*arenaBytes
}

// arenasBegin returns where in the region of a job the arenas begin.
func arenasBegin(ranks, ringBytes int) int {
	n := int(unsafe.Sizeof(header{})) +
		ranks*int(unsafe.Sizeof(rankState{})+unsafe.Sizeof(callers{})+unsafe.Sizeof(windowTable{})+unsafe.Sizeof(Progress{})) +
		ranks*QueuesFor(ranks)*int(unsafe.Sizeof(Queue{})) +
		ranks*ranks*(int(unsafe.Sizeof(CommonLine{})+unsafe.Sizeof(PairState{}))+ringBytes)
	return (n + ArenaGrain - 1) &^ (ArenaGrain - 1)
}

// Format prepares fresh memory, which is all zeros, for some of the ranks of a job.
func Format(memory []byte, size int, local []int, ringBytes, arenaBytes int) *Region {
	h := (*header)(unsafe.Pointer(unsafe.SliceData(memory)))
	h.magic, h.size, h.ringBytes, h.arenaBytes = magic, uint64(size), uint64(ringBytes), uint64(arenaBytes)
	g := layOut(memory)
	g.Enlist(local)
	return g
}

// Enlist records which ranks belong to the group.
func (g *Region) Enlist(ranks []int) {
	for _, rank := range ranks {
		atomic.StoreUint32(&g.Ranks[rank].local, 1)
	}
	atomic.StoreUint64(&g.Header.Local, uint64(len(ranks)))
}

// Open finds the parts of a region that was formatted. It fails if that is none.
func Open(memory []byte) (*Region, error) {
	if len(memory) < int(unsafe.Sizeof(header{})) {
		return nil, fmt.Errorf("live: shared memory of %d bytes; expected that of a job", len(memory))
	}
	h := (*header)(unsafe.Pointer(unsafe.SliceData(memory)))
	if h.magic != magic || h.size > wire.MaxRanks || h.Local > h.size || h.ringBytes > uint64(len(memory)) || h.arenaBytes > uint64(len(memory)) ||
		RegionBytes(int(h.size), int(h.ringBytes), int(h.arenaBytes)) != len(memory) {
		return nil, fmt.Errorf("live: shared memory of %d bytes does not hold a job of this version of Musubi; expected ranks to run the program of their parent", len(memory))
	}
	return layOut(memory), nil
}

func layOut(memory []byte) *Region {
	g := &Region{Bytes: memory}
	at := unsafe.Pointer(unsafe.SliceData(memory))
	g.Header = (*header)(at)
	n := int(g.Header.size)
	at = unsafe.Add(at, unsafe.Sizeof(header{}))
	g.Ranks = unsafe.Slice((*rankState)(at), n)
	at = unsafe.Add(at, uintptr(n)*unsafe.Sizeof(rankState{}))
	g.Callers = unsafe.Slice((*callers)(at), n)
	at = unsafe.Add(at, uintptr(n)*unsafe.Sizeof(callers{}))
	g.common = unsafe.Slice((*CommonLine)(at), n*n)
	at = unsafe.Add(at, uintptr(n*n)*unsafe.Sizeof(CommonLine{}))
	g.pairs = unsafe.Slice((*PairState)(at), n*n)
	at = unsafe.Add(at, uintptr(n*n)*unsafe.Sizeof(PairState{}))
	g.Tables = unsafe.Slice((*windowTable)(at), n)
	at = unsafe.Add(at, uintptr(n)*unsafe.Sizeof(windowTable{}))
	g.Progress = unsafe.Slice((*Progress)(at), n)
	at = unsafe.Add(at, uintptr(n)*unsafe.Sizeof(Progress{}))
	g.queues = unsafe.Slice((*Queue)(at), n*QueuesFor(n))
	at = unsafe.Add(at, uintptr(len(g.queues))*unsafe.Sizeof(Queue{}))
	g.rings = unsafe.Slice((*byte)(at), n*n*int(g.Header.ringBytes))
	g.Arenas = memory[arenasBegin(n, int(g.Header.ringBytes)):]
	return g
}

func (g *Region) Size() int { return len(g.Ranks) }

func (g *Region) IsLocal(rank int) bool { return g.Ranks[rank].local == 1 }

// IsWhole reports whether the group is all of the job.
func (g *Region) IsWhole() bool { return g.Header.Local == g.Header.size }

// Locals returns the ranks of the group.
func (g *Region) Locals() []int {
	var list []int
	for rank := range g.Ranks {
		if g.IsLocal(rank) {
			list = append(list, rank)
		}
	}
	return list
}

// Ring returns the memory of the ring from one rank to another, and what its
// receiver tells.
func (g *Region) Ring(from, to int) ([]byte, *PairState) {
	n, pair := int(g.Header.ringBytes), from*g.Size()+to
	return g.rings[pair*n:][:n:n], &g.pairs[pair]
}

// What a rank sleeps for.
const (
	ForAll  = 1 + iota
	ForData // it does not wait for others to take what it has sent
)

// Wake lets a rank look again if it sleeps. What it is to find must have been written
// before, with sequential consistency.
func (g *Region) Wake(rank int) {
	word := &g.Ranks[rank].Sleeping
	if word.Load() != 0 && word.Swap(0) != 0 {
		FutexWake(word)
	}
}

// WakeSender is Wake after records have been taken that a rank has sent.
func (g *Region) WakeSender(rank int) {
	if g.Ranks[rank].Sleeping.Load() == ForAll {
		g.Wake(rank)
	}
}

func (g *Region) WakeAll() {
	for rank := range g.Ranks {
		g.Wake(rank)
	}
}
