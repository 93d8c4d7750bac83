package groups

import (
	"math/bits"
	"regexp"
	"strings"
	"testing"

	"musubi/mpi"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ideal"
)

// On a machine where a message takes 1 us and 1 ns for each byte of it, operations in
// which all ranks do the same take the steps of their algorithms.
func TestCollectivesTakeTheStepsOfTheirAlgorithms(t *testing.T) {
	const envelope = 8 // bytes that package mpi sends before the data
	crossing := func(bytes int) float64 { return 1 + 0.001*float64(envelope+bytes) }
	for _, ranks := range []int{2, 4, 8, 16} {
		steps := float64(bits.Len(uint(ranks - 1)))
		for _, test := range []struct {
			operation, algorithm string
			want                 float64
		}{
			{"barrier", "dissemination", steps * crossing(0)},
			{"allreduce", "recursive-doubling", steps * crossing(100)},
			{"alltoallv", "linear", crossing(100)},
			{"alltoallv", "pairwise", float64(ranks-1) * crossing(100)},
		} {
			rows := ideal.Rows(t, Collective, ideal.Set("operation="+test.operation, "algorithm="+test.algorithm, "bytes=100"), workload.Env{Ranks: ranks})
			if len(rows) != 1 || rows[0].Metric != test.operation || rows[0].Label("algorithm") != test.algorithm {
				t.Fatalf("%s by %s: rows %v", test.operation, test.algorithm, rows)
			}
			ideal.Near(t, test.operation+" by "+test.algorithm, rows[0].Value, test.want)
		}
	}
}

func TestEveryCollectiveByEveryAlgorithm(t *testing.T) {
	rows := ideal.Rows(t, Collective, ideal.Set("operation=all", "algorithm=all", "bytes=1,1000", "iterations=1", "root=2"), workload.Env{Ranks: 3})
	want := 0
	for _, operation := range mpi.Operations() {
		known, err := mpi.AlgorithmsFor(operation, 3)
		if err != nil {
			t.Fatal(err)
		}
		sizes := 2
		if operation == "barrier" {
			sizes = 1
		}
		want += sizes * len(known)
	}
	if len(rows) != want {
		t.Errorf("%d rows; expected %d", len(rows), want)
	}
}

func TestCollectiveRefusesParameters(t *testing.T) {
	for _, test := range []struct{ setting, says string }{
		{"operation=allreduced", "expected all, or a list out of barrier, broadcast"},
		{"algorithm=fast", "allreduce has auto, all, recursive-doubling, rabenseifner, ring"},
		{"root=3", "expected a rank, 0 to 2"},
		{"rings=both", "expected all, or a list out of private, shared"},
		{"eager=-1", "expected a whole number"},
	} {
		_, err := Collective.Prepare(ideal.Set(test.setting), workload.Env{Ranks: 3})
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v; expected one with %q", test.setting, err, test.says)
		}
	}
	_, err := Collective.Prepare(ideal.Set("operation=allgather", "algorithm=recursive-doubling"), workload.Env{Ranks: 3})
	if err == nil || !strings.Contains(err.Error(), "for 3 ranks, allgather has auto, all, bruck") {
		t.Errorf("error %v; expected one about powers of two", err)
	}
}

// A wrong byte is found in every operation by every algorithm, and the error names it.
func TestCollectiveChecksEveryByte(t *testing.T) {
	says := regexp.MustCompile(`^rank \d: workload: what rank \d has of 1000 bytes: byte \d+ (from rank \d|of the sum over ranks 0 to \d) is 0x[0-9a-f]+; expected 0x[0-9a-f]+$`)
	const (
		ranks = 4
		least = 250 // bytes: shorter messages are of the protocol, and times
	)
	for _, operation := range mpi.Operations() {
		if operation == "barrier" {
			continue
		}
		known, err := mpi.AlgorithmsFor(operation, ranks)
		if err != nil {
			t.Fatal(err)
		}
		for _, algorithm := range known {
			world := ideal.World{Latency: units.Microsecond, Corrupt: least}
			_, err := world.Measure(Collective, ideal.Set("operation="+operation, "algorithm="+algorithm, "bytes=1000", "iterations=1", "warmup=0", "root=1"), workload.Env{Ranks: ranks})
			if err == nil || !says.MatchString(err.Error()) {
				t.Errorf("%s by %s: error %v; expected one that names the byte", operation, algorithm, err)
			}
		}
	}
}
