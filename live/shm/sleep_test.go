package shm

import (
	"os"
	"testing"
	"time"
)

// Who sleeps for data goes on sleeping when others take what it has sent, and only then.
func TestWhatSleepersAreWokenFor(t *testing.T) {
	_, g, err := NewRegion(1, []int{0}, 1<<10)
	if err != nil {
		t.Skip(err)
	}
	defer UnmapMemory(g.Bytes)
	word := &g.Ranks[0].Sleeping
	for _, c := range []struct {
		sleeps          uint32
		wake            func(rank int)
		what            string
		sleepsAfterward bool
	}{
		{ForAll, g.WakeSender, "what it has sent is taken", false},
		{ForData, g.WakeSender, "what it has sent is taken", true},
		{ForAll, g.Wake, "data comes", false},
		{ForData, g.Wake, "data comes", false},
	} {
		word.Store(c.sleeps)
		c.wake(0)
		if got := word.Load() != 0; got != c.sleepsAfterward {
			t.Errorf("a rank that sleeps for %d sleeps after %s: %v; want %v", c.sleeps, c.what, got, c.sleepsAfterward)
		}
	}
}

// A process that computes has computed for longer afterwards.
func TestProcessTimePasses(t *testing.T) {
	before, err := ProcessTime(os.Getpid())
	if err != nil {
		t.Skip(err)
	}
	for begin := time.Now(); time.Since(begin) < 2*time.Millisecond; {
	}
	if after, err := ProcessTime(os.Getpid()); err != nil || after <= before {
		t.Errorf("the time of this process was %v, and later %v, %v", before, after, err)
	}
}
