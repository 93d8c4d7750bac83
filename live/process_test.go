package live

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"musubi/live/livetest"
	"musubi/live/wire"
	"musubi/mpi"
	"musubi/rma"
	"musubi/rma/rmatest"
	"musubi/units"
)

// The test binary is the program of the ranks as well. What they are to run is named
// in the environment.
const (
	programVariable = "LIVE_TEST_PROGRAM"
	callVariable    = "LIVE_TEST_CALL"   // which of the calls of a test
	parentVariable  = "LIVE_TEST_PARENT" // set: the process is a launcher, of one of divisions
)

var long = flag.Bool("long", false, "test the contract in the ways that are left out without, and jobs of many ranks")

// forRanks is what the race detector of ranks is told: not to take a second to end, and to
// end a rank that has a race, so that its job fails, also one that is to fail otherwise.
const forRanks = "atexit_sleep_ms=0 halt_on_error=1"

func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", forRanks); err != nil {
		panic(err)
	}
	if os.Getenv(parentVariable) != "" && !Inside() {
		runParent()
		os.Exit(9)
	}
	if name := os.Getenv(programVariable); Inside() && name != "" {
		program := programs[name]
		if program == nil {
			fmt.Fprintf(os.Stderr, "no program %q\n", name)
			os.Exit(9)
		}
		result, err := Main(context.Background(), externConfig(), program)
		if os.Getenv("MUSUBI_LIVE_RANK") == "" {
			reportExtern(result, err)
		}
		fmt.Fprintln(os.Stderr, "Run has returned in a rank:", err)
		os.Exit(9)
	}
	if err := flag.Set("test.parallel", "6"); err != nil { // unless the command line says so: those tests wait rather than compute
		panic(err)
	}
	os.Exit(m.Run())
}

// start runs one of programs in processes.
func start(ctx context.Context, cfg Config, program string) (result []byte, output string, err error) {
	var b bytes.Buffer
	cfg.Output, cfg.Command = &b, []string{os.Args[0]}
	cfg.Env = append(cfg.Env, programVariable+"="+program)
	result, err = Main(ctx, cfg, nil)
	return result, b.String(), err
}

// programs are what ranks run, by name.
var programs = map[string]func(rma.Process) ([]byte, error){
	"numbers": func(p rma.Process) ([]byte, error) {
		fmt.Printf("one\ntwo of %d", p.Rank())
		return fmt.Append(nil, "result of ", p.Rank()), nil
	},
	"large":           largeTransfers,
	"many":            manyRanks,
	"many windows":    manyWindows,
	"rank 1 fails":    whileOthersWait(func() error { return errors.New("no luck") }),
	"rank 1 exits":    whileOthersWait(func() error { os.Exit(7); return nil }),
	"rank 1 returns":  whileOthersWait(func() error { return nil }),
	"rank 1 is ended": whileOthersWait(func() error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) }),
	"rank 1 panics":   whileOthersWait(func() error { panic("oh") }),
	"rank 1 hears of nothing": func(p rma.Process) ([]byte, error) {
		if p.Rank() == 1 {
			select {}
		}
		return nil, errors.New("no luck")
	},
	"pids": func(p rma.Process) ([]byte, error) {
		fmt.Println("process", os.Getpid())
		for { // so that the job is not stuck
			p.Compute(units.Millisecond)
		}
	},
	"busy":                     busy,
	"exchange with neighbours": exchangeWithNeighbours,
	"turn to rank 1":           turnToRank1,
	"tries in vain":            triesInVain,
	"histories":                func(p rma.Process) ([]byte, error) { return nil, livetest.HistoriesInWindows(p) },
	"halo":                     haloProgram,
	"halo without end":         haloWithoutEnd,
	"write to rank 1":          writeToRank1,
	"halo while all compute":   haloWhileAllCompute,
	"linger":                   linger,
	"chooses":                  chooses,
	"barriers":                 barriers,
	"ring": func(p rma.Process) ([]byte, error) {
		_, err := manyRanks(p)
		return fmt.Append(nil, p.Size(), " ranks"), err
	},
	"wait for rank 1": waitFor(func() int { return 1 }),
	"wait for one":    waitFor(victim),
	"all wait for windows": func(p rma.Process) ([]byte, error) {
		segment, memory, err := p.ExposeWindow(1)
		if err != nil {
			return nil, err
		}
		if _, err := p.Push(rma.Address{Rank: (p.Rank() + 1) % p.Size(), Segment: segment}, []byte{1}, rma.DMA); err != nil {
			return nil, err
		}
		return nil, p.WaitUntil(func() bool { return memory[0] == 2 })
	},
	"compute long":          computeLong,
	"entangled":             entangled,
	"entangled in barriers": entangledInBarriers,
	"various":               various,
	"all receive": func(p rma.Process) ([]byte, error) {
		c, err := mpi.New(p)
		if err == nil {
			_, err = mpi.Receive(c, 1-c.Rank(), 7, make([]byte, 1))
		}
		fmt.Println("told:", err)
		return nil, err
	},
	"all wait": func(p rma.Process) ([]byte, error) {
		if p.Rank() == 1 {
			_, err := p.Next()
			return nil, err
		}
		return nil, p.WaitUntil(func() bool { return false })
	},
}

