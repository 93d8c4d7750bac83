package live

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"musubi/live/health"
	"musubi/rma"
	"musubi/units"
)

// divisions are ways to divide four ranks into groups.
var divisions = map[string]Config{
	"one group":       {Ranks: 4},
	"two groups":      {Hosts: []Host{{Name: "localhost", Ranks: 2}, {Name: "", Ranks: 2}}},
	"each rank alone": {Ranks: 4, Transport: TransportTCP},
}

// shortBound is how long ranks of tests may be silent. A busy machine keeps none waiting
// for as long.
const shortBound = time.Second

// waitFor lets all ranks wait for one, which computes without end. If it is none of them,
// they wait for each other, and are in no call now and then so that the job is not stuck. They
// say what has ended that.
func waitFor(victim func() int) func(rma.Process) ([]byte, error) {
	return func(p rma.Process) ([]byte, error) {
		fmt.Println("process", os.Getpid())
		var err error
		for err == nil && (victim() == p.Rank() || victim() < 0) {
			if victim() >= 0 {
				p.Compute(units.Millisecond)
				continue
			}
			time.Sleep(time.Millisecond)
			_, err = p.Poll()
		}
		if err == nil {
			err = p.WaitUntil(func() bool { return false })
		}
		fmt.Println("told:", err)
		return nil, err
	}
}

// victim is the rank that tests tell of by a variable.
func victim() int {
	n, err := strconv.Atoi(os.Getenv(victimVariable))
	if err != nil {
		return -1
	}
	return n
}

// A rank that is killed, or stopped, or stops itself, is named by all that wait for it.
func TestAllAreToldWhichRankIsLost(t *testing.T) {
	t.Parallel()
	for name, division := range divisions {
		for _, c := range []struct {
			signal syscall.Signal
			told   string
			want   string // error of the job
		}{
			{syscall.SIGKILL, "the process of rank 1 was ended by a signal (killed)", "rank 1: the process was ended by a signal (killed)"},
			{syscall.SIGSTOP, "rank 1 has given no sign of life for 1s", "rank 1: it has given no sign of life for 1s"},
		} {
			t.Run(fmt.Sprint(name, "/", c.signal), func(t *testing.T) {
				t.Parallel()
				cfg := division
				cfg.Bound, cfg.Grace = shortBound, shortBound/2 // who is stopped does not end by itself
				o, err := startKnown(t.Context(), cfg, 4, "wait for rank 1", func(of map[int]int) {
					if err := syscall.Kill(of[1], c.signal); err != nil {
						t.Error(err)
					}
				})
				var failed *RankError
				if !errors.As(err, &failed) || failed.Rank != 1 || err.Error() != c.want {
					t.Errorf("job ends with %v, want %s", err, c.want)
				}
				for _, rank := range []int{0, 2, 3} {
					if want := fmt.Sprintf("rank %d: told: live: %s\n", rank, c.told); !strings.Contains(o.text.String(), want) {
						t.Errorf("output has no line %q:\n%s", want, &o.text)
					}
				}
				for rank, pid := range o.of {
					if !isGone(pid) {
						t.Errorf("rank %d is still there", rank)
					}
				}
			})
		}
	}
}

// A launcher that was stopped has not listened to its ranks, and so blames none of them.
// Ranks of several groups that have no sign of life of it for too long end.
func TestStoppedLaunchers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		division string
		want     string // last line of output
	}{
		{"one group", "the job has ended: <nil>"},
		{"two groups", "the launcher has given no sign of life for 1s"},
	} {
		t.Run(c.division, func(t *testing.T) {
			t.Parallel()
			parent := startParent(t, c.division, "linger")
			parent.processes(4)
			parent.signal(syscall.SIGSTOP)
			time.Sleep(2 * shortBound)
			parent.signal(syscall.SIGCONT)
			if text := parent.rest(); !strings.Contains(text, c.want) {
				t.Errorf("no line has %q:\n%s", c.want, text)
			}
		})
	}
}

// linger lasts longer than the launcher is stopped for, and then exchanges a sign with
// all ranks of its group, by its end.
func linger(p rma.Process) ([]byte, error) {
	fmt.Println("process", os.Getpid())
	time.Sleep(3 * shortBound)
	_, err := p.Poll()
	if err != nil {
		fmt.Println("told:", err)
	}
	return nil, err
}

// computeLong lets rank 1 compute for longer than a rank may be silent, without a call,
// while rank 0 sends it more than sockets hold. To all others it computes though it sleeps.
func computeLong(p rma.Process) ([]byte, error) {
	const bytes = 64 << 20
	inbox := make([]byte, bytes)
	segment := p.Expose(inbox)
	if p.Rank() == 1 {
		time.Sleep(shortBound * 5 / 4)
		return nil, p.WaitUntil(func() bool { return inbox[bytes-1] == 1 })
	}
	op, err := p.Push(rma.Address{Rank: 1, Segment: segment}, append(make([]byte, bytes-1), 1), rma.DMA)
	if err != nil {
		return nil, err
	}
	return nil, p.Wait(op)
}

// A rank that computes lives, also when its sockets are full.
func TestRanksThatComputeForLongAreNotLost(t *testing.T) {
	t.Parallel()
	cfg := Config{Ranks: 2, Transport: TransportTCP, Bound: shortBound}
	if _, output, err := start(t.Context(), cfg, "compute long"); err != nil {
		t.Errorf("job ends with %v\n%s", err, output)
	}
}

func TestProgramsInGroups(t *testing.T) {
	for _, c := range []struct {
		program string
		hosts   []Host
	}{
		{"large", onThisHost(1, 1)},
		{"many", onThisHost(3, 1, 2)},
		{"numbers", onThisHost(2, 2)},
	} {
		t.Run(c.program, func(t *testing.T) {
			if _, output, err := start(t.Context(), Config{Hosts: c.hosts}, c.program); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

func onThisHost(ranks ...int) []Host {
	var hosts []Host
	for _, n := range ranks {
		hosts = append(hosts, Host{Ranks: n})
	}
	return hosts
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

// A parent that is stopped when a rank is killed says so when it goes on, and all are told
// that: none says before that it has lost its connection, or that a copy has failed. Ranks of one
// group are for -long, as those of two are in groups, too.
func TestKilledRanksOfStoppedParents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ division, program string }{
		{"each rank alone", "wait for rank 1"},
		{"one group", "write to rank 1"},
		{"two groups", "write to rank 1"},
	} {
		if (c.division == "one group") != *long {
			continue
		}
		t.Run(c.division+", "+c.program, func(t *testing.T) {
			t.Parallel()
			parent := startParent(t, c.division, c.program, boundVariable+"="+time.Hour.String())
			of := parent.processes(4)
			parent.signal(syscall.SIGSTOP)
			if err := syscall.Kill(of[1], syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			time.Sleep(4 * health.PartingTime)
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

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
