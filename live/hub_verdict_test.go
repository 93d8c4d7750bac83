package live

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// testHub is a hub with two members that a test speaks for, and its verdict. They do not beat,
// but belong to a process that is running; rank 1 only if it is not to be silent.
type testHub struct {
	*hub
	t       *testing.T
	members [2]*line
	judged  chan failure
}

func newTestHub(t *testing.T, bound time.Duration, watched, silent bool) *testHub {
	t.Helper()
	id, _ := testIdentity(t, 1)
	h := &testHub{t: t, judged: make(chan failure, 1)}
	var err error
	h.hub, err = newHub(id, "127.0.0.1:0", hubConfig{
		size: len(h.members), bound: bound, divide: func([]introduction) []int { return []int{0, 1} },
		failed: func(v verdict) { h.judged <- v.failure },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.close)
	for rank := range h.members {
		conn, err := id.dial(t.Context(), h.Address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		h.members[rank] = newLine(conn)
		self := peer{Node: node(), PID: os.Getpid()}
		if silent && rank == 1 {
			self = peer{}
		}
		h.members[rank].send(message{Hello: &introduction{rank, len(h.members), self, watched}})
	}
	for rank := range h.members {
		h.await(rank, func(m message) bool { return m.Peers != nil })
	}
	return h
}

// await reads what a member is told until that is something.
func (h *testHub) await(rank int, is func(message) bool) {
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
		isGone = h.hub.members[1].gone
		h.mu.Unlock()
	}
}

// suspect lets rank 0 say that its connection with rank 1 is lost.
func (h *testHub) suspect() {
	h.members[0].send(message{Failure: failure{cause: cut, rank: 1}.encode()})
}

// isAsked waits until rank 1 is asked whether it is there.
func (h *testHub) isAsked() { h.await(1, func(m message) bool { return m.Here }) }

// Whatever the order in which the hub learns how a rank has ended, it says what those say
// who know best.
func TestVerdictsOfThoseWhoKnowBest(t *testing.T) {
	t.Parallel()
	killed := failure{cause: died, rank: 1, status: -int(syscall.SIGKILL)}
	failed := failure{cause: returned, rank: 1}
	for _, c := range []struct {
		name    string
		bound   time.Duration
		watched bool
		events  func(*testHub)
		want    failure
	}{
		{"its parent is late", time.Hour, true, func(h *testHub) {
			h.leave()
			time.Sleep(2 * partingTime)
			h.fail(verdict{failure: killed})
		}, killed},
		{"its parent is late, where none is silent for too long", 0, true, func(h *testHub) {
			h.leave()
			time.Sleep(2 * partingTime)
			h.fail(verdict{failure: killed})
		}, killed},
		{"others have lost it before it is gone", time.Hour, true, func(h *testHub) {
			h.suspect()
			h.isAsked()
			h.leave()
			h.fail(verdict{failure: killed})
		}, killed},
		{"others have lost it after it is gone", time.Hour, true, func(h *testHub) {
			h.leave()
			h.suspect()
			time.Sleep(2 * partingTime)
			h.fail(verdict{failure: killed})
		}, killed},
		{"its program fails before others lose it", time.Hour, true, func(h *testHub) {
			h.suspect()
			h.isAsked()
			h.members[1].send(message{Failure: failed.encode()})
			h.members[1].send(message{Here: true})
		}, failed},
		{"it is there, and the connection is not", time.Hour, true, func(h *testHub) {
			h.suspect()
			h.isAsked()
			h.members[1].send(message{Here: true})
		}, failure{cause: cut, rank: 1}},
		{"its parent says nothing", leastBound, true, (*testHub).leave, failure{cause: gone, rank: 1}},
		{"nobody is its parent", time.Hour, false, (*testHub).leave, failure{cause: gone, rank: 1}},
		{"it says nothing when others have lost it", leastBound, true, (*testHub).suspect, failure{cause: silentFor, rank: 1, status: milliseconds(leastBound)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newTestHub(t, c.bound, c.watched, c.want.cause == silentFor)
			c.events(h)
			if got := <-h.judged; got != c.want {
				t.Errorf("the job fails with %+v, want %+v", got, c.want)
			}
		})
	}
}

// A parent that is stopped when a rank is killed says so when it goes on, and all are told
// that: none says before that it has lost its connection, or that a copy has failed.
func TestKilledRanksOfStoppedParents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ division, program string }{
		{"each rank alone", "wait for rank 1"},
		{"one group", "write to rank 1"},
		{"two groups", "write to rank 1"},
	} {
		t.Run(c.division+", "+c.program, func(t *testing.T) {
			t.Parallel()
			parent := startParent(t, c.division, c.program, boundVariable+"="+time.Hour.String())
			of := parent.processes(4)
			parent.signal(syscall.SIGSTOP)
			if err := syscall.Kill(of[1], syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			time.Sleep(4 * partingTime)
			parent.signal(syscall.SIGCONT)
			text := parent.rest()
			for _, rank := range []int{0, 2, 3} {
				if want := fmt.Sprintf("rank %d: told: live: the process of rank 1 was ended by a signal (killed)\n", rank); !strings.Contains(text, want) {
					t.Errorf("no line is %q:\n%s", want, text)
				}
			}
		})
	}
}

// Of a rank that its parent has started by way of a script, nobody is waited for who says
// how its process has ended: the script may go on.
func TestKilledRanksOfScripts(t *testing.T) {
	t.Parallel()
	cfg := divisions["each rank alone"]
	cfg.Bound, cfg.Grace = time.Hour, shortBound/2
	cfg.Command = []string{"sh", "-c", `"$0"; exec sleep 600`, os.Args[0]}
	o, err := startKnown(t.Context(), cfg, 4, "wait for rank 1", func(of map[int]int) {
		if err := syscall.Kill(of[1], syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	})
	var failed *RankError
	if want := "rank 1: the process has ended before its program was done"; !errors.As(err, &failed) || err.Error() != want {
		t.Errorf("job ends with %v, want %s\n%s", err, want, &o.text)
	}
}
