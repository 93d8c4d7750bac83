package live

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// various is a job in which each rank does something else for ever.
func various(p rma.Process) ([]byte, error) {
	c, err := mpi.New(p)
	if err != nil {
		return nil, err
	}
	switch c.Rank() {
	case 0:
		_, err = mpi.Receive(c, 2, 7, make([]byte, 1))
		return nil, err
	case 1:
		return nil, nil
	case 2:
		select {}
	}
	for {
		p.Compute(units.Millisecond)
	}
}

// jobOf returns what the job of this process says that does as it should, and ends
// when none has for long.
func jobOf(t *testing.T, isIt func(*Job) bool) *Job {
	t.Helper()
	var last []*Job
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		jobs, err := Jobs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, job := range jobs {
			if job.PID == os.Getpid() && isIt(job) {
				return job
			}
		}
		last = jobs
	}
	t.Fatalf("no job says what it should; the last said %+v", last)
	return nil
}

func TestJobsSayWhatTheyDo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var job sync.WaitGroup
	defer job.Wait()
	defer cancel()
	job.Go(func() { _, _, _ = start(ctx, Config{Ranks: 4}, "various") })
	want := []string{
		"0 waits in Receive from rank 2 with tag 7 for ",
		"1 has ended",
		"2 runs, and has been in no call for",
		"3 runs",
	}
	found := jobOf(t, func(job *Job) bool {
		for i, p := range job.Processes {
			if !strings.HasPrefix(fmt.Sprint(p.Rank, " ", p), want[i]) {
				return false
			}
		}
		return true
	})
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	pids := map[int]bool{}
	for _, p := range found.Processes {
		pids[p.PID] = true
		if p.Host != host || isGone(p.PID) {
			t.Errorf("rank %d is process %d on %q; want one that runs, on %q", p.Rank, p.PID, p.Host, host)
		}
	}
	if found.Ranks != 4 || len(pids) != 4 || found.Seconds <= 0 || found.Command[0] != os.Args[0] {
		t.Errorf("the job is described as %+v", found)
	}
}

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
		others.Go(func() { g.fail(failure{cause: cutOff}) })
		g.release()
		others.Wait()
	}
}

func TestJobsThatHaveEndedAreNotListed(t *testing.T) {
	if _, _, err := start(t.Context(), Config{Ranks: 2}, "numbers"); err != nil {
		t.Fatal(err)
	}
	jobs, err := Jobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range jobs {
		if job.PID == os.Getpid() {
			t.Errorf("a job that has ended is listed: %+v", job)
		}
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
		if squatter, err = net.Listen("unix", standingName()+"1/1"); err != nil {
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
`, standingName())
	names, err := standingNames(strings.NewReader(table))
	if got, want := fmt.Sprint(names), fmt.Sprintf("[%[1]s12/1 %[1]s13/2]", standingName()); got != want || err != nil {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}
