package shm

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// newTestArena returns an arena in shared memory.
func newTestArena(t *testing.T, size int) *Arena {
	file, memory, err := NewMemory(size)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	t.Cleanup(func() { UnmapMemory(memory) })
	return &Arena{Memory: memory, free: []span{{0, size}}}
}

// What is taken is zero and belongs to nobody else; what is given back can be taken
// again, as a whole in the end.
func TestArena(t *testing.T) {
	page := os.Getpagesize()
	a := newTestArena(t, 16*page)
	rapid.Check(t, func(t *rapid.T) {
		var taken []span
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			if len(taken) > 0 && rapid.Bool().Draw(t, "give back") {
				i := rapid.IntRange(0, len(taken)-1).Draw(t, "which")
				a.GiveBack(taken[i].begin, taken[i].end-taken[i].begin)
				taken = slices.Delete(taken, i, i+1)
				continue
			}
			n := rapid.IntRange(1, 6*page).Draw(t, "bytes")
			begin := a.Take(n)
			if begin < 0 {
				if largest := largestSpan(a); largest >= n {
					t.Fatalf("%d bytes are not there, but %d in one piece", n, largest)
				}
				continue
			}
			s := span{begin, begin + n}
			if i := slices.IndexFunc(taken, func(o span) bool { return s.begin < o.end && o.begin < s.end }); i >= 0 {
				t.Fatalf("%v is taken, and %v was", s, taken[i])
			}
			if memory := a.Memory[s.begin:s.end]; !bytes.Equal(memory, make([]byte, n)) {
				t.Fatalf("what is taken at %v is not zero", s)
			} else {
				memory[0], memory[n-1] = 1, 1
			}
			taken = append(taken, s)
		}
		for _, s := range taken {
			a.GiveBack(s.begin, s.end-s.begin)
		}
		if want := []span{{0, len(a.Memory)}}; !slices.Equal(a.free, want) {
			t.Fatalf("after all is given back %v is free, want %v", a.free, want)
		}
	})
}

func largestSpan(a *Arena) int {
	largest := 0
	for _, s := range a.free {
		largest = max(largest, s.end-s.begin)
	}
	return largest
}

func TestArenaRefusesWhatItDoesNotHave(t *testing.T) {
	a := newTestArena(t, ArenaGrain)
	for _, n := range []int{0, ArenaGrain + 1, 1 << 62} {
		if begin := a.Take(n); begin >= 0 {
			t.Errorf("%d bytes are taken at %d", n, begin)
		}
	}
}

// Memory that is given back counts no more.
func TestWithdrawnWindowsTakeNoMemory(t *testing.T) {
	const size = 4 << 20
	file, memory, err := NewMemory(size)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer UnmapMemory(memory)
	blocks := func() int64 {
		var s unix.Stat_t
		if err := unix.Fstat(int(file.Fd()), &s); err != nil {
			t.Fatal(err)
		}
		return s.Blocks
	}
	a := &Arena{Memory: memory, free: []span{{0, size}}}
	begin := a.Take(size)
	for i := range memory {
		memory[i] = 1
	}
	if blocks() == 0 {
		t.Error("memory that is written takes no blocks")
	}
	a.GiveBack(begin, size)
	if n := blocks(); n != 0 {
		t.Errorf("after all is given back %d blocks are taken", n)
	}
}

// Where files may not be large, arenas are smaller, or there are none.
func TestArenasStayWithinLimits(t *testing.T) {
	const ranks = 4
	least := arenasBegin(ranks, 64<<10)
	for _, c := range []struct {
		limit, arena int // bytes
	}{
		{least, 0},
		{least + ranks*ArenaGrain - 1, 0},
		{least + ranks*ArenaGrain, ArenaGrain},
		{least + ranks<<20, 1 << 20},
		{1 << 40, usualArenas},
	} {
		file, job, err := withFileLimit(t, uint64(c.limit), ranks)
		if err != nil {
			t.Errorf("with a limit of %d bytes: %v", c.limit, err)
			continue
		}
		if got := int(job.Header.arenaBytes); got != c.arena {
			t.Errorf("with a limit of %d bytes arenas have %d bytes, want %d", c.limit, got, c.arena)
		}
		UnmapMemory(job.Bytes)
		file.Close()
	}
}

// withFileLimit makes a region while files may not be longer than a limit.
func withFileLimit(t *testing.T, limit uint64, ranks int) (*os.File, *Region, error) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	now := before
	now.Cur = limit
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &now); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
	}()
	return NewRegion(ranks, nil, 64<<10)
}
