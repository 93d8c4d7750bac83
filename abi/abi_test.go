package main_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/live"
	"musubi/mpi/abi"
	_ "musubi/mpi/abi/functions"
	"musubi/mpi/abi/process"
	"musubi/report/ordered"
	"musubi/trace/tracetest"
)

var long = flag.Bool("long", false, "build the library and run programs in C")

// What is generated is what the lists say.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"abi/include", "abi/front", "mpi/abi/standard"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(top, "abi/standard"), os.DirFS("standard")); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	generator := filepath.Join(top, "generate")
	run(t, here, "go", "build", "-o", generator, "./generate")
	run(t, filepath.Join(top, "abi"), generator)
	for _, file := range []string{"abi/include/mpi.h", "abi/front/calls.c", "mpi/abi/standard/functions.go", "mpi/abi/standard/constants.go"} {
		want, err := os.ReadFile(filepath.Join(top, file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join("..", file)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what abi/generate writes (%v); run go generate ./abi", file, err)
		}
	}
}

// Each function that is refused names itself, so the lists must not overlap and be complete.
func TestFunctionsAreCarriedOutOrRefused(t *testing.T) {
	done, refused := abi.Implemented()
	if len(done)+len(refused) != 664 {
		t.Errorf("%d functions and %d refused; expected 664 together, as MPI 5.0 has", len(done), len(refused))
	}
	for _, name := range []string{"MPI_Send", "MPI_Allreduce_c", "MPI_Waitall", "MPI_Type_create_struct"} {
		if !slices.Contains(done, name) {
			t.Errorf("%s is refused", name)
		}
	}
}

// needCompiler skips a test where there is no C compiler, but in continuous integration.
func needCompiler(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err == nil {
		return
	} else if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip("no C compiler: programs in C are not tested")
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// installed is where abi/install has put the library, for all tests.
var installed struct {
	once   sync.Once
	prefix string
}

func TestMain(m *testing.M) {
	status := m.Run()
	os.RemoveAll(installed.prefix)
	os.Exit(status)
}

// install returns the folder in which abi/install has installed the library.
func install(t *testing.T) string {
	t.Helper()
	needCompiler(t)
	installed.once.Do(func() {
		prefix, err := os.MkdirTemp("", "mpi")
		check.Must(t, err)
		run(t, ".", "./install", "--library", prefix)
		installed.prefix = prefix
	})
	if installed.prefix == "" {
		t.Fatal("abi/install has failed before")
	}
	return installed.prefix
}

// compile compiles a program of testdata.
func compile(t *testing.T, prefix, name string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), filepath.Base(name))
	arguments := append(flags, "-Wall", "-Werror", "-I"+prefix+"/include", "testdata/"+name+".c", "-o", program, "-L"+prefix+"/lib", "-Wl,-rpath,"+prefix+"/lib", "-lmpi_abi")
	run(t, ".", "cc", arguments...)
	return program
}

// launch runs a program in live ranks, and returns what they have printed, in order.
func launch(t *testing.T, ranks int, command ...string) (lines []string, errors string, err error) {
	t.Helper()
	var out, wrong bytes.Buffer
	err = live.Launch(context.Background(), live.Config{Ranks: ranks, Command: command, Unlabelled: true, Output: &out, Errors: &wrong})
	lines = strings.Split(strings.TrimSpace(out.String()), "\n")
	slices.Sort(lines)
	return lines, wrong.String(), err
}

// simulate runs a program in simulated ranks, and returns what they have printed and the result as JSON.
func simulate(t *testing.T, machine string, ranks int, command ...string) (lines []string, json, errors string, err error) {
	t.Helper()
	s := musubi.Usual()
	s.Machine, s.Ranks = machine, ranks
	return simulateAs(t, s, command...)
}

// withTrace is a scenario of three ranks with a timeline.
func withTrace(file string) musubi.Scenario {
	s := musubi.Usual()
	s.Machine, s.Ranks, s.TraceFile = "ndr", 3, file
	return s
}

