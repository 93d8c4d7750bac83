package mpitest_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/live"
	"musubi/mpi"
	"musubi/mpi/mpitest"
	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/sim/machine"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

var (
	long    = flag.Bool("long", false, "run processes with other configurations")
	nightly = flag.Bool("nightly", false, "run all with all configurations, the slowest machine, too, and ranks on shared hosts in more ways")
)

// betweenProcesses returns the configurations that a way between processes is tested with: each of the first
// ways one of them, so that those together have them all; with -long each way the next one, and with -nightly all.
func betweenProcesses(way int) []mpitest.Configuration {
	all := mpitest.Configurations
	next := (way + 1) % len(all)
	switch {
	case *nightly:
		return all
	case *long:
		return all[next : next+1]
	case way < len(all):
		return all[way : way+1]
	}
	return nil
}

// onMachine returns the configurations that a simulated machine is tested with: one of them, or with -nightly
// all.
func onMachine(number int) []mpitest.Configuration {
	if *nightly {
		return mpitest.Configurations
	}
	i := number % len(mpitest.Configurations)
	return mpitest.Configurations[i : i+1]
}

// simulated returns the machines to simulate: all but the one where each flit takes long, which is for
// -nightly, or one under the race detector.
func simulated() []string {
	switch {
	case underRace:
		return []string{"loggp"}
	case *nightly:
		return machine.Names()
	}
	return slices.DeleteFunc(machine.Names(), func(name string) bool { return name == "iqrouter" })
}

// alike are machines whose model of network interfaces others have: to these programs they differ in times.
// They are tested with -long.
var alike = []string{"ndr8", "rhinet2", "vpush"}

func TestSimulatedMachines(t *testing.T) {
	for i, name := range simulated() {
		if slices.Contains(alike, name) && !*long && !*nightly {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			system, err := musubi.Build(musubi.Scenario{Machine: name, Ranks: mpitest.Ranks})
			if err != nil {
				t.Fatal(err)
			}
			mpitest.Test(t, onMachine(i), func(program func(rma.Process) error) error {
				_, err := system.Run(t.Context(), program)
				return err
			})
		})
	}
}

// Ranks may share hosts, and their interfaces: on every third machine, and with -long on the others.
func TestRanksOnAHost(t *testing.T) {
	number := 0
	for i, name := range simulated() {
		set, shares := hosttest.Sharing(name)
		if !shares {
			continue
		}
		number++
		if !*nightly && (number%3 != 1) != *long {
			continue
		}
		places := []string{"block:2"}
		if *nightly {
			places = append(places, "cyclic:2", "block:4")
		}
		for _, place := range places {
			t.Run(name+" "+place, func(t *testing.T) {
				t.Parallel()
				system, err := musubi.Build(musubi.Scenario{Machine: name, Ranks: mpitest.Ranks, Place: place, Set: set})
				if err != nil {
					t.Fatal(err)
				}
				mpitest.Test(t, onMachine(i+1), func(program func(rma.Process) error) error {
					_, err := system.Run(t.Context(), program)
					return err
				})
			})
		}
	}
}

// transports are the ways of data between processes.
var transports = []struct {
	name string
	live.Config
}{
	{"shared memory", live.Config{Ranks: mpitest.Ranks}},
	{"TCP", live.Config{Ranks: mpitest.Ranks, Transport: live.TransportTCP}},
	{"shared memory and TCP", live.Config{Hosts: []live.Host{{Ranks: mpitest.Ranks / 2}, {Ranks: mpitest.Ranks / 2}}}},
	{"shared memory without direct copies", live.Config{Ranks: mpitest.Ranks, NoDirect: true}},
}

// callVariable tells a rank which of the jobs that a test starts it belongs to.
const callVariable = "MUSUBI_TEST_CALL"

// jobs starts processes that run the test which has started them up to the call that
// they have been started by.
type jobs struct {
	test string
	next int
}

