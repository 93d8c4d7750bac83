package health

import (
	"os"
	"testing"
	"time"

	"musubi/live/shm"
)

// A host is crowded while its processors compute for more than its ranks, by at least a part of one of them.
func TestCrowdIsTold(t *testing.T) {
	if _, err := busyTime(); err != nil {
		t.Skip(err)
	}
	_, g, err := shm.NewRegion(2, []int{0}, 1<<10)
	if err != nil {
		t.Skip(err)
	}
	defer shm.UnmapMemory(g.Bytes)
	g.Ranks[0].Pid.Store(uint32(os.Getpid()))
	now := time.Now()
	d := newCrowdDetector(g, now)
	look := func(others, own time.Duration, want uint32, why string) {
		t.Helper()
		now = now.Add(crowdEvery)
		d.busy -= others + own
		for pid := range d.own {
			d.own[pid] -= own
		}
		d.look(now)
		if got := 1 - g.Header.Alone.Load(); got != want {
			t.Errorf("crowded is %d; want %d %s", got, want, why)
		}
	}
	look(0, 0, 1, "of ranks that have processors of their own")
	g.Header.Sleeps = 1
	g.Header.Joined.Store(1)
	look(0, time.Hour, 1, "of a group of a larger job")
	g.Enlist([]int{0, 1})
	d = newCrowdDetector(g, now)
	look(time.Hour, 0, 0, "before all ranks have joined")
	g.Header.Joined.Store(2)
	g.Ranks[1].Pid.Store(uint32(os.Getpid()))
	look(time.Hour, 0, 1, "beside others")
	look(0, time.Hour, 0, "of own work")
	d.own[-1] = 0
	look(time.Hour, 0, 0, "as a process has ended, and nobody knows for how long it has computed")
	look(time.Hour, 0, 1, "beside others again")
	now = now.Add(-crowdEvery / 2)
	look(0, 0, 1, "so soon after the last look")
}
