package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Fortran has a subroutine for each function that is not for C alone, of both names, and both modules
// have its interface.
func TestFortranHasTheFunctions(t *testing.T) {
	folder := t.TempDir()
	run(t, ".", "go", "run", "./generate", "--fortran", folder)
	file := func(path ...string) string {
		text, err := os.ReadFile(filepath.Join(path...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	calls, byHand := file(folder, "calls.c"), file("fortran", "by_hand.c")+file("fortran", "attributes.c")
	modules := map[string]string{"mpi": file(folder, "mpi.f90"), "mpi_f08": file(folder, "mpi_f08.f90")}
	for _, name := range []string{"MPI_Send", "MPI_Send_c", "MPI_Waitall", "MPI_Waitany", "MPI_Alltoallw", "MPI_Comm_create_keyval", "MPI_Comm_get_name", "MPI_Win_allocate_shared",
		"MPI_Psend_init", "MPI_Dist_graph_create_adjacent", "MPI_Op_create", "MPI_Type_create_struct", "MPI_Init_thread", "MPI_Session_init", "MPI_Error_string"} {
		symbol := "p" + strings.ToLower(name) + "_"
		if !strings.Contains(calls, "void "+symbol+"(") && !strings.Contains(byHand, symbol[1:]) {
			t.Errorf("there is no %s", symbol)
		}
		for module, text := range modules {
			for _, prefix := range []string{"", "P"} {
				has := strings.Contains(text, "subroutine "+prefix+name+"(") || strings.Contains(text, "subroutine "+prefix+name+"_f08ts(")
				if large := strings.HasSuffix(name, "_c"); has == (large && module == "mpi") {
					t.Errorf("module %s: whether it has %s%s is wrong", module, prefix, name)
				}
			}
		}
	}
	if strings.Contains(calls, "MPI_Comm_spawn") || strings.Contains(calls, "MPI_T_") {
		t.Error("Fortran has functions that are for C alone")
	}
	for _, line := range strings.Split(file(folder, "mpif.h"), "\n") { // of fixed form, too
		if len(line) > 72 && line[0] != '!' {
			t.Errorf("mpif.h has a line of %d characters: %s", len(line), line)
		}
	}
}

// The names that build systems look for run the program from beside them.
func TestWrappers(t *testing.T) {
	prefix := t.TempDir()
	bin := filepath.Join(prefix, "mpi", "bin")
	if err := os.MkdirAll(filepath.Join(prefix, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(bin, os.DirFS("wrappers")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(prefix, "bin", "musubi"), filepath.Join(bin, "mpicc"), filepath.Join(bin, "mpiexec")} {
		if filepath.Base(file) == "musubi" {
			if err := os.WriteFile(file, []byte("#!/bin/sh\necho \"$@\"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(file, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("mpicc", filepath.Join(bin, "mpif90")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, want string }{
		{"mpicc -show x.c", "cc -show x.c"},
		{"mpif90 -c x.f90", "fc -c x.f90"},
		{"mpiexec -np 3 ./a.out -n 5", "launch --label none -n 3 ./a.out -n 5"},
		{"mpiexec ./a.out", "launch --label none ./a.out"},
	} {
		words := strings.Fields(c.command)
		if got := strings.TrimSpace(run(t, ".", filepath.Join(bin, words[0]), words[1:]...)); got != c.want {
			t.Errorf("%s runs musubi %s; expected %s", c.command, got, c.want)
		}
	}
	if out, err := exec.Command(filepath.Join(bin, "mpiexec"), "--hostfile", "x", "./a.out").CombinedOutput(); err == nil || !strings.Contains(string(out), "--hostfile; expected -n RANKS") {
		t.Errorf("mpiexec with an option that it does not have: %v, %s", err, out)
	}
}

// A program in Fortran prints the same by each of the three interfaces, live and simulated.
func TestProgramsInFortranRun(t *testing.T) {
	needFortran(t)
	prefix := install(t)
	want := []string{
		"0: from 2 index 1, sums 3 and 3, best 1, attribute 100 T, name a twin of 6",
		"1: from 0 index 1, sums 3 and 3, best 1, attribute 101 T, name a twin of 6",
		"2: from 1 index 1, sums 3 and 3, best 1, attribute 102 T, name a twin of 6",
	}
	for _, by := range []string{"F08", "MODULE", "HEADER"} {
		program := compileFortran(t, prefix, by, "ring")
		if lines, errors, err := launch(t, 3, program); err != nil || !slices.Equal(lines, want) {
			t.Errorf("%s, live: %v\n%s\n%s", by, err, errors, strings.Join(lines, "\n"))
		}
		if lines, _, errors, err := simulate(t, "tofu2", 3, program); err != nil || !slices.Equal(lines, want) {
			t.Errorf("%s, simulated: %v\n%s\n%s", by, err, errors, strings.Join(lines, "\n"))
		}
	}
}

// C and Fortran read what the other has set and convert what the other has, live and simulated.
func TestCAndFortranInOneProgram(t *testing.T) {
	needFortran(t)
	prefix := install(t)
	inC := filepath.Join(t.TempDir(), "languages.o")
	run(t, ".", "cc", "-Wall", "-Werror", "-I"+prefix+"/include", "-c", "testdata/languages.c", "-o", inC)
	for by, checks := range map[string]int{"F08": 49, "MODULE": 48} {
		program := compileFortran(t, prefix, by, "languages", inC)
		var want []string
		for rank := range 2 {
			want = append(want, fmt.Sprintf("%d: %d checks, 0 wrong", rank, checks))
		}
		if lines, errors, err := launch(t, 2, program); err != nil || !slices.Equal(lines, want) {
			t.Errorf("%s, live: %v\n%s\n%s", by, err, errors, strings.Join(lines, "\n"))
		}
		if lines, _, errors, err := simulate(t, "tofu2", 2, program); err != nil || !slices.Equal(lines, want) {
			t.Errorf("%s, simulated: %v\n%s\n%s", by, err, errors, strings.Join(lines, "\n"))
		}
	}
}

// Operations that go on when their call has returned use sections of arrays with gaps as they are.
func TestSectionsWithGapsAreNotCopied(t *testing.T) {
	needFortran(t)
	program := compileFortran(t, install(t), "F08", "sections")
	want := []string{"0: 262 checks, 0 wrong", "1: 262 checks, 0 wrong", "2: 262 checks, 0 wrong"}
	if lines, errors, err := launch(t, 3, program); err != nil || !slices.Equal(lines, want) {
		t.Errorf("live: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
	}
	if lines, _, errors, err := simulate(t, "ndr", 3, program); err != nil || !slices.Equal(lines, want) {
		t.Errorf("simulated: %v\n%s\n%s", err, errors, strings.Join(lines, "\n"))
	}
}

// needFortran skips a test that builds the library and programs in Fortran where these are not wanted or there is no gfortran.
func needFortran(t *testing.T) {
	t.Helper()
	if !*long {
		t.Skip("builds the library; -long")
	}
	if _, err := exec.LookPath("gfortran"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no gfortran: programs in Fortran are not tested")
	}
}

// compileFortran compiles a program of testdata for one of the interfaces, and links it with other objects.
func compileFortran(t *testing.T, prefix, by, name string, objects ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), filepath.Base(name))
	arguments := append([]string{"-cpp", "-w", "-fallow-argument-mismatch", "-D" + by, "-I" + prefix + "/include", "testdata/" + name + ".f90"}, objects...)
	run(t, ".", "gfortran", append(arguments, "-o", program, "-J"+t.TempDir(), "-L"+prefix+"/lib", "-Wl,-rpath,"+prefix+"/lib", "-lmusubi_fortran", "-lmpi_abi")...)
	return program
}
