package live

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"musubi/rma"
	"musubi/units"
)

// divisions are ways to divide four ranks into groups.
var divisions = map[string]Config{
	"one group":       {Ranks: 4},
	"two groups":      {Hosts: []Host{{"localhost", 2}, {"", 2}}},
	"each rank alone": {Ranks: 4, Transport: TransportTCP},
}

// shortBound is how long ranks of tests may be silent. A busy machine keeps none waiting
// for as long.
const shortBound = time.Second

// waitFor lets all ranks wait for one, which computes without end. If it is none of them,
// they wait for each other, and compute now and then so that the job is not stuck. They
// say what has ended that.
func waitFor(victim func() int) func(rma.Process) ([]byte, error) {
	return func(p rma.Process) ([]byte, error) {
		fmt.Println("process", os.Getpid())
		var err error
		for err == nil && (victim() == p.Rank() || victim() < 0) {
			p.Compute(units.Millisecond)
			if victim() < 0 {
				_, err = p.Poll()
			}
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
	p.Compute(3 * units.Second)
	_, err := p.Poll()
	if err != nil {
		fmt.Println("told:", err)
	}
	return nil, err
}

// computeLong lets rank 1 compute for longer than a rank may be silent, without a call,
// while rank 0 sends it more than sockets hold.
func computeLong(p rma.Process) ([]byte, error) {
	const bytes = 64 << 20
	inbox := make([]byte, bytes)
	segment := p.Expose(inbox)
	if p.Rank() == 1 {
		for start := time.Now(); time.Since(start) < 3*shortBound; {
		}
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

func TestSilenceIsCountedInTicks(t *testing.T) {
	var s silence
	for _, c := range []struct {
		heard uint64
		ticks int // without anything new
		want  bool
	}{
		{1, 0, false},
		{1, beatsPerBound - 1, false},
		{2, 0, false},
		{2, beatsPerBound + 1, true},
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
