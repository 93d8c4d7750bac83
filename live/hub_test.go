package live

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// A process of the job that says what cannot be is refused, counted, and harms nobody.
func TestHubRefusesWhatCannotBe(t *testing.T) {
	id, _ := testIdentity(t, 1)
	h, err := newHub(id, "127.0.0.1:0", hubConfig{
		size: 2, divide: func([]introduction) []int { return []int{0, 1} },
		failed: func(v verdict) { t.Errorf("the job fails with %+v", v.failure) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	call := func(m message) *line {
		conn, err := id.dial(t.Context(), h.Address())
		if err != nil {
			t.Fatal(err)
		}
		l := newLine(conn)
		l.send(m)
		return l
	}
	introduce := func(rank, size int) message { return message{Hello: &introduction{Rank: rank, Size: size}} }
	first := call(introduce(0, 2))
	defer first.conn.Close()
	for { // until rank 0 is in
		h.mu.Lock()
		here := h.here
		h.mu.Unlock()
		if here == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	bad := []message{introduce(0, 2), introduce(2, 2), introduce(-1, 2), introduce(1, 3), {}, {Ended: true}}
	for _, m := range bad {
		l := call(m)
		if said, err := l.receive(); err == nil {
			t.Errorf("%+v is answered with %+v, want an end", m, said)
		}
		l.conn.Close()
	}
	awaitRefusals(t, h.gate, badHello, len(bad))
	second := call(introduce(1, 2))
	defer second.conn.Close()
	for _, l := range []*line{first, second} {
		if said, err := l.receive(); err != nil || len(said.Peers) != 2 {
			t.Errorf("ranks are told %+v, %v; want where both are", said, err)
		}
	}
	first.send(message{Ended: true})
	second.send(message{Ended: true})
	for _, l := range []*line{first, second} {
		for {
			said, err := l.receive()
			if err != nil {
				t.Fatal("ranks are not told that all have ended:", err)
			}
			if said.Ended {
				break
			}
		}
	}
}

// Nobody speaks for other ranks, or names one that there is not.
func TestFailuresThatMembersTellOf(t *testing.T) {
	m := &member{introduction: introduction{Rank: 1}}
	for _, c := range []struct{ told, want failure }{
		{failure{cause: returned, rank: 1}, failure{cause: returned, rank: 1}},
		{failure{cause: returned, rank: 2}, failure{cause: returned, rank: 1}},
		{failure{cause: gone, rank: noRank}, failure{cause: gone, rank: 1}},
		{failure{cut, 2, 1}, failure{cut, 2, 1}},
		{failure{cut, 2, 0}, failure{cut, 2, 1}},
		{failure{rejected, 4, -9}, failure{rejected, 1, 1}},
	} {
		if got := m.attest(c.told, 4); got != c.want {
			t.Errorf("rank 1 tells of %+v, which is taken for %+v; want %+v", c.told, got, c.want)
		}
	}
}

// TestNothingIsLeftOfJobs counts what a launcher has before and after its jobs.
func TestNothingIsLeftOfJobs(t *testing.T) {
	run := func() {
		for _, division := range divisions {
			for _, program := range []string{"numbers", "rank 1 exits"} {
				_, _, _ = start(t.Context(), division, program)
			}
		}
	}
	run() // what the runtime makes once
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	run()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		g, f := runtime.NumGoroutine(), openFiles(t)
		if g <= goroutines && f <= files {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d goroutines and %d files are left, want %d and %d", g, f, goroutines, files)
		}
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
