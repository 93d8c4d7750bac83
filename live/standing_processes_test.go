package live

import (
	"bytes"
	"context"
	"fmt"
	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestJobsSayWhatTheyDo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { _, _, _ = start(ctx, Config{Ranks: 4}, "various") })
	want := []string{
		"0 waits in Receive from rank 2 with tag 7 for ",
		"1 has ended",
		"2 runs, and has been in no call for",
		"3 runs",
	}
	found := jobOf(t, func(j *Job) bool {
		for i, p := range j.Processes {
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

// A job does not wait for processes that its ranks leave behind, even if they hold all that
// they have inherited.
func TestJobsEndBeforeWhatTheyLeaveBehind(t *testing.T) {
	var output bytes.Buffer
	cfg := Config{Ranks: 1, Output: &output, Unlabelled: true, Command: []string{"sh", "-c", "sleep 1000 & echo $!"}, Grace: 100 * time.Millisecond}
	if err := Launch(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	left, err := strconv.Atoi(strings.TrimSpace(output.String()))
	if err != nil {
		t.Fatal(err)
	}
	if isGone(left) {
		t.Error("what the rank has left behind has ended before the job")
	}
	if err := syscall.Kill(left, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

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
		time.Sleep(10 * time.Millisecond)
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