// simulateAs is simulate of a scenario.
func simulateAs(t *testing.T, s musubi.Scenario, command ...string) (lines []string, json, errors string, err error) {
	t.Helper()
	system, err := musubi.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	var out, wrong, result bytes.Buffer
	r, err := system.RunCommand(context.Background(), &process.Program{Command: command, Output: &out, Errors: &wrong})
	if err == nil {
		r.Simulation.Wall = 0
		if err := ordered.WriteJSON(&result, r); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n"), result.String(), wrong.String(), err
}

// Programs in C do in live ranks, on their own and in simulated ranks what they should; what goes
// wrong is told.
func TestProgramsInCRun(t *testing.T) {
	if !*long {
		t.Skip("builds the library; -long")
	}
	prefix := install(t)
	calls, wrong := compile(t, prefix, "calls"), compile(t, prefix, "wrong")
	t.Run("live", func(t *testing.T) {
		for _, ranks := range []int{1, 4} {
			lines, errors, err := launch(t, ranks, calls)
			if err != nil || !slices.Equal(lines, expected(ranks)) {
				t.Errorf("%d ranks print %v\n%s\n%s\nexpected\n%s", ranks, err, errors, strings.Join(lines, "\n"), strings.Join(expected(ranks), "\n"))
			}
		}
	})
	t.Run("alone", func(t *testing.T) {
		if out := run(t, ".", calls); strings.TrimSpace(out) != expected(1)[0] {
			t.Errorf("a program that nobody has launched prints %q; expected %q", out, expected(1)[0])
		}
	})
	t.Run("simulated", func(t *testing.T) {
		for _, machine := range []string{"ndr", "tofu2"} {
			lines, first, errors, err := simulate(t, machine, 6, calls)
			if err != nil || !slices.Equal(lines, expected(6)) {
				t.Errorf("%s: %v\n%s\n%s\nexpected\n%s", machine, err, errors, strings.Join(lines, "\n"), strings.Join(expected(6), "\n"))
			}
			if _, again, _, _ := simulate(t, machine, 6, calls); again != first {
				t.Errorf("%s gives\n%s\nand then\n%s", machine, first, again)
			}
		}
	})
	t.Run("timeline", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.pftrace")
		_, _, errors, err := simulateAs(t, withTrace(file), compile(t, prefix, "windows"))
		check.Must(t, err)
		data, err := os.ReadFile(file)
		check.Must(t, err)
		names := map[string]bool{}
		for _, k := range tracetest.Read(t, data).Tracks {
			for _, s := range k.Slices {
				if s.Depth == 1 {
					names[s.Name] = true
				}
			}
		}
		for _, call := range []string{"MPI_Win_fence", "MPI_Finalize"} {
			if !names[call] {
				t.Errorf("no slice of %s in the timeline, which has %v\n%s", call, names, errors)
			}
		}
	})
	t.Run("windows", func(t *testing.T) {
		windows, want := compile(t, prefix, "windows"), []string{
			"0: shared 20 of 16 bytes, got 103, has 1000", "1: shared 20 of 16 bytes, got 203, has 1100", "2: shared 20 of 16 bytes, got 3, has 1200",
		}
		if lines, errors, err := launch(t, 3, windows); err != nil || !slices.Equal(lines, want) {
			t.Errorf("live: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
		if lines, _, errors, err := simulate(t, "tofu2", 3, windows); err != nil || !slices.Equal(lines, want) {
			t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
	})
	t.Run("groups", func(t *testing.T) {
		groups, want := compile(t, prefix, "groups"), []string{
			"0: 1 and 3, sum 600, got 3, nobody 1, 21 x 16 x 15", "1: 3 and 1, sum 0, got 0, nobody 1, 21 x 16 x 15",
			"2: 3 and 1, sum 1, got 1, nobody 1, 21 x 16 x 15", "3: 3 and 1, sum 2, got 2, nobody 1, 21 x 16 x 15",
		}
		if lines, errors, err := launch(t, 4, groups); err != nil || !slices.Equal(lines, want) {
			t.Errorf("live: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
		if lines, _, errors, err := simulate(t, "ndr", 4, groups); err != nil || !slices.Equal(lines, want) {
			t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
	})
	t.Run("recorded", func(t *testing.T) { testRecords(t, compile(t, prefix, "partitions")) })
	t.Run("partitions", func(t *testing.T) {
		partitions := compile(t, prefix, "partitions")
		want := []string{
			"round 0: 8 -1 14, 0 from 0 with tag 3", "round 1: 108 -1 114, 100 from 0 with tag 3", "round 2: 208 -1 214, 200 from 0 with tag 3",
		}
		if lines, errors, err := launch(t, 2, partitions); err != nil || !slices.Equal(lines, want) {
			t.Errorf("live: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
		if lines, _, errors, err := simulate(t, "ndr", 2, partitions); err != nil || !slices.Equal(lines, want) {
			t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
	})
	t.Run("lengths", func(t *testing.T) {
		lengths, want := compile(t, prefix, "lengths"), []string{
			"0: failed 0 0 1 1 1 1 1 1, sum 6", "1: failed 1 1 1 1 0 1 1 1 1 1 1 0, sum 6", "2: failed 1 1 1 1 0 1 1 0, sum 6", "3: failed 1 1 1 1 0 1 1 0, sum 6",
		}
		if lines, errors, err := launch(t, 4, lengths); err != nil || !slices.Equal(lines, want) {
			t.Errorf("live: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
		if lines, _, errors, err := simulate(t, "ndr", 4, lengths); err != nil || !slices.Equal(lines, want) {
			t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
	})
	t.Run("uneven", func(t *testing.T) {
		uneven := compile(t, prefix, "uneven")
		for _, ranks := range []int{2, 4} {
			var want []string
			for rank := range ranks {
				want = append(want, fmt.Sprintf("%d: 0 wrong", rank))
			}
			if lines, errors, err := launch(t, ranks, uneven); err != nil || !slices.Equal(lines, want) {
				t.Errorf("%d ranks, live: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
			}
			if lines, _, errors, err := simulate(t, "ndr", ranks, uneven); err != nil || !slices.Equal(lines, want) {
				t.Errorf("%d ranks, simulated: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
			}
		}
	})
	t.Run("corners", func(t *testing.T) {
		corners, want := compile(t, prefix, "corners"), []string{
			"0: 42, 1, 21, -2 in 4, 52 x 51 x 29, 3 at 30, 4 at 31, -1 at -1, 6 at 33",
			"1: 42, 1, 20, -2 in 4, 52 x 51 x 29", "2: 42, 1, 23, -2 in 4, 52 x 51 x 29", "3: 42, 1, 22, -2 in 4, 52 x 51 x 29",
		}
		if lines, errors, err := launch(t, 4, corners); err != nil || !slices.Equal(lines, want) {
			t.Errorf("live: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
		if lines, _, errors, err := simulate(t, "tofu2", 4, corners); err != nil || !slices.Equal(lines, want) {
			t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
	})
	t.Run("threads", func(t *testing.T) {
		threads := compile(t, prefix, "threads", "-pthread")
		const sums = 50*(0+1+2) + 3*49*50/2 // of the ranks in 50 rounds, and of the rounds of three ranks
		var multiple []string
		for rank := range 3 {
			multiple = append(multiple, fmt.Sprintf("%d: multiple: %d %[2]d %[2]d %[2]d", rank, sums))
		}
		if lines, errors, err := launch(t, 3, threads); err != nil || !slices.Equal(lines, multiple) {
			t.Errorf("live: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
		if lines, _, errors, err := simulate(t, "ndr", 3, threads); err != nil || !slices.Equal(lines, multiple) {
			t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
	})
	t.Run("crowd", func(t *testing.T) {
		crowd := compile(t, prefix, "crowd", "-pthread")
		for _, ranks := range []int{2, 4} {
			if lines, errors, err := launch(t, ranks, crowd); err != nil || !slices.Equal(lines, []string{"0 wrong"}) {
				t.Errorf("%d ranks: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
			}
		}
	})
	for _, name := range []string{"claims", "persistent", "derived", "operations", "neighbours"} {
		t.Run(name, func(t *testing.T) {
			program := compile(t, prefix, name)
			for _, ranks := range []int{2, 3} {
				for _, arguments := range [][]string{nil, {"multiple"}} {
					if lines, errors, err := launch(t, ranks, append([]string{program}, arguments...)...); err != nil || !slices.Equal(lines, []string{"0 wrong"}) {
						t.Errorf("%d ranks, live, %v: %v\n%s\n%s", ranks, arguments, err, errors, strings.Join(lines, "\n"))
					}
				}
				if lines, _, errors, err := simulate(t, "ndr", ranks, program); err != nil || !slices.Equal(lines, []string{"0 wrong"}) {
					t.Errorf("%d ranks, simulated: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
				}
			}
		})
	}
	t.Run("many persistent requests", func(t *testing.T) {
		many := compile(t, prefix, "many_persistent")
		lines, errors, err := launch(t, 2, many)
		if want := "0 wrong, most by the front"; err != nil || len(lines) != 1 || lines[0] != want && (runtime.NumCPU() > 1 || !strings.HasPrefix(lines[0], "0 wrong,")) {
			t.Errorf("live: %v\n%s\n%s; expected %s", err, errors, strings.Join(lines, "\n"), want)
		}
		if lines, _, errors, err := simulate(t, "ndr", 2, many); err != nil || !slices.Equal(lines, []string{"0 wrong, few by the front"}) {
			t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
	})
	t.Run("rate", func(t *testing.T) { testRate(t, prefix, calls) })
	t.Run("short messages", func(t *testing.T) {
		short := compile(t, prefix, "short")
		for _, ranks := range []int{2, 3} {
			want := []string{"12732 messages, 0 wrong"}
			if lines, errors, err := launch(t, ranks, short); err != nil || !slices.Equal(lines, want) {
				t.Errorf("live, %d ranks: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
			}
			if lines, _, errors, err := simulate(t, "ndr", ranks, short); err != nil || !slices.Equal(lines, want) {
				t.Errorf("simulated, %d ranks: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
			}
		}
	})
	t.Run("gaps", func(t *testing.T) {
		gaps, want := compile(t, prefix, "gaps"), []string{"96 messages, 0 wrong"}
		if lines, errors, err := launch(t, 2, gaps); err != nil || !slices.Equal(lines, want) {
			t.Errorf("live: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
		if lines, _, errors, err := simulate(t, "ndr", 2, gaps); err != nil || !slices.Equal(lines, want) {
			t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
	})
	t.Run("full rings", func(t *testing.T) {
		full, want := compile(t, prefix, "full"), []string{"0 bytes are wrong"}
		for _, ranks := range []int{2, 6} { // six have shorter rings
			if lines, errors, err := launch(t, ranks, full); err != nil || !slices.Equal(lines, want) {
				t.Errorf("%d ranks: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
			}
		}
	})
	t.Run("order", func(t *testing.T) { testOrder(t, compile(t, prefix, "order")) })
	for _, name := range []string{"notes", "near"} {
		t.Run("collective operations of "+name, func(t *testing.T) { testNotes(t, compile(t, prefix, name)) })
	}
	for _, name := range []string{"freed", "answers", "bounds", "inherited"} {
		t.Run(name, func(t *testing.T) {
			program, want := compile(t, prefix, name), []string{"0 wrong"}
			for _, ranks := range []int{1, 4} {
				if lines, errors, err := launch(t, ranks, program); err != nil || !slices.Equal(lines, want) {
					t.Errorf("live, %d ranks: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
				}
			}
			if lines, _, errors, err := simulate(t, "ndr", 3, program); err != nil || !slices.Equal(lines, want) {
				t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
			}
		})
	}
	t.Run("buffered sends", func(t *testing.T) { testBuffered(t, compile(t, prefix, "buffered")) })
	t.Run("requests", func(t *testing.T) { testRequests(t, compile(t, prefix, "requests")) })
	t.Run("poll", func(t *testing.T) {
		poll := compile(t, prefix, "poll")
		for _, wait := range []string{"", live.WaitYield, live.WaitSleep} {
			want := "0 wrong, most without the core\n"
			if wait == live.WaitSleep || wait == "" && runtime.NumCPU() == 1 {
				want = "0 wrong, most by the core\n"
			}
			var out, told bytes.Buffer
			err := live.Launch(t.Context(), live.Config{Ranks: 2, Wait: wait, Command: []string{poll}, Unlabelled: true, Output: &out, Errors: &told})
			if err != nil || out.String() != want {
				t.Errorf("live, %q: %v\n%s\n%s", wait, err, &told, &out)
			}
		}
		if lines, _, errors, err := simulate(t, "ndr", 2, poll); err != nil || !slices.Equal(lines, []string{"0 wrong, most by the core"}) {
			t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
	})
	t.Run("files", func(t *testing.T) { testFiles(t, compile(t, prefix, "files")) })
	t.Run("wakes", func(t *testing.T) {
		out, err := exec.Command(compile(t, prefix, "wakes")).CombinedOutput()
		if err != nil || string(out) != "4 messages, 5 operations, 0 wrong\n" {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("memory", func(t *testing.T) {
		lines, errors, err := launch(t, 2, compile(t, prefix, "memory"))
		var pages int
		if _, bad := fmt.Sscanf(lines[0], "%d pages in 20000 calls", &pages); err != nil || bad != nil || pages > 500 {
			t.Errorf("%v\n%s\n%s\nexpected at most 500 pages", err, errors, strings.Join(lines, "\n"))
		}
	})
	t.Run("bursts both ways", func(t *testing.T) { testBoth(t, compile(t, prefix, "both")) })
	t.Run("accesses", func(t *testing.T) { testAccesses(t, compile(t, prefix, "access")) })
	t.Run("cancelled sends", func(t *testing.T) {
		cancel := compile(t, prefix, "cancel")
		want := []string{"0: taken back 1, matched 1, buffered 1, eager 1", "1: taken back 1, matched 1, buffered 1, eager 1"}
		if lines, errors, err := launch(t, 2, cancel); err != nil || !slices.Equal(lines, want) {
			t.Errorf("live: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
		}
		for _, machine := range []string{"ndr", "tofu2"} {
			if lines, _, errors, err := simulate(t, machine, 2, cancel); err != nil || !slices.Equal(lines, want) {
				t.Errorf("%s: %v\n%s\n%s", machine, err, errors, strings.Join(lines, "\n"))
			}
		}
	})
	t.Run("duplicates", func(t *testing.T) {
		idup := compile(t, prefix, "idup")
		for _, ranks := range []int{1, 2, 5} {
			var want []string
			for rank := range ranks {
				want = append(want, fmt.Sprintf("%d: all in their communicators", rank))
			}
			if lines, errors, err := launch(t, ranks, idup); err != nil || !slices.Equal(lines, want) {
				t.Errorf("live, %d ranks: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
			}
			if lines, _, errors, err := simulate(t, "tofu2", ranks, idup); err != nil || !slices.Equal(lines, want) {
				t.Errorf("simulated, %d ranks: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
			}
		}
	})
	t.Run("failed behind MPI_Finalize", func(t *testing.T) {
		want := []string{"rank 0 fails", "rank 1 fails"}
		lines, _, _, err := simulate(t, "ndr", 2, wrong, "failed")
		if !slices.Equal(lines, want) || fmt.Sprint(err) != "rank 0, and 1 more: the program has ended: exit status 4" {
			t.Errorf("%v\n%s", err, strings.Join(lines, "\n"))
		}
	})
	for _, c := range []struct{ what, live, simulated string }{
		{"crash", "segmentation fault", "rank 1: the program has ended: signal: segmentation fault"},
		{"killed", "the process was ended by a signal (killed)", "rank 1: the program has ended: signal: killed"},
		{"accessed", "the process was ended by a signal (killed)", "rank 1: the program has ended: signal: killed"},
		{"late", "MPI_Win_lock: called after MPI_Finalize", "MPI_Win_lock: called after MPI_Finalize"},
		{"late-size", "MPI_Type_size: called after MPI_Finalize", "MPI_Type_size: called after MPI_Finalize"},
		{"late-rank", "MPI_Comm_rank: called after MPI_Finalize", "MPI_Comm_rank: called after MPI_Finalize"},
		{"exit", "status 3", "rank 1: the program has ended: exit status 3"},
		{"abort", "MPI_Abort with error code 5", "MPI_Abort with error code 5"},
		{"wild", "MPI_Send: memory at an address near 0, which the program does not have", "a call with 16 bytes at 0x40: bad address"},
		{"null", "MPI_Allreduce: memory at an address near 0, which the program does not have", "MPI_Allreduce at rank 1: 0 bytes from rank 0, as Barrier"},
		{"alias", "MPI_Allreduce: the same buffer for what is given", "MPI_Allreduce: the same buffer for what is given"},
		{"handle", "MPI_Barrier: 0x12345678 is no communicator", "MPI_Barrier: 0x12345678 is no communicator"},
		{"refused", "MPI_Close_port: Musubi does not have MPI_Close_port yet", "MPI_Close_port: Musubi does not have MPI_Close_port yet"},
		{"hang", "waits in MPI_Recv from any rank with tag 5", "wait for ever: rank 0 in MPI_Recv from any rank with tag 5"},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, told, err := launch(t, 2, wrong, c.what)
			if text := fmt.Sprint(told, err); err == nil || !strings.Contains(text, c.live) {
				t.Errorf("live: %s; expected %q", text, c.live)
			}
			_, _, told, err = simulate(t, "ndr", 2, wrong, c.what)
			if text := fmt.Sprint(told, err); err == nil || !strings.Contains(text, c.simulated) {
				t.Errorf("simulated: %s; expected %q", text, c.simulated)
			}
		})
	}
}

// Ranks in C and in Go are ranks of one job.
func TestRanksInCAndInGo(t *testing.T) {
	if !*long {
		t.Skip("builds the library; -long")
	}
	inC, inGo := compile(t, install(t), "beside"), filepath.Join(t.TempDir(), "beside")
	run(t, ".", "go", "build", "-o", inGo, "./testdata/beside")
	t.Run("by what comes along", func(t *testing.T) { testRanksInCAndInGo(t, inC, inGo) })
	t.Run("by measurements", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "unusual.tuning")
		check.Must(t, os.WriteFile(file, []byte("allreduce 4 ring 8=1\nallreduce 4 linear 8=2\nallgather 4 ring 8=1\nallgather 4 bruck 8=2\n"+
			"broadcast 4 scatter-allgather 1=1\nbroadcast 4 binomial 1=2\nbarrier 2 linear 0=1\nbarrier 2 tree 0=2\n"), 0o600))
		t.Setenv("MUSUBI_TUNING", file)
		testRanksInCAndInGo(t, inC, inGo)
	})
}

func testRanksInCAndInGo(t *testing.T, inC, inGo string) {
	for _, first := range []string{"C", "Go"} {
		ends, middle := inC, inGo+" --on live"
		if first == "Go" {
			ends, middle = middle, ends
		}
		lines, errors, err := launch(t, 4, "sh", "-c", "case $MUSUBI_LIVE_RANK in 0|3) exec "+ends+";; *) exec "+middle+";; esac")
		for i, line := range lines {
			_, lines[i], _ = strings.Cut(line, " ") // the language
		}
		slices.Sort(lines)
		var want []string
		for rank := range 4 {
			from := (rank + 3) % 4
			want = append(want, fmt.Sprintf("%d: sum 10, 3 from %d with %d.5, from %-2s, 2 in a half", rank, from, from, first))
		}
		if err != nil || !slices.Equal(lines, want) {
			t.Errorf("%s first: %v\n%s\n%s", first, err, errors, strings.Join(lines, "\n"))
		}
	}
}

// A library of another version than the rest is named, and so is a program that writes over its calls.
func TestOtherVersionsAreNamed(t *testing.T) {
	if !*long {
		t.Skip("builds the library; -long")
	}
	prefix := t.TempDir()
	check.Must(t, os.CopyFS(prefix, os.DirFS(install(t)))) // as it writes over the library
	program := compile(t, prefix, "wrong")
	if _, _, told, err := simulate(t, "ndr", 2, program, "slot"); err == nil || !strings.Contains(fmt.Sprint(err), "rank 1: its call slot says") {
		t.Errorf("a program that writes over its call slot ends with %v\n%s", err, told)
	}
	sources, err := filepath.Glob("front/*.c")
	check.Must(t, err)
	flags := []string{"-O1", "-shared", "-fPIC", "-DVERSION=99", "-Wl,-soname,libmpi_abi.so.0", "-Iinclude", "-Ifront", "-o", prefix + "/lib/libmpi_abi.so.0"}
	run(t, ".", "cc", slices.Concat(flags, sources, []string{"-ldl"})...)
	const simulated, live = "libmpi_abi.so: musubi is of another version than this library", "libmusubi_core.so: is of another version than this library"
	if _, _, told, err := simulate(t, "ndr", 2, program, "nothing"); err == nil || !strings.Contains(told, simulated) {
		t.Errorf("simulated: %v\n%s\nexpected %q", err, told, simulated)
	}
	if _, told, err := launch(t, 2, program, "nothing"); err == nil || !strings.Contains(told, live) {
		t.Errorf("live: %v\n%s\nexpected %q", err, told, live)
	}
}

// testOrder: messages keep their order, by lanes and by the core in turn, and lanes are used.
func testOrder(t *testing.T, program string) {
	inOrder := regexp.MustCompile(`^\d+ messages, 0 out of order\n$`)
	for _, ranks := range []int{2, 3} {
		var out lineWriter
		var wrong bytes.Buffer
		out.written = make(chan struct{})
		end, ended := filepath.Join(t.TempDir(), "end"), make(chan error)
		go func() {
			ended <- live.Launch(t.Context(), live.Config{Ranks: ranks, Command: []string{program, end}, Unlabelled: true, Output: &out, Errors: &wrong})
		}()
		var err error
		select {
		case <-out.written: // all ranks wait for the file
			checkLanes(t, program)
			check.Must(t, os.WriteFile(end, nil, 0o644))
			err = <-ended
		case err = <-ended:
		}
		if err != nil || !inOrder.MatchString(out.text.String()) {
			t.Errorf("live, %d ranks: %v\n%s\n%s", ranks, err, &wrong, &out.text)
		}
	}
	lines, _, errors, err := simulate(t, "ndr", 2, program)
	if err != nil || len(lines) != 1 || !inOrder.MatchString(lines[0]+"\n") {
		t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
	}
}

// testNotes: collective operations have the results that they should, whichever rank carries them out in the front, and
// many do, also where ranks sleep and have to be woken.
func testNotes(t *testing.T, program string) {
	for _, job := range []struct {
		ranks int
		wait  string
	}{{2, ""}, {3, ""}, {2, live.WaitSleep}, {6, live.WaitSleep}, {3, live.WaitYield}, {6, live.WaitYield}} {
		var out, told bytes.Buffer
		err := live.Launch(t.Context(), live.Config{Ranks: job.ranks, Wait: job.wait, Command: []string{program}, Unlabelled: true, Output: &out, Errors: &told})
		var results, wrong, byFront int
		if _, bad := fmt.Sscanf(out.String(), "%d results, %d wrong, %d by the front", &results, &wrong, &byFront); err != nil || bad != nil || results < 100_000 || wrong > 0 {
			t.Errorf("live, %d ranks, %q: %v\n%s\n%s", job.ranks, job.wait, err, &told, &out)
		}
		if byFront < 1000*job.ranks {
			t.Errorf("%d ranks, %q, have carried out %d operations in the front; expected at least 1,000 at each", job.ranks, job.wait, byFront)
		}
	}
	if lines, _, errors, err := simulate(t, "ndr", 3, program); err != nil || !strings.Contains(lines[0], " 0 wrong, 0 by the front") {
		t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
	}
}

// testBuffered: messages out of a buffer have the data that the program gave, and there is room for no more than the buffer has. The core is
// seldom needed for short ones where each rank has a processor.
func testBuffered(t *testing.T, program string) {
	for _, ranks := range []int{1, 2, 3, 5} {
		lines, errors, err := launch(t, ranks, program)
		if err != nil || len(lines) != 1 || !strings.HasPrefix(lines[0], "0 wrong, ") {
			t.Errorf("live, %d ranks: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
		} else if ranks == 2 && runtime.NumCPU() > 1 && !strings.Contains(lines[0], "without the core") {
			t.Errorf("2 ranks: %s; expected most short messages without the core", lines[0])
		}
	}
	if lines, _, errors, err := simulate(t, "ndr", 3, program); err != nil || !slices.Equal(lines, []string{"0 wrong, most by the core"}) {
		t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
	}
}

// testRequests: what completes requests, by all calls that there are, in several communicators, gives the messages that it should. The
// core is seldom needed where each rank has a processor.
func testRequests(t *testing.T, program string) {
	for _, job := range []struct {
		ranks int
		wait  string
	}{{1, ""}, {2, ""}, {3, live.WaitYield}, {3, live.WaitSleep}, {5, ""}} {
		var out, told bytes.Buffer
		err := live.Launch(t.Context(), live.Config{Ranks: job.ranks, Wait: job.wait, Command: []string{program}, Unlabelled: true, Output: &out, Errors: &told})
		if err != nil || !strings.HasPrefix(out.String(), "0 wrong, ") {
			t.Errorf("live, %d ranks, %q: %v\n%s\n%s", job.ranks, job.wait, err, &told, &out)
		}
		if most := strings.Contains(out.String(), "most without"); !most && job.ranks == 2 && runtime.NumCPU() > 1 {
			t.Errorf("2 ranks: %s; expected most calls without the core", &out)
		}
	}
	if lines, _, errors, err := simulate(t, "ndr", 3, program); err != nil || !slices.Equal(lines, []string{"0 wrong, none without the core"}) {
		t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
	}
}

// testAccesses: accesses to windows give what they should, whether the front or the core carries each out, also where ranks take turns on a
// processor in the middle of one. The front does where ranks do not sleep.
func testAccesses(t *testing.T, program string) {
	for _, job := range []struct {
		ranks int
		wait  string
		front bool
	}{{1, "", true}, {2, "", runtime.NumCPU() > 1}, {2, live.WaitSleep, false}, {3, live.WaitYield, true}, {5, "", runtime.NumCPU() >= 5}} {
		var out, told bytes.Buffer
		err := live.Launch(t.Context(), live.Config{Ranks: job.ranks, Wait: job.wait, Command: []string{program, "share"}, Unlabelled: true, Output: &out, Errors: &told})
		var calls, wrong, byFront int
		if _, bad := fmt.Sscanf(out.String(), "%d calls, %d wrong, %d by the front", &calls, &wrong, &byFront); err != nil || bad != nil || wrong > 0 || calls < 50_000*job.ranks {
			t.Errorf("live, %d ranks, %q: %v\n%s\n%s", job.ranks, job.wait, err, &told, &out)
		}
		if job.front && byFront < calls/5 || !job.front && byFront > 0 {
			t.Errorf("%d ranks, %q: the front has carried out %d of %d calls", job.ranks, job.wait, byFront, calls)
		}
	}
	lines, _, errors, err := simulate(t, "ndr", 3, program)
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], " 0 wrong, 0 by the front") {
		t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
	}
}

// testFiles: files have what ranks have written, and the errors are those of the standard, live and simulated.
func testFiles(t *testing.T, program string) {
	want := []string{"0 wrong"}
	for _, ranks := range []int{1, 4} {
		if lines, errors, err := launch(t, ranks, program, filepath.Join(t.TempDir(), "data")); err != nil || !slices.Equal(lines, want) {
			t.Errorf("live, %d ranks: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
		}
		if lines, _, errors, err := simulate(t, "ndr", ranks, program, filepath.Join(t.TempDir(), "data")); err != nil || !slices.Equal(lines, want) {
			t.Errorf("simulated, %d ranks: %v\n%s\n%s", ranks, err, errors, strings.Join(lines, "\n"))
		}
	}
}

// testBoth: where two ranks send bursts to each other, most messages go by lanes, also after the core has had to receive some.
func testBoth(t *testing.T, program string) {
	lines, errors, err := launch(t, 2, program)
	var wrong, byLanes, all int
	if _, bad := fmt.Sscanf(lines[0], "%d wrong, %d of %d by lanes", &wrong, &byLanes, &all); err != nil || bad != nil || wrong > 0 {
		t.Errorf("%v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
	}
	if runtime.GOMAXPROCS(0) >= 2 && byLanes < all/2 {
		t.Errorf("%d of %d messages have gone by lanes; expected half of them at least", byLanes, all)
	}
}

// lineWriter tells when the first line has been written.
type lineWriter struct {
	text    bytes.Buffer
	written chan struct{}
}

func (w *lineWriter) Write(b []byte) (int, error) {
	before := bytes.ContainsRune(w.text.Bytes(), '\n')
	w.text.Write(b)
	if !before && bytes.ContainsRune(b, '\n') {
		close(w.written)
	}
	return len(b), nil
}

// checkLanes looks how many messages the ranks of a job have sent and received by lanes. Where a processor is for each
// rank, those that go to and fro with nothing else under way do so, unless one takes long.
func checkLanes(t *testing.T, program string) {
	t.Helper()
	jobs, err := live.Jobs(t.Context())
	check.Must(t, err)
	for _, job := range jobs {
		if job.Command[0] != program {
			continue
		}
		for _, p := range job.Processes {
			if p.Lanes < 50 {
				t.Errorf("rank %d has sent and received %d messages by lanes; expected at least 50", p.Rank, p.Lanes)
			}
		}
		return
	}
	t.Errorf("no job of %s among %d", program, len(jobs))
}

// The programs of docs/mpi-programs.md print what the page shows; live times differ.
func TestProgramsOfThePage(t *testing.T) {
	if !*long {
		t.Skip("builds the library; -long")
	}
	page, err := os.ReadFile("../docs/mpi-programs.md")
	check.Must(t, err)
	prefix := install(t)
	heat := compile(t, prefix, "../../examples/mpi-programs/heat", "-O2")
	if lines, errors, err := launch(t, 4, heat, "100"); err != nil || !strings.HasPrefix(lines[0], "4 ranks, 100 steps: heat 516.302214 after ") {
		t.Errorf("live: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
	}
	lines, _, errors, err := simulate(t, "tofu2", 64, heat, "100")
	if err != nil || !bytes.Contains(page, []byte("\n    "+lines[0]+"\n")) {
		t.Errorf("the page does not show what 64 simulated ranks print: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
	}
	needFortran(t)
	ring := compileFortran(t, prefix, "F08", "../../examples/mpi-programs/ring")
	if lines, errors, err := launch(t, 4, ring); err != nil || !bytes.Contains(page, []byte("\n    rank 0: "+lines[0]+"\n")) {
		t.Errorf("the page does not show what %s prints: %v\n%s\n%s", ring, err, errors, strings.Join(lines, "\n"))
	}
}

// testRate lets a program compute at a rate: the time is the same each time, twice the rate takes half
// of it, and a program that does not count is refused.
// testRecords: the messages of a program are the same, live and simulated.
func testRecords(t *testing.T, program string) {
	live, simulated := filepath.Join(t.TempDir(), "live.goal"), filepath.Join(t.TempDir(), "simulated.goal")
	recordLive(t, live, 2, program)
	s := musubi.Usual()
	s.Machine, s.Ranks, s.RecordFile = "ndr", 2, simulated
	if _, _, errors, err := simulateAs(t, s, program); err != nil {
		t.Fatalf("%v\n%s", err, errors)
	}
	message := regexp.MustCompile(`(send|recv) \w+ (to|from) \w+`)
	var messages [2][]string
	for i, file := range []string{live, simulated} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		messages[i] = message.FindAllString(string(text), -1)
	}
	if len(messages[0]) == 0 || !slices.Equal(messages[0], messages[1]) {
		t.Errorf("messages of a live run are %v; of a simulated one %v", messages[0], messages[1])
	}
}

// recordLive records a program in live ranks.
func recordLive(t *testing.T, file string, ranks int, program string) {
	t.Helper()
	cfg := live.Config{Ranks: ranks, Command: []string{program}, Output: io.Discard}
	s := musubi.Usual()
	s.RecordFile = file
	finish, err := s.Observe(&cfg)
	if err == nil {
		err = live.Launch(context.Background(), cfg)
	}
	if err == nil {
		err = finish()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func testRate(t *testing.T, prefix, uncounted string) {
	counted := compile(t, prefix, "compute", "-O1", "-fsanitize-coverage=trace-pc")
	compute := func(rate float64, command ...string) (string, string, error) {
		s := musubi.Usual()
		s.Machine, s.Ranks = "ndr", 2
		system, err := musubi.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		var out, result bytes.Buffer
		r, err := system.RunCommand(context.Background(), &process.Program{Command: command, Compute: process.Compute{Rate: rate}, Output: &out, Errors: &out})
		if err == nil {
			r.Simulation.Wall = 0
			err = ordered.WriteJSON(&result, r)
		}
		return out.String(), result.String(), err
	}
	printed, first, err := compute(1e9, counted)
	if _, again, _ := compute(1e9, counted); err != nil || again != first {
		t.Errorf("%v: a rate gives\n%s\nand then\n%s", err, first, again)
	}
	twice, _, err := compute(2e9, counted)
	var long, short float64
	if _, wrong := fmt.Sscan(printed, &long); wrong != nil || err != nil || long < 100 {
		t.Errorf("100,000 rounds at 1e9 blocks a second take %q us (%v); expected at least 100", printed, err)
	}
	if _, wrong := fmt.Sscan(twice, &short); wrong != nil || short < 0.49*long || short > 0.51*long {
		t.Errorf("at twice the rate they take %q us; expected half of %v", twice, long)
	}
	if _, _, err := compute(1e9, uncounted); !errors.Is(err, process.ErrNotCounted) {
		t.Errorf("a program that does not count ends with %v; expected %v", err, process.ErrNotCounted)
	}
}

// expected is what testdata/calls.c prints.
func expected(ranks int) (lines []string) {
	for rank := range ranks {
		before := (rank + ranks - 1) % ranks
		second, half := -1, 0
		if rank == 0 {
			second = 1
		}
		for other := rank + 2; other < ranks; other += 2 {
			half++
		}
		lines = append(lines, fmt.Sprintf("%d of %d: from %d=%d, sums %d and %d, numbers 0 %d 6, half %d, got %d with tag 3, 1 element; MPI_Send: rank %d; expected 0 to %d",
			rank, ranks, before, before, ranks*(ranks-1)/2, ranks*(ranks-1)/2, second, half, before, ranks, ranks-1))
	}
	return lines
}
