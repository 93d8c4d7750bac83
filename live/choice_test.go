package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"musubi/internal/check"
	"musubi/rma"
	"musubi/tuning"
)

// chooses tells by what each rank chooses.
func chooses(p rma.Process) ([]byte, error) {
	by := p.(rma.Tuned)
	fmt.Printf("rank %d: %v %v\n", p.Rank(), by.Fastest("scan", 4, 8), by.Reorders())
	return nil, nil
}

// measurements writes a file by which algorithms are chosen. There is more of it than a pipe holds.
func measurements(t *testing.T, first string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), first)
	text := strings.Repeat("# of a test\n", 10_000) + "scan 4 " + first + " 8=1\nscan 4 other 8=2\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// startedByHub starts ranks from outside, which find each other at an address, and returns what they write.
func startedByHub(t *testing.T, ranks int, program string, env func(rank int) []string) *externRanks {
	t.Helper()
	hub := check.FreeAddress()
	x := startExtern(t, ranks, program, nil, func(rank int) []string {
		return append(append(variables(rank, ranks, hub), "MUSUBI_KEY="+testKey), env(rank)...)
	})
	x.ended.Wait()
	return x
}

// All ranks choose by what the launcher names, and those that were started from outside by what rank 0 names.
func TestAllRanksChooseAlike(t *testing.T) {
	t.Parallel()
	file := measurements(t, "linear")
	const choice, want = "[linear other] true", "rank 0: [linear other] true\nrank 1: [linear other] true\n"
	for name, cfg := range map[string]Config{
		"named":            {Tuning: file},
		"in environment":   {Env: []string{tuning.Variable + "=" + file}},
		"named, over TCP":  {Tuning: file, Transport: TransportTCP},
		"named, in 2 ways": {Tuning: file, Env: []string{tuning.Variable + "=" + measurements(t, "another")}},
	} {
		cfg.Ranks, cfg.Unlabelled = 2, true
		_, output, err := start(t.Context(), cfg, "chooses")
		if lines := strings.Join(slices.Sorted(strings.Lines(output)), ""); err != nil || lines != want {
			t.Errorf("%s: %v\n%s\nexpected\n%s", name, err, lines, want)
		}
	}
	x := startedByHub(t, 2, "chooses", func(rank int) []string {
		if rank == 0 {
			return []string{tuning.Variable + "=" + file}
		}
		return nil
	})
	for rank := range x.commands {
		if got := x.outputs[rank].String(); x.errs[rank] != nil || !strings.Contains(got, choice) {
			t.Errorf("rank %d, started from outside: %v\n%s\nexpected %s", rank, x.errs[rank], got, choice)
		}
	}
}

// Without any name all ranks choose by what comes along, as far as that tells of such a job on this host.
func TestRanksChooseByWhatComesAlong(t *testing.T) {
	t.Parallel()
	const ranks = 4
	choice := fmt.Sprint(tuning.Shipped(tuning.Processes).On(runtime.NumCPU(), ranks).FastestBetween("scan", ranks, 8), " false\n")
	_, output, err := start(t.Context(), Config{Ranks: ranks, Unlabelled: true}, "chooses")
	if err != nil || strings.Count(output, choice) != ranks {
		t.Errorf("%v\n%s\nexpected %d times %s", err, output, ranks, choice)
	}
	_, output, err = start(t.Context(), Config{Ranks: ranks, Unlabelled: true, Transport: TransportTCP}, "chooses")
	if limits := "[] false\n"; err != nil || strings.Count(output, limits) != ranks {
		t.Errorf("over TCP: %v\n%s\nexpected %d times %s", err, output, ranks, limits)
	}
	x := startedByHub(t, ranks, "chooses", func(int) []string { return nil })
	for rank := range x.commands {
		if got := x.outputs[rank].String(); x.errs[rank] != nil || !strings.Contains(got, choice) {
			t.Errorf("rank %d, started from outside: %v\n%s\nexpected %s", rank, x.errs[rank], got, choice)
		}
	}
}

// A rank that is to choose by other measurements than its job is named, and says by which; nobody waits for it.
func TestOneRankHasOtherMeasurements(t *testing.T) {
	t.Parallel()
	file := measurements(t, "linear")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	says := fmt.Sprintf("this rank is to choose algorithms by %q, and the others by ", file)
	for _, transport := range []string{TransportAuto, TransportTCP} {
		var output bytes.Buffer
		err := Launch(ctx, Config{
			Ranks: 3, Transport: transport, Tuning: tuning.None, Output: &output, Env: []string{programVariable + "=chooses"},
			Command: []string{"sh", "-c", "[ $MUSUBI_RANK = 1 ] && export " + tuning.Variable + "=" + file + "; exec " + os.Args[0]},
		})
		var failed *RankError
		if !errors.As(err, &failed) || failed.Rank != 1 || !strings.Contains(err.Error(), says+`"none"; expected`) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v\n%s\nexpected rank 1 to say %q", transport, err, &output, says)
		}
	}
	x := startedByHub(t, 2, "chooses", func(rank int) []string {
		if rank == 1 {
			return []string{tuning.Variable + "=" + file}
		}
		return nil
	})
	for rank := range x.commands {
		if x.errs[rank] == nil {
			t.Errorf("rank %d ends well", rank)
		}
	}
	if got := x.outputs[1].String(); !strings.HasPrefix(got, "rank 1: live: "+says) || strings.Count(got, "\n") != 1 {
		t.Errorf("rank 1, started from outside, says %q; expected %q in one line", got, says)
	}
}

// Measurements that cannot be read are refused before any rank is started.
func TestMeasurementsThatAreNone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("scan 4 linear 8=fast\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{"nothing": "open nothing: no such file", file: file + `, line 1: "fast" microseconds`} {
		_, output, err := start(t.Context(), Config{Ranks: 2, Tuning: name}, "chooses")
		if err == nil || output != "" || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, and ranks write %q; expected %q", name, err, output, says)
		}
	}
}
