package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"musubi/live"
	"musubi/mpi/abi"
)

var long = flag.Bool("long", false, "build the library and run programs in C")

// What is generated is what the lists say.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"abi/include", "abi/front", "mpi/abi"} {
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
	for _, file := range []string{"abi/include/mpi.h", "abi/front/calls.c", "mpi/abi/names.go", "mpi/abi/constants.go"} {
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

// install builds the library in a folder, as abi/install does.
func install(t *testing.T) string {
	t.Helper()
	needCompiler(t)
	prefix := t.TempDir()
	run(t, ".", "./install", "--library", prefix)
	return prefix
}

// A program in C runs in live ranks, on its own.
func TestProgramsInCRunLive(t *testing.T) {
	if !*long {
		t.Skip("builds the library; -long")
	}
	prefix := install(t)
	program := filepath.Join(t.TempDir(), "calls")
	run(t, ".", "cc", "-Wall", "-Werror", "-I"+prefix+"/include", "testdata/calls.c", "-o", program, "-L"+prefix+"/lib", "-Wl,-rpath,"+prefix+"/lib", "-lmpi_abi")
	for _, ranks := range []int{1, 4} {
		var out, errors bytes.Buffer
		err := live.Launch(context.Background(), live.Config{Ranks: ranks, Command: []string{program}, Unlabelled: true, Output: &out, Errors: &errors})
		if err != nil {
			t.Fatalf("%d ranks: %v\n%s", ranks, err, errors.String())
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		slices.Sort(lines)
		if want := expected(ranks); !slices.Equal(lines, want) {
			t.Errorf("%d ranks print\n%s\nexpected\n%s", ranks, strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	}
	if out := run(t, ".", program); strings.TrimSpace(out) != expected(1)[0] {
		t.Errorf("a program that nobody has launched prints %q; expected %q", out, expected(1)[0])
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
