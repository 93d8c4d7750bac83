package job

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"musubi/live/health"
)

// A question may be under way, and a failure be told, when a group ends.
func TestGroupsThatAreGoneCanBeAsked(t *testing.T) {
	for range 50 {
		g, err := newGroup(groupSpec{Size: 2, Ranks: []int{0, 1}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var others sync.WaitGroup
		others.Go(func() {
			for g.describe() != nil {
			}
		})
		others.Go(func() { g.fail(health.Failure{Cause: health.CutOff}) })
		g.release()
		others.Wait()
	}
}

// asNobody runs f on a thread of another user.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root to become another user")
	}
	const nobody = 65534
	done := make(chan syscall.Errno)
	go func() {
		runtime.LockOSThread() // and never unlocks: the thread ends with the goroutine
		_, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, nobody)
		if errno == 0 {
			f()
		}
		done <- errno
	}()
	if errno := <-done; errno != 0 {
		t.Fatal(errno)
	}
}

func TestOtherUsersAreNotTold(t *testing.T) {
	socket, err := announce(func() *Job { return &Job{PID: 1} })
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	name := socket.(*net.UnixListener).Addr().String()
	if job, err := askJob(t.Context(), name); err != nil || job.PID != 1 {
		t.Fatalf("the user is told %v, %v", job, err)
	}
	asNobody(t, func() {
		conn, err := net.Dial("unix", name)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		if told, err := io.ReadAll(conn); err != nil || len(told) > 0 {
			t.Errorf("another user is told %q, %v; want nothing", told, err)
		}
	})
}

func TestOtherUsersAreNotBelieved(t *testing.T) {
	var squatter net.Listener
	asNobody(t, func() {
		var err error
		if squatter, err = net.Listen("unix", registryName()+"1/1"); err != nil {
			t.Error(err)
		}
	})
	defer squatter.Close()
	if job, err := askJob(t.Context(), squatter.Addr().String()); err == nil || !strings.Contains(err.Error(), "is of user 65534") {
		t.Errorf("a job of another user: %v, %v", job, err)
	}
}

func TestOnlyListeningSocketsOfTheUserAreJobs(t *testing.T) {
	table := fmt.Sprintf(`Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 100 %[1]s12/1
0000000000000000: 00000003 00000000 00000000 0001 03 101 %[1]s12/1
0000000000000000: 00000002 00000000 00010000 0001 01 102 @musubi/4294967295/12/1
0000000000000000: 00000002 00000000 00010000 0001 01 103 /run/other
0000000000000000: 00000002 00000000 00010000 0001 01 104
0000000000000000: 00000002 00000000 00010000 0001 01 105 %[1]s13/2
nonsense
`, registryName())
	names, err := registryNames(strings.NewReader(table))
	if got, want := fmt.Sprint(names), fmt.Sprintf("[%[1]s12/1 %[1]s13/2]", registryName()); got != want || err != nil {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}