// whileOthersWait lets rank 1 do something after it has been heard of, while all
// others wait for it. They say what has ended that.
func whileOthersWait(do func() error) func(rma.Process) ([]byte, error) {
	return func(p rma.Process) ([]byte, error) {
		inbox := make([]byte, p.Size())
		segment := p.Expose(inbox)
		if p.Rank() == 1 {
			for to := range p.Size() {
				if _, err := p.Push(rma.Address{Rank: to, Segment: segment}, []byte{1}, rma.DMA); err != nil {
					return nil, err
				}
			}
			p.Compute(10 * units.Millisecond)
			return nil, do()
		}
		if err := p.WaitUntil(func() bool { return inbox[0] == 1 }); err != nil {
			return nil, err
		}
		err := p.WaitUntil(func() bool { return inbox[0] == 2 })
		fmt.Println("told:", err)
		return nil, err
	}
}

func TestFirstFailureIsToldToAll(t *testing.T) {
	for _, c := range []struct {
		program string
		want    string // error of the job
		told    string // to ranks that wait
	}{
		{"rank 1 fails", "rank 1: no luck", "the program of rank 1 has failed"},
		{"rank 1 exits", "rank 1: the process has ended, with status 7, before its program was done", "the process of rank 1 has ended, with status 7"},
		{"rank 1 is ended", "rank 1: the process was ended by a signal (killed)", "the process of rank 1 was ended by a signal (killed)"},
		{"rank 1 panics", "rank 1: the process has ended, with status 2, before its program was done", "the process of rank 1 has ended, with status 2"},
		{"rank 1 returns", "nothing can happen any more: rank 0 waits in WaitUntil, rank 1 has ended, rank 2 waits in WaitUntil, rank 3 waits in WaitUntil", "rank 1 has ended"},
	} {
		t.Run(c.program, func(t *testing.T) {
			_, output, err := start(t.Context(), Config{Ranks: 4, Grace: time.Minute}, c.program)
			if err == nil || err.Error() != c.want {
				t.Errorf("job ends with %v, want %s", err, c.want)
			}
			for _, rank := range []int{0, 2, 3} {
				if !hasLine(output, fmt.Sprintf("rank %d: told: ", rank), c.told) {
					t.Errorf("rank %d is not told that %q; output:\n%s", rank, c.told, output)
				}
			}
		})
	}
}

// hasLine reports whether a line begins with one text and contains another.
func hasLine(output, begin, contains string) bool {
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, begin) && strings.Contains(line, contains) {
			return true
		}
	}
	return false
}

func TestJobsThatCannotGoOnSaySo(t *testing.T) {
	_, _, err := start(t.Context(), Config{Ranks: 2}, "all wait")
	var stuck *StuckError
	if want := "rank 0 waits in WaitUntil, rank 1 waits in Next"; !errors.As(err, &stuck) || stuck.Standing != want {
		t.Errorf("job ends with %v, want that %s", err, want)
	}
}

// The ranks are told in the words of what they have called, wherever they learn it from.
func TestRanksThatCannotGoOnAreToldInWhichCall(t *testing.T) {
	for _, way := range ways {
		cfg := way.of(2)
		cfg.Grace = time.Minute
		_, output, err := start(t.Context(), cfg, "all receive")
		if err == nil {
			t.Errorf("over %s the job ends well", way.name)
		}
		for rank := range 2 {
			told := fmt.Sprintf("live: rank %d waits in Receive from rank %d with tag 7, but nothing can happen any more", rank, 1-rank)
			if !hasLine(output, fmt.Sprintf("rank %d: told: ", rank), told) {
				t.Errorf("over %s rank %d is not told that %q; output:\n%s", way.name, rank, told, output)
			}
		}
	}
}

