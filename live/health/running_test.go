package health

import (
	"musubi/live/livetest"
	"musubi/live/tcp"
	"musubi/live/wire"
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
		peer tcp.Peer
		want bool
	}{
		{"this process", tcp.Peer{Node: Node(), PID: self}, true},
		{"one that is stopped", tcp.Peer{Node: Node(), PID: stopped}, false},
		{"one that there is not", tcp.Peer{Node: Node(), PID: 1 << 30}, false},
		{"one of another host", tcp.Peer{Node: "elsewhere", PID: self}, false},
		{"one that nobody knows", tcp.Peer{Node: Node()}, false},
	} {
		if got := isPeerRunning(c.peer); got != c.want {
			t.Errorf("%s is running: %v, want %v", c.what, got, c.want)
		}
	}
}

// Of two ranks that say nothing, the hub blames the one that is stopped, and not the one
// that the system says is running: that is slow.
func TestHubBlamesNobodyWhoIsRunning(t *testing.T) {
	id, _ := livetest.TestIdentity(t, 1, tcp.Hub)
	failed := make(chan Failure, 1)
	h, err := NewHub(id, "127.0.0.1:0", HubConfig{
		Size: 2, Bound: LeastBound, Divide: func([]Introduction) []int { return []int{0, 1} },
		Failed: func(v Outcome) { failed <- v.Failure },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for rank, pid := range []int{os.Getpid(), startStopped(t)} {
		conn, err := identityOf(t, rank).Dial(t.Context(), h.Address(), tcp.Hub)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		NewConnection(conn).Send(ControlMessage{Hello: &Introduction{Rank: rank, Size: 2, Peer: tcp.Peer{Node: Node(), PID: pid}}})
	}
	if got, want := <-failed, (Failure{SilentFor, 1, milliseconds(LeastBound)}); got != want {
		t.Errorf("the job fails with %+v, want %+v", got, want)
	}
}

func TestSilenceIsNotCountedOfWhoIsRunning(t *testing.T) {
	var s silence
	running := func() bool { return true }
	for range 10 * wire.HeartbeatsPerBound {
		if s.tick(0, running) {
			t.Fatal("one that is running counts as silent for too long")
		}
	}
	ticks := 1
	for ; !s.tick(0, func() bool { return false }); ticks++ {
	}
	if ticks != wire.HeartbeatsPerBound+1 {
		t.Errorf("one that is not running any more counts as silent for too long after %d ticks, want %d", ticks, wire.HeartbeatsPerBound+1)
	}
}
