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
	g.Ranks[1].Pid.Store(uint32(os.Getppid())) // whatever that does: it is a process whose time can be read
	look(time.Hour, 0, 1, "beside others")
	for _, pid := range []int{os.Getpid(), os.Getppid()} {
		if _, counts := d.own[pid]; !counts || len(d.own) != 2 {
			t.Errorf("processes %v count as ranks; expected %d among two", d.own, pid)
		}
	}
	look(0, time.Hour, 0, "of own work")
	d.own[-1] = 0
	look(time.Hour, 0, 0, "as a process has ended, and nobody knows for how long it has computed")
	look(time.Hour, 0, 1, "beside others again")
	now = now.Add(-crowdEvery / 2)
	look(0, 0, 1, "so soon after the last look")
}

// The first line has ticks of a hundredth of a second: of programs, of nice ones and in the system, and others.
func TestTimesOfProcessorsAreRead(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"cpu  100 20 3 4000 5\ncpu0 50 10 1 2000 2\n": 1230 * time.Millisecond,
		"cpu 1 2 3":  60 * time.Millisecond,
		"cpu 1 2\n3": 0, "cpu 1 x 3": 0, "cpu 1 2 -": 0, "": 0,
	} {
		if got, err := busyIn([]byte(text)); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v; expected %v", text, got, err, want)
		}
	}
}