// Transfers that go past the rings are not seen by who looks for jobs that are stuck.
func TestJobsThatCannotGoOnSaySoWhateverTheyHaveWrittenToWindows(t *testing.T) {
	_, _, err := start(t.Context(), Config{Ranks: 3}, "all wait for windows")
	var stuck *StuckError
	if !errors.As(err, &stuck) {
		t.Errorf("job ends with %v, want that it is stuck", err)
	}
}

func TestRanksThatDoNotEndAreKilled(t *testing.T) {
	_, _, err := start(t.Context(), Config{Ranks: 3, Grace: 10 * time.Millisecond}, "rank 1 hears of nothing")
	var failed *RankError
	if !errors.As(err, &failed) || failed.Rank == 1 || failed.Err.Error() != "no luck" {
		t.Errorf("job ends with %v, want the error of rank 0 or 2", err)
	}
}

func TestResultAndOutput(t *testing.T) {
	result, output, err := start(t.Context(), Config{Ranks: 3}, "numbers")
	if err != nil || string(result) != "result of 0" {
		t.Errorf("job ends with %q, %v; want the result of rank 0", result, err)
	}
	for rank := range 3 {
		for _, line := range []string{"one", fmt.Sprint("two of ", rank)} {
			if want := fmt.Sprintf("rank %d: %s\n", rank, line); !strings.Contains(output, want) {
				t.Errorf("output has no line %q:\n%s", want, output)
			}
		}
	}
}

func TestConfigurationsThatCannotRun(t *testing.T) {
	for _, ranks := range []int{-1, 0, wire.MaxRanks + 1} {
		if _, _, err := start(t.Context(), Config{Ranks: ranks}, "numbers"); err == nil {
			t.Errorf("a job of %d ranks is not refused", ranks)
		}
	}
	if _, err := Main(t.Context(), Config{Ranks: 2, Command: []string{"/no/such/program"}}, nil); err == nil {
		t.Error("a program that does not exist is started")
	}
}

// ways are the configurations in which data goes from rank to rank.
var ways = []struct {
	name string
	of   func(ranks int) Config
}{
	{"shared memory", func(ranks int) Config { return Config{Ranks: ranks} }},
	{"TCP", func(ranks int) Config { return Config{Ranks: ranks, Transport: TransportTCP} }},
	{"Unix-domain sockets", func(ranks int) Config { return Config{Ranks: ranks, Transport: TransportUnix} }},
	{"both", func(ranks int) Config {
		if ranks == 1 {
			return Config{Ranks: 1}
		}
		return Config{Hosts: []Host{{Ranks: (ranks + 1) / 2}, {Ranks: ranks / 2}}}
	}},
}

// TestContract runs every check in processes: over shared memory, with -long in all other ways. The
// ranks run the same test, in which they come to the same call. The race detector does not see what
// processes share; package rank tests the contract with it in one process.
func TestContract(t *testing.T) {
	if livetest.Race {
		t.Skip("the race detector sees one process")
	}
	for i, way := range ways {
		if (i > 0) != *long && !Inside() { // ranks do not have the flag, and look for their call in all ways
			continue
		}
		t.Run(way.name, func(t *testing.T) {
			calls := 0
			rmatest.Test(t, rmatest.World{Packet: Packet, BOTF: MaxBOTF, Clock: livetest.HostClock, Run: func(ranks int, program func(rma.Process) error) error {
				calls++
				call := fmt.Sprint(calls, " over ", way.name)
				if Inside() && call != os.Getenv(callVariable) {
					return nil
				}
				cfg := way.of(ranks)
				cfg.Command = []string{os.Args[0], "-test.run=^TestContract$"}
				cfg.Env = []string{callVariable + "=" + call}
				_, err := Main(t.Context(), cfg, func(p rma.Process) ([]byte, error) { return nil, program(p) })
				return err
			}})
		})
	}
}

func TestLargeTransfers(t *testing.T) {
	for _, noDirect := range []bool{false, true} {
		t.Run(fmt.Sprintf("NoDirect=%v", noDirect), func(t *testing.T) {
			if _, output, err := start(t.Context(), Config{Ranks: 2, NoDirect: noDirect}, "large"); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

func TestManyMoreRanksThanProcessors(t *testing.T) {
	for _, test := range []struct {
		program string
		ranks   int
	}{{"many", 16}, {"many windows", 16}, {"many", 150}} {
		if many := test.ranks > 16; many != *long || many && livetest.Race {
			continue // with the race detector each takes a hundred megabytes
		}
		if _, output, err := start(t.Context(), Config{Ranks: test.ranks}, test.program); err != nil {
			t.Errorf("%s of %d ranks: %v\n%s", test.program, test.ranks, err, output)
		}
	}
}
