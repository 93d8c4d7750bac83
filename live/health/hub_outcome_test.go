package health

import (
	"musubi/live/livetest"
	"musubi/live/tcp"
	"os"
	"syscall"
	"testing"
	"time"
)

// testHub is a hub with two members that a test speaks for, and its outcome. They send no heartbeats,
// but belong to a process that is running; rank 1 only if it is not to be silent.
type testHub struct {
	*Hub
	t       *testing.T
	members [2]*Connection
	told    chan Failure
}

func newTestHub(t *testing.T, bound time.Duration, watched, silent bool) *testHub {
	t.Helper()
	id, _ := livetest.TestIdentity(t, 1, tcp.Hub)
	h := &testHub{t: t, told: make(chan Failure, 1)}
	var err error
	h.Hub, err = NewHub(id, "127.0.0.1:0", HubConfig{
		Size: len(h.members), Bound: bound, Divide: func([]Introduction) []int { return []int{0, 1} },
		Failed: func(v Outcome) { h.told <- v.Failure },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	for rank := range h.members {
		conn, err := identityOf(t, rank).Dial(t.Context(), h.Address(), tcp.Hub)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		h.members[rank] = NewConnection(conn)
		self := tcp.Peer{Node: Node(), PID: os.Getpid()}
		if silent && rank == 1 {
			self = tcp.Peer{}
		}
		h.members[rank].Send(ControlMessage{Hello: &Introduction{rank, len(h.members), self, watched}})
	}
	for rank := range h.members {
		h.await(rank, func(m ControlMessage) bool { return m.Peers != nil })
	}
	return h
}

// await reads what a member is told until that is something.
func (h *testHub) await(rank int, is func(ControlMessage) bool) {
	h.t.Helper()
	for {
		said, err := h.members[rank].receive()
		if err != nil {
			h.t.Fatalf("rank %d is told no more: %v", rank, err)
		}
		if is(said) {
			return
		}
	}
}

// leave ends the connection of rank 1, and returns when the hub knows.
func (h *testHub) leave() {
	h.members[1].conn.Close()
	for isGone := false; !isGone; time.Sleep(time.Millisecond) {
		h.mu.Lock()
		isGone = h.Hub.members[1].gone
		h.mu.Unlock()
	}
}

// suspect lets rank 0 say that its connection with rank 1 is lost.
func (h *testHub) suspect() {
	h.members[0].Send(ControlMessage{Failure: Failure{Cause: Cut, Rank: 1}.Encode()})
}

// isAsked waits until rank 1 is asked whether it is there.
func (h *testHub) isAsked() { h.await(1, func(m ControlMessage) bool { return m.Here }) }

// Whatever the order in which the hub learns how a rank has ended, it says what those say
// who know best.
func TestVerdictsOfThoseWhoKnowBest(t *testing.T) {
	t.Parallel()
	killed := Failure{Cause: Died, Rank: 1, Status: -int(syscall.SIGKILL)}
	failed := Failure{Cause: Returned, Rank: 1}
	for _, c := range []struct {
		name    string
		bound   time.Duration
		watched bool
		events  func(*testHub)
		want    Failure
	}{
		{"its parent is late", time.Hour, true, func(h *testHub) {
			h.leave()
			time.Sleep(2 * PartingTime)
			h.Fail(Outcome{Failure: killed})
		}, killed},
		{"its parent is late, where none is silent for too long", 0, true, func(h *testHub) {
			h.leave()
			time.Sleep(2 * PartingTime)
			h.Fail(Outcome{Failure: killed})
		}, killed},
		{"others have lost it before it is gone", time.Hour, true, func(h *testHub) {
			h.suspect()
			h.isAsked()
			h.leave()
			h.Fail(Outcome{Failure: killed})
		}, killed},
		{"others have lost it after it is gone", time.Hour, true, func(h *testHub) {
			h.leave()
			h.suspect()
			time.Sleep(2 * PartingTime)
			h.Fail(Outcome{Failure: killed})
		}, killed},
		{"its program fails before others lose it", time.Hour, true, func(h *testHub) {
			h.suspect()
			h.isAsked()
			h.members[1].Send(ControlMessage{Failure: failed.Encode()})
			h.members[1].Send(ControlMessage{Here: true})
		}, failed},
		{"it is there, and the connection is not", time.Hour, true, func(h *testHub) {
			h.suspect()
			h.isAsked()
			h.members[1].Send(ControlMessage{Here: true})
		}, Failure{Cause: Cut, Rank: 1}},
		{"its parent says nothing", LeastBound, true, (*testHub).leave, Failure{Cause: gone, Rank: 1}},
		{"nobody is its parent", time.Hour, false, (*testHub).leave, Failure{Cause: gone, Rank: 1}},
		{"it says nothing when others have lost it", LeastBound, true, (*testHub).suspect, Failure{Cause: SilentFor, Rank: 1, Status: milliseconds(LeastBound)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newTestHub(t, c.bound, c.watched, c.want.Cause == SilentFor)
			c.events(h)
			if got := <-h.told; got != c.want {
				t.Errorf("the job fails with %+v, want %+v", got, c.want)
			}
		})
	}
}