func (j *jobs) run(t *testing.T, cfg live.Config, program func(rma.Process) ([]byte, error)) ([]byte, error) {
	call := strconv.Itoa(j.next)
	j.next++
	if live.Inside() && os.Getenv(callVariable) != call {
		return nil, nil
	}
	cfg.Command = append([]string{os.Args[0], "-test.run=^" + j.test + "$"}, ownFlags()...)
	cfg.Env = []string{callVariable + "=" + call}
	return live.Main(t.Context(), cfg, program)
}

// ownFlags returns the flags of these tests as they are set, for ranks that run the same.
func ownFlags() (flags []string) {
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			flags = append(flags, fmt.Sprintf("-%s=%v", f.Name, f.Value))
		}
	})
	return flags
}

func TestProcesses(t *testing.T) {
	j := jobs{test: "TestProcesses"}
	for i, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			mpitest.Test(t, betweenProcesses(i), func(program func(rma.Process) error) error {
				_, err := j.run(t, transport.Config, func(p rma.Process) ([]byte, error) { return nil, program(p) })
				return err
			})
		})
	}
}

// dedicated is a process that shares memory and hides whether ranks share processors: what
// package mpi does where each rank has one of its own.
type dedicated struct{ rma.SharedBarriers }

func (d dedicated) AwaitContext(ctx context.Context, condition func() bool, ops ...rma.Op) error {
	return d.SharedBarriers.(rma.Interruptible).AwaitContext(ctx, condition, ops...)
}

func TestProcessesThatSeemToHaveProcessors(t *testing.T) {
	j := jobs{test: "TestProcessesThatSeemToHaveProcessors"}
	mpitest.Test(t, betweenProcesses(0), func(program func(rma.Process) error) error {
		_, err := j.run(t, transports[0].Config, func(p rma.Process) ([]byte, error) { return nil, program(dedicated{p.(rma.SharedBarriers)}) })
		return err
	})
}

// counting is a process that counts what it posts at shared barriers.
type counting struct {
	dedicated
	posts *int
}

func (c counting) NewSharedBarrier() rma.SharedBarrier {
	return countingBarrier{c.dedicated.NewSharedBarrier(), c.posts}
}

type countingBarrier struct {
	rma.SharedBarrier
	posts *int
}

func (b countingBarrier) Post(note []byte, sole bool) (bool, error) {
	posted, err := b.SharedBarrier.Post(note, sole)
	if posted {
		*b.posts++
	}
	return posted, err
}

// Ranks that share memory do not try again and again to scatter and exchange long parts by notes, and try again when
// some were short.
func TestLongPartsAreNotTriedByNotesForAWhile(t *testing.T) {
	// Of 60 times the first is a try, and 2, 4, 8, 16 and 32. The next is 64: the first three that are short go by messages.
	const times, tries, late = 60, 6, 3
	j := jobs{test: "TestLongPartsAreNotTriedByNotesForAWhile"}
	_, err := j.run(t, transports[0].Config, func(p rma.Process) ([]byte, error) {
		posts := 0
		return nil, mpi.Run(counting{dedicated{p.(rma.SharedBarriers)}, &posts}, func(c *mpi.Comm) error {
			for _, operation := range []func(parts [][]byte) error{
				func(parts [][]byte) error { return mpi.ScatterV(c, 1, parts, make([]byte, len(parts[0]))) },
				func(parts [][]byte) error { return mpi.AllToAllV(c, parts, partsOf(c.Size(), len(parts[0]))) },
			} {
				for _, test := range []struct{ bytes, want int }{{10, times}, {5000, tries}, {10, times - late}, {10, times}} {
					posts = 0
					for range times {
						if err := operation(partsOf(c.Size(), test.bytes)); err != nil {
							return err
						}
					}
					if posts != test.want {
						return fmt.Errorf("%d times with parts of %d bytes: %d notes; expected %d", times, test.bytes, posts, test.want)
					}
				}
			}
			return nil
		}, mpi.Options{Check: mpi.CheckOff})
	})
	if err != nil {
		t.Error(err)
	}
}

