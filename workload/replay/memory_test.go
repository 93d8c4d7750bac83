package replay_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"musubi/internal/check"
	"musubi/internal/spill"
	"musubi/trace/format"
	"musubi/trace/goal/loggops"
	"musubi/trace/schedule"
)

// ring is a job in which each rank computes and passes a message on, again and again, and all meet now and then.
func ring(ranks, rounds int) *schedule.Schedule {
	b := schedule.NewBuilder(ranks)
	for r := range ranks {
		last := b.Add(r, schedule.CalcOf(500_250))
		for round := range rounds {
			send := b.Add(r, schedule.Op{Kind: schedule.Send, Peer: uint32((r + 1) % ranks), Tag: uint32(round % 7), Size: 100})
			receive := b.Add(r, schedule.Op{Kind: schedule.Receive, Peer: uint32((r + ranks - 1) % ranks), Tag: uint32(round % 7), Size: 100})
			next := b.Add(r, schedule.CalcOf(500_250))
			b.Require(r, last, send)
			b.Require(r, last, receive)
			b.Require(r, send, next)
			b.Require(r, receive, next)
			last = next
		}
	}
	return b.Schedule()
}

// simgrid writes the same for SimGrid, with a barrier in each round.
func simgrid(t *testing.T, path string, ranks, rounds int) {
	t.Helper()
	f, err := os.Create(path)
	check.Must(t, err)
	b := bufio.NewWriter(f)
	for round := range rounds {
		for r := range ranks {
			fmt.Fprintf(b, "%d isend %d %d 100\n%d recv %d %d 100\n%d waitall\n%d compute 500\n%d barrier\n", r, (r+1)%ranks, round%7, r, (r+ranks-1)%ranks, round%7, r, r, r)
		}
	}
	check.Must(t, b.Flush())
	check.Must(t, f.Close())
}

// held returns how much of the heap a trace holds when it has been read, checked and run.
func held(t *testing.T, path string) int64 {
	t.Helper()
	before := onHeap()
	s, err := format.Open(path)
	check.Must(t, err)
	messages, err := s.Expanded()
	check.Must(t, err)
	_, err = loggops.Run(context.Background(), messages, loggops.Parameters{}, loggops.LogGOPSim)
	check.Must(t, err)
	during := onHeap()
	runtime.KeepAlive(messages)
	runtime.KeepAlive(s)
	return during - before
}

func onHeap() int64 {
	runtime.GC()
	runtime.GC() // what cleanups have let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The memory that a trace takes does not grow with its length.
func TestMemoryOfLongTraces(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("schedules lie on the heap here")
	}
	defer func(bytes int) { spill.InMemory = bytes }(spill.InMemory)
	spill.InMemory = 64 << 10
	const ranks, rounds = 4, 400
	for _, ending := range []string{".goal", ".bin", ".et", ".txt"} {
		var bytes [2]int64
		for i, longer := range []int{1, 10} {
			path := filepath.Join(t.TempDir(), "ring"+ending)
			if ending == ".txt" {
				simgrid(t, path, ranks, longer*rounds/2)
			} else {
				check.Must(t, format.Write(path, ring(ranks, longer*rounds)))
			}
			bytes[i] = held(t, path)
		}
		t.Logf("%s: %d and %d bytes", ending, bytes[0], bytes[1])
		if limit := bytes[0] + 64<<10; bytes[1] > limit {
			t.Errorf("%s: ten times the length takes %d bytes of the heap instead of %d", ending, bytes[1], bytes[0])
		}
	}
}
