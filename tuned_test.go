package musubi_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"musubi"
)

// collectiveTime returns how long an alltoall of 4 ranks takes.
func collectiveTime(t *testing.T, algorithm, tuning string) float64 {
	t.Helper()
	result, err := musubi.RunWorkload(t.Context(), musubi.Scenario{
		Machine: "ndr", Ranks: 4, Workload: "collective", Tuning: tuning,
		Set: map[string]string{"operation": "alltoall", "bytes": "8", "algorithm": algorithm},
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.Rows[0].Value
}

// Runs choose the algorithm that their measurements say is the fastest, and the usual one if they
// say that, or nothing.
func TestRunsChooseByMeasurements(t *testing.T) {
	usual := collectiveTime(t, "auto", "none")
	for _, test := range []struct {
		lines string
		want  float64
	}{
		{"alltoall 4 pairwise 8=1\nalltoall 4 linear 8=2\nalltoall 4 auto 8=3\n", collectiveTime(t, "pairwise", "")},
		{"alltoall 4 pairwise 8=2\nalltoall 4 linear 8=1\n", collectiveTime(t, "linear", "")},
		{"alltoall 2 linear 64=1\nalltoall 16 linear 64=1\n", collectiveTime(t, "linear", "")},
		{"alltoall 4 pairwise 8=2\nalltoall 4 auto 8=1\n", usual},
		{"alltoall 4 unheard-of 8=2\n", usual},
		{"broadcast 4 binomial 8=2\n", usual},
	} {
		file := filepath.Join(t.TempDir(), "table")
		if err := os.WriteFile(file, []byte(test.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := collectiveTime(t, "auto", file); got != test.want {
			t.Errorf("%q: %g us; expected %g", test.lines, got, test.want)
		}
	}
	if usual == collectiveTime(t, "linear", "") {
		t.Error("the usual choice takes as long as linear; expected another algorithm, or this test tells nothing")
	}
}

// Operations whose lengths each rank knows for itself are chosen by measurements, too.
func TestRanksChooseByTheirOwnLengths(t *testing.T) {
	for _, operation := range []string{"alltoallv", "alltoallw"} {
		file := filepath.Join(t.TempDir(), "table")
		lines := operation + " 8 linear 8=1 65536=9\n" + operation + " 8 pairwise 8=2 65536=8\n"
		if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		time := func(algorithm, bytes string) float64 {
			result, err := musubi.RunWorkload(t.Context(), musubi.Scenario{
				Machine: "qsnet2", Ranks: 8, Workload: "collective", Tuning: file,
				Set: map[string]string{"operation": operation, "bytes": bytes, "algorithm": algorithm},
			})
			if err != nil {
				t.Fatal(err)
			}
			return result.Rows[0].Value
		}
		for bytes, want := range map[string]string{"8": "linear", "64KiB": "pairwise"} {
			other := map[string]string{"linear": "pairwise", "pairwise": "linear"}[want]
			if got := time("auto", bytes); got != time(want, bytes) || got == time(other, bytes) {
				t.Errorf("%s of %s takes %g us; expected %g as by %s, not %g as by %s", operation, bytes, got, time(want, bytes), want, time(other, bytes), other)
			}
		}
	}
}

func TestWrongMeasurementsAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(file, []byte("alltoall 4 pairwise 8=fast\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{file: "line 1: \"fast\" microseconds", file + "2": "no such file"} {
		_, err := musubi.Build(musubi.Scenario{Machine: "ndr", Ranks: 2, Tuning: name})
		var wrong *musubi.InputError
		if !errors.As(err, &wrong) || wrong.Key != "tuning" || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; expected one about tuning with %q", name, err, says)
		}
	}
}

// Processes are not started if the measurements that the environment names cannot be read.
func TestWrongMeasurementsOfProcessesAreRefused(t *testing.T) {
	const expected = `; expected a file that "musubi tune" has written, a machine, or none`
	for _, test := range []struct{ named, variable, says string }{
		{"nothing", "", "open nothing: no such file or directory" + expected},
		{"", "nothing", "MUSUBI_TUNING: open nothing: no such file or directory" + expected},
		{"none", "nothing", ""},
		{"", "none", ""},
	} {
		t.Setenv("MUSUBI_TUNING", test.variable)
		_, err := musubi.Build(musubi.Scenario{Machine: musubi.Live, Ranks: 2, Tuning: test.named})
		var wrong *musubi.InputError
		if (err == nil) != (test.says == "") || err != nil && (!errors.As(err, &wrong) || wrong.Key != "tuning" || err.Error() != test.says) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}