// partsOf returns parts of some bytes each.
func partsOf(ranks, bytes int) (parts [][]byte) {
	for range ranks {
		parts = append(parts, make([]byte, bytes))
	}
	return parts
}

// Ranks that share memory learn when lengths differ in a broadcast, and go on.
func TestBroadcastOfAnotherLengthInSharedMemory(t *testing.T) {
	j := jobs{test: "TestBroadcastOfAnotherLengthInSharedMemory"}
	_, err := j.run(t, transports[0].Config, func(p rma.Process) ([]byte, error) {
		return nil, mpi.Run(dedicated{p.(rma.SharedBarriers)}, func(c *mpi.Comm) error {
			for length, class := range map[int]error{9: mpi.ErrTruncate, 11: mpi.ErrCount} {
				data := make([]byte, 10)
				if c.Rank() == 2 {
					data = make([]byte, length)
				}
				if err := mpi.Broadcast(c, 1, data); errors.Is(err, class) != (c.Rank() == 2) {
					return fmt.Errorf("%d bytes where others have 10: %v", length, err)
				}
			}
			data := []int{c.Rank()}
			if err := mpi.Broadcast(c, 3, data); err != nil || data[0] != 3 {
				return fmt.Errorf("a broadcast of 3 brings %d: %w", data[0], err)
			}
			return nil
		}, mpi.Options{Check: mpi.CheckOff})
	})
	if err != nil {
		t.Error(err)
	}
}

// A program gives the same results on all machines and between processes, bit by bit.
func TestResultsAreTheSameEverywhere(t *testing.T) {
	j := jobs{test: "TestResultsAreTheSameEverywhere"}
	var want []byte
	for _, transport := range transports {
		got, err := j.run(t, transport.Config, results)
		if err != nil {
			t.Fatalf("%s: %v", transport.name, err)
		}
		if want == nil {
			want = got
		}
		if !live.Inside() && (len(got) == 0 || !bytes.Equal(got, want)) {
			t.Errorf("%s: results %x; expected %x, as with %s", transport.name, got, want, transports[0].name)
		}
	}
	for _, name := range simulated() {
		var got []byte
		_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: name, Ranks: mpitest.Ranks}, func(p rma.Process) error {
			result, err := results(p)
			if p.Rank() == 0 {
				got = result
			}
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: results %x; expected %x, as between processes", name, got, want)
		}
	}
}

func results(p rma.Process) (result []byte, err error) {
	err = mpi.Run(p, func(c *mpi.Comm) error {
		result, err = mpitest.Results(c)
		return err
	})
	return result, err
}

// A communicator tells that short data went by the shared barrier, and long data by an algorithm.
func TestChosenInSharedMemory(t *testing.T) {
	j := jobs{test: "TestChosenInSharedMemory"}
	_, err := j.run(t, transports[0].Config, func(p rma.Process) ([]byte, error) {
		return nil, mpi.Run(p, func(c *mpi.Comm) error {
			known, err := mpi.AlgorithmsFor("reduce", c.Size())
			if err != nil {
				return err
			}
			reduce := func(bytes int) func() error {
				return func() error { return mpi.Reduce(c, 0, make([]byte, bytes), make([]byte, bytes), mpi.Sum[byte]()) }
			}
			for _, operation := range []struct {
				do   func() error
				want []string
			}{ // a long one between short ones, so that each has to tell
				{func() error { return mpi.Barrier(c) }, []string{"notes"}},
				{reduce(5000), known},
				{func() error { return mpi.Broadcast(c, 0, make([]byte, 8)) }, []string{"notes"}},
				{reduce(5000), known},
				{reduce(8), []string{"notes"}},
				{reduce(5000), known},
			} {
				if err := operation.do(); err != nil {
					return err
				}
				if name := c.Chosen(); !slices.Contains(operation.want, name) {
					return fmt.Errorf("%q; expected one of %v", name, operation.want)
				}
			}
			return nil
		}, mpi.Options{Check: mpi.CheckOff})
	})
	if err != nil {
		t.Error(err)
	}
}
