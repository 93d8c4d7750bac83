package live

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// startStopped starts a process that says nothing, and stops it.
func startStopped(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	for !status.Stopped() {
		if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil {
			t.Fatal(err)
		}
	}
	return cmd.Process.Pid
}

func TestWhichProcessesAreRunning(t *testing.T) {
	self, stopped := os.Getpid(), startStopped(t)
	for _, c := range []struct {
		what string
		peer peer
		want bool
	}{
		{"this process", peer{Node: node(), PID: self}, true},
		{"one that is stopped", peer{Node: node(), PID: stopped}, false},
		{"one that there is not", peer{Node: node(), PID: 1 << 30}, false},
		{"one of another host", peer{Node: "elsewhere", PID: self}, false},
		{"one that nobody knows", peer{Node: node()}, false},
	} {
		if got := c.peer.isRunning(); got != c.want {
			t.Errorf("%s is running: %v, want %v", c.what, got, c.want)
		}
	}
}

// Of two ranks that say nothing, the hub blames the one that is stopped, and not the one
// that the system says is running: that is slow.
func TestHubBlamesNobodyWhoIsRunning(t *testing.T) {
	id, _ := testIdentity(t, 1)
	failed := make(chan failure, 1)
	h, err := newHub(id, "127.0.0.1:0", hubConfig{
		size: 2, bound: leastBound, divide: func([]introduction) []int { return []int{0, 1} },
		failed: func(v verdict) { failed <- v.failure },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	for rank, pid := range []int{os.Getpid(), startStopped(t)} {
		conn, err := id.dial(t.Context(), h.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		newLine(conn).send(message{Hello: &introduction{Rank: rank, Size: 2, Peer: peer{Node: node(), PID: pid}}})
	}
	if got, want := <-failed, (failure{silentFor, 1, milliseconds(leastBound)}); got != want {
		t.Errorf("the job fails with %+v, want %+v", got, want)
	}
}

func TestSilenceIsNotCountedOfWhoIsRunning(t *testing.T) {
	var s silence
	running := func() bool { return true }
	for range 10 * beatsPerBound {
		if s.tick(0, running) {
			t.Fatal("one that is running counts as silent for too long")
		}
	}
	ticks := 1
	for ; !s.tick(0, func() bool { return false }); ticks++ {
	}
	if ticks != beatsPerBound+1 {
		t.Errorf("one that is not running any more counts as silent for too long after %d ticks, want %d", ticks, beatsPerBound+1)
	}
}
