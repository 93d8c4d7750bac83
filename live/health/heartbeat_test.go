package health

import (
	"net"
	"testing"
	"time"

	"musubi/internal/check"
	"musubi/live/shm"
	"musubi/live/wire"
)

func TestSilenceIsCountedInTicks(t *testing.T) {
	var s silence
	for _, c := range []struct {
		heard uint64
		ticks int // without anything new
		want  bool
	}{
		{1, 0, false},
		{1, wire.HeartbeatsPerBound - 1, false},
		{2, 0, false},
		{2, wire.HeartbeatsPerBound + 1, true},
		{3, 0, false},
	} {
		asleep := func() bool { return false }
		got := s.tick(c.heard, asleep)
		for range c.ticks {
			got = s.tick(c.heard, asleep)
		}
		if got != c.want {
			t.Errorf("%d messages and %d ticks: silent for too long: %v, want %v", c.heard, c.ticks, got, c.want)
		}
	}
}

// TestWhatIsNotReadIsASignOfLife: a process that looks at its clock and does not come to read does not
// count the other one as lost, as long as something is there to be read; but when that has been read,
// and nothing else comes, it does.
func TestWhatIsNotReadIsASignOfLife(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	there, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	here, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	hub, rank := NewConnection(there), NewConnection(here)
	hub.Send(ControlMessage{})
	for !rank.hasUnread() { // the system needs some time
	}
	c := &Control{connection: rank}
	var s silence
	for range 3 * wire.HeartbeatsPerBound {
		if s.tick(rank.heard.Load(), c.hubIsThere) {
			t.Fatal("the hub counts as silent, though a message of it was not read")
		}
	}
	if _, err := rank.receive(); err != nil {
		t.Fatal(err)
	}
	silent := false
	for range wire.HeartbeatsPerBound + 2 {
		silent = s.tick(rank.heard.Load(), c.hubIsThere)
	}
	if !silent {
		t.Error("a hub from which nothing comes does not count as silent")
	}
}

// A rank that is stopped right after it has begun is missed, as its first heartbeat has been by then.
func TestFirstHeartbeatIsAtOnce(t *testing.T) {
	_, group, err := shm.NewRegion(2, []int{0, 1}, 1<<10)
	check.Must(t, err)
	Heartbeat(t.Context(), group, 1, time.Hour)
	if group.Ranks[1].Heartbeats.Load() == 0 {
		t.Error("no heartbeat has been when Heartbeat returns")
	}
}
