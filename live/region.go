package live

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// MaxRanks is how many ranks a job may have. There is a ring for each pair.
const MaxRanks = 128

const magic = 0x6d75737562690001 // of shared memory with this layout

// region is the shared memory of a job.
type region struct {
	bytes  []byte
	header *header
	ranks  []rankState
	pairs  []pairState // sender by sender
	rings  []byte      // likewise
}

// header begins a region. The first line is written before any rank is started.
type header struct {
	magic     uint64
	size      uint64 // ranks
	ringBytes uint64
	noDirect  uint64 // 1: long transfers go through the rings
	sleeps    uint64 // 1: ranks that wait for long sleep
	_         [24]byte

	joined  atomic.Uint32 // ranks that have mapped the region
	probed  atomic.Uint32 // ranks that have tried to read the memory of another
	refused atomic.Uint32 // of these, ranks that were not allowed to
	ended   atomic.Uint32 // ranks whose program has returned without error
	failure atomic.Uint64 // see failure; 0 if there is none
	probe   atomic.Uint64 // number of the wave in which the parent asks who is quiet
	clock   atomic.Uint64 // of the job; see tick
	_       [24]byte
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
	_        [24]byte

	statement statement
}

// pairState is what the receiver of a ring tells its sender.
type pairState struct {
	tail       atomic.Uint64 // bytes of the ring that have been taken since the job began
	failedAt   atomic.Uint64 // end of the operation that has failed; 0 if none, or if the sender has seen it
	failedCode atomic.Uint64
	failedHint atomic.Uint64
	_          [32]byte
}

// ringBytesFor returns the size of the rings of a job.
func ringBytesFor(ranks int) int {
	if ranks <= 32 {
		return 64 << 10
	}
	return 16 << 10
}

// regionBytes returns how much memory a job takes. Pages count only once they are
// used.
func regionBytes(ranks, ringBytes int) int {
	return int(unsafe.Sizeof(header{})) + ranks*int(unsafe.Sizeof(rankState{})) +
		ranks*ranks*(int(unsafe.Sizeof(pairState{}))+ringBytes)
}

// format prepares fresh memory, which is all zeros, for a job.
func format(memory []byte, ranks, ringBytes int) *region {
	h := (*header)(unsafe.Pointer(unsafe.SliceData(memory)))
	h.magic, h.size, h.ringBytes = magic, uint64(ranks), uint64(ringBytes)
	if ranks > runtime.NumCPU() {
		h.sleeps = 1
	}
	return layOut(memory)
}

// open finds the parts of a region that was formatted. It fails if that is none.
func open(memory []byte) (*region, error) {
	if len(memory) < int(unsafe.Sizeof(header{})) {
		return nil, fmt.Errorf("live: shared memory of %d bytes; expected that of a job", len(memory))
	}
	h := (*header)(unsafe.Pointer(unsafe.SliceData(memory)))
	if h.magic != magic || h.size > MaxRanks || h.ringBytes > uint64(len(memory)) ||
		regionBytes(int(h.size), int(h.ringBytes)) != len(memory) {
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
	g.pairs = unsafe.Slice((*pairState)(at), n*n)
	at = unsafe.Add(at, uintptr(n*n)*unsafe.Sizeof(pairState{}))
	g.rings = unsafe.Slice((*byte)(at), n*n*int(g.header.ringBytes))
	return g
}

func (g *region) size() int { return len(g.ranks) }

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
