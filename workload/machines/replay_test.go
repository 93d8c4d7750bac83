package machines_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/mpi"
	"musubi/rma"
	"musubi/units"
)

// written puts a schedule into a file.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "schedule.goal")
	check.Must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// endsOf runs a schedule on a machine and returns when ranks end, in microseconds.
func endsOf(t *testing.T, machine, text string, settings ...string) (ends []float64) {
	t.Helper()
	set := map[string]string{"file": written(t, text)}
	for i := 0; i < len(settings); i += 2 {
		set[settings[i]] = settings[i+1]
	}
	result, err := musubi.RunWorkload(context.Background(), musubi.Scenario{Workload: "trace", Machine: machine, Set: set})
	check.Must(t, err)
	for _, row := range result.Rows {
		if row.Metric == "end" {
			ends = append(ends, row.Value)
		}
	}
	return ends
}

// A schedule takes what a program takes that does the same, to the picosecond.
func TestSchedulesTakeTheTimeOfPrograms(t *testing.T) {
	const bytes, rounds, work = 5000, 7, 3000
	var zero, one strings.Builder
	for i := range rounds {
		fmt.Fprintf(&zero, "c%d: calc %d\ns%d: send %db to 1\nr%d: recv %db from 1\ns%d requires c%d\nr%d requires s%d\n", i, work, i, bytes, i, bytes, i, i, i, i)
		fmt.Fprintf(&one, "r%d: recv %db from 0\ns%d: send %db to 0\ns%d requires r%d\n", i, bytes, i, bytes, i, i)
		if i > 0 {
			fmt.Fprintf(&zero, "c%d requires r%d\n", i, i-1)
			fmt.Fprintf(&one, "r%d requires s%d\n", i, i-1)
		}
	}
	text := fmt.Sprintf("num_ranks 2\nrank 0 {\n%s}\nrank 1 {\n%s}\n", zero.String(), one.String())
	for _, machine := range []string{"ndr", "tofu2", "dimmnet2", "loggp", "ssscore"} {
		got := endsOf(t, machine, text)
		var want [2]float64
		_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: machine, Ranks: 2}, func(p rma.Process) error {
			return mpi.Run(p, func(c *mpi.Comm) error {
				start := p.Now()
				data := make([]byte, bytes)
				for range rounds {
					if p.Rank() == 0 {
						p.Compute(work * units.Nanosecond)
						if err := mpi.Send(c, 1, 0, data); err != nil {
							return err
						}
					}
					if _, err := mpi.Receive(c, 1-p.Rank(), 0, data); err != nil {
						return err
					}
					if p.Rank() == 1 {
						if err := mpi.Send(c, 0, 0, data); err != nil {
							return err
						}
					}
				}
				want[p.Rank()] = (p.Now() - start).Microseconds()
				return nil
			})
		})
		check.Must(t, err)
		if got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%s: the schedule ends at %v us, the program at %v us", machine, got, want)
		}
	}
}

// Calculations of several cpus run beside each other, and beside messages.
func TestProcessorsOfASchedule(t *testing.T) {
	text := `num_ranks 2
rank 0 {
a: calc 50000
b: calc 40000 cpu 1
c: calc 40000 cpu 1
d: calc 1000
d requires c
s: send 8b to 1
s requires b
}
rank 1 {
r: recv 8b from 0
c: calc 100000
}
`
	ends := endsOf(t, "ndr", text)
	if got, want := ends[0], 81.0; got < want || got > want+3 { // a message takes up to 3 us of the processor's time
		t.Errorf("rank 0 ends at %v us, want %v us and a little", got, want)
	}
	if got, want := endsOf(t, "ndr", text, "factor", "0.5")[0], 40.5; got < want || got > want+3 {
		t.Errorf("rank 0 ends at %v us with half the times, want %v us and a little", got, want)
	}
}

func TestSchedulesThatCannotRunAreRefused(t *testing.T) {
	for _, c := range []struct {
		text  string
		ranks int
		set   map[string]string
		want  string
	}{
		{"num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\n}\n", 0, nil, "line 3, rank 0: send 8b to 1 tag 0: nobody receives it"},
		{"num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n", 3, nil, "it has 2 ranks, and there are 3"},
		{"num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n", 0, map[string]string{"semantics": "atlahs"}, "expected a machine of model loggp"},
		{"num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n", 0, map[string]string{"S": "8"}, "S=8: has no meaning with semantics=mpi"},
		{"num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n", 0, map[string]string{"factor": "-1"}, "factor=-1: expected a number from 0"},
		{"num_ranks x\n", 0, nil, "schedule.goal: line 1: x ranks; expected 1 to"},
	} {
		set := map[string]string{"file": written(t, c.text)}
		for k, v := range c.set {
			set[k] = v
		}
		_, err := musubi.RunWorkload(context.Background(), musubi.Scenario{Workload: "trace", Machine: "ndr", Ranks: c.ranks, Set: set})
		check.Error(t, err, c.want)
	}
}
