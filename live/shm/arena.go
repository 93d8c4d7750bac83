package shm

import (
	"os"
	"slices"
	"sync/atomic"
)

// Windows lie in the shared memory of a job: each rank has an arena there, of which
// pages count once they are used. Others read and write them with their own
// processor; see direct.go.

const (
	ArenaGrain  = 64 << 10 // bytes; a multiple of the page of any system
	usualArenas = 1 << 30  // bytes of the arena of a rank, if
	mostArenas  = 64 << 30 // bytes of all arenas are not more
)

// MaxWindows is how many segments of a rank others can reach directly: those with a
// smaller number.
const MaxWindows = 1024

// windowTable is what a rank tells others of its windows, and what it does with theirs.
type windowTable struct {
	Reaching atomic.Uint64 // window of another rank that this one copies from or to; 0: none
	_        [56]byte
	Windows  [MaxWindows]WindowPlace
}

// WindowPlace is where a window is. It does not change while others copy from or to it.
type WindowPlace struct {
	Begin atomic.Uint64 // in all arenas, plus one; 0: there is none
	Bytes uint64        // valid while begin is not 0
}

// ReachOf is what is in reaching for a window of a rank.
func ReachOf(rank, number int) uint64 { return uint64(rank)<<32 | uint64(number) + 1 }

// NewRegion makes the region of a group of the ranks of a job, with arenas as large as
// the system allows.
func NewRegion(ranks int, local []int, ringBytes int) (*os.File, *Region, error) {
	room := min(mostArenas, memoryLimit()-arenasBegin(ranks, ringBytes))
	for arena := min(usualArenas, room/ranks); ; arena /= 4 {
		arena = max(0, arena&^(ArenaGrain-1))
		file, memory, err := NewMemory(RegionBytes(ranks, ringBytes, arena))
		if err == nil {
			return file, Format(memory, ranks, local, ringBytes, arena), nil
		}
		if arena == 0 {
			return nil, nil, err
		}
	}
}

// Arena is memory for windows, in the hands of the rank that it belongs to. What is
// free is zero.
type Arena struct {
	Memory []byte
	Begin  int    // in all arenas
	free   []span // in order, none next to another
}

// span is a part of an arena.
type span struct{ begin, end int }

func NewArena(job *Region, rank int) Arena {
	n := int(job.Header.arenaBytes)
	a := Arena{Memory: job.Arenas[rank*n:][:n:n], Begin: rank * n}
	if n > 0 {
		a.free = []span{{0, n}}
	}
	return a
}

// grains rounds up to whole pages, so that they can be given back.
func grains(n int) int {
	page := os.Getpagesize()
	return (n + page - 1) / page * page
}

// Take returns the begin of free memory of n bytes, -1 if there is none or n is 0.
func (a *Arena) Take(n int) int {
	if n == 0 || n > len(a.Memory) {
		return -1
	}
	n = grains(n)
	i := slices.IndexFunc(a.free, func(s span) bool { return s.end-s.begin >= n })
	if i < 0 {
		return -1
	}
	begin := a.free[i].begin
	if a.free[i].begin += n; a.free[i].begin == a.free[i].end {
		a.free = slices.Delete(a.free, i, i+1)
	}
	return begin
}

// GiveBack frees the n bytes that take has returned the begin of.
func (a *Arena) GiveBack(begin, n int) {
	s := span{begin, begin + grains(n)}
	dropPages(a.Memory[s.begin:s.end])
	i, _ := slices.BinarySearchFunc(a.free, begin, func(f span, at int) int { return f.begin - at })
	if i < len(a.free) && a.free[i].begin == s.end {
		s.end = a.free[i].end
		a.free = slices.Delete(a.free, i, i+1)
	}
	if i > 0 && a.free[i-1].end == s.begin {
		a.free[i-1].end = s.end
		return
	}
	a.free = slices.Insert(a.free, i, s)
}
