package musubi_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/mpi"
	"musubi/rma"
	"musubi/trace/schedule"
	"musubi/units"
)

// A run that is recorded and carried out again on the same machine takes the same time, to the picosecond.
// The machines are those whose interfaces do no collective operations, and that model no cache.
func TestRecordedRunsTakeTheSameTime(t *testing.T) {
	for _, machine := range []string{"ndr", "rhinet2", "loggp", "ssscore"} {
		for _, c := range []struct {
			workload string
			ranks    int
			set      map[string]string
		}{
			{"osu", 2, map[string]string{"test": "latency", "bytes": "8,20000", "iterations": "5"}},
			{"osu", 2, map[string]string{"test": "bw", "bytes": "8,20000", "iterations": "7"}}, // more messages than may be in flight
			{"osu", 6, map[string]string{"test": "alltoall", "bytes": "8,20000", "iterations": "3"}},
			{"osu", 5, map[string]string{"test": "barrier", "iterations": "3"}},
			{"osu", 6, map[string]string{"test": "iallreduce", "bytes": "8,20000", "iterations": "3"}}, // beside computation
			{"halo", 8, map[string]string{"calls": "messages", "bytes": "8,20000"}},
			{"nas", 4, map[string]string{"by": "mpi", "kernel": "lu", "class": "S", "iterations": "1"}},
			{"nas", 4, map[string]string{"by": "mpi", "kernel": "is", "class": "S", "iterations": "1"}},
		} {
			if machine == "ssscore" && (c.set["test"] == "bw" || c.workload == "nas") {
				continue // its interface keeps pages of memory, and a schedule does not say where data lies
			}
			t.Run(fmt.Sprint(machine, " ", c.workload, " ", c.set["test"]), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "run.goal")
				recorded, err := musubi.RunWorkload(context.Background(), musubi.Scenario{
					Workload: c.workload, Machine: machine, Ranks: c.ranks, Set: c.set, RecordFile: path, Seed: 1,
					Tuning: "none", // by measurements ssscore takes multicast, which a schedule has as messages
				})
				check.Must(t, err)
				checkEnds(t, again(t, machine, path), recorded.Messages.Ends())
			})
		}
	}
}

// The kernel IS of nas has nothing but collective operations and a message to the next rank. By package mpi, its
// schedule has the messages of all of them.
func TestRecordsHaveTheCollectivesOfNAS(t *testing.T) {
	r, err := musubi.RunWorkload(context.Background(), musubi.Scenario{
		Workload: "nas", Machine: "ndr", Ranks: 4, RecordFile: filepath.Join(t.TempDir(), "run.goal"),
		Set: map[string]string{"by": "mpi", "kernel": "is", "class": "S", "iterations": "1", "warmup": "0"},
	})
	check.Must(t, err)
	recorded, err := r.Messages.Schedule()
	check.Must(t, err)
	for rank := range recorded.Ranks {
		sends := 0
		for _, op := range recorded.Ranks[rank].Ops {
			if op.Kind == schedule.Send {
				sends++
			}
		}
		if sends < 2+3+3 { // a sum by recursive doubling, and two exchanges with the three others
			t.Errorf("rank %d has %d messages in the schedule; expected those of a sum and of two exchanges", rank, sends)
		}
	}
}

// again carries a schedule out.
func again(t *testing.T, machine, path string) *musubi.Result {
	t.Helper()
	r, err := musubi.RunWorkload(context.Background(), musubi.Scenario{Workload: "trace", Machine: machine, Set: map[string]string{"file": path}, Seed: 1})
	check.Must(t, err)
	return r
}

// What interfaces or switches do by themselves becomes messages that reach as far.
func TestOffloadedOperationsAreRecordedAsMessages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.goal")
	_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: "tofu2", Ranks: 8, RecordFile: path}, func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) error {
			for range 4 { // the first one goes by messages, and the second makes the group
				if err := mpi.Barrier(c); err != nil {
					return err
				}
			}
			if c.Rank() == 0 {
				p.Compute(units.Millisecond)
			}
			return mpi.Barrier(c)
		})
	})
	check.Must(t, err)
	for _, row := range again(t, "tofu2", path).Rows {
		if row.Metric == "end" && row.Value < 1000 {
			t.Errorf("%v ends at %v us, before rank 0 has come to its barrier", row.Labels, row.Value)
		}
	}
}

// What is no message is refused, and named.
func TestOtherCommunicationIsNotRecorded(t *testing.T) {
	for _, c := range []struct {
		workload string
		set      map[string]string
		want     string
	}{
		{"pingpong", nil, "rank 0 passes no messages by package mpi"},
		{"osu", map[string]string{"test": "put", "bytes": "8"}, "rank 0 also uses windows, by one-sided operations"},
		{"trace", map[string]string{"file": "examples/schedules/pipeline.goal", "semantics": "atlahs"}, "nothing to record: no program runs"},
	} {
		_, err := musubi.RunWorkload(context.Background(), musubi.Scenario{Workload: c.workload, Machine: "loggp", Set: c.set, RecordFile: filepath.Join(t.TempDir(), "x.goal")})
		check.Error(t, err, c.want)
	}
}

// checkEnds compares when ranks end, to the picosecond.
func checkEnds(t *testing.T, r *musubi.Result, want []units.Time) {
	t.Helper()
	rank := 0
	for _, row := range r.Rows {
		if row.Metric != "end" {
			continue
		}
		if got := units.Time(math.Round(row.Value * float64(units.Microsecond))); got != want[rank] {
			t.Errorf("rank %d ends at %v, and in the recorded run at %v", rank, got, want[rank])
		}
		rank++
	}
	if rank != len(want) {
		t.Errorf("%d ranks; expected %d", rank, len(want))
	}
}

// Groups that all ranks know become communicators without messages, also where they overlap.
func TestGroupsThatAllKnow(t *testing.T) {
	groups := [][]int{{0, 2}, {3, 1}, {3, 0}}
	want := []int{2, 4, 3}
	_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: "loggp", Ranks: 4}, func(p rma.Process) error {
		return mpi.Run(p, func(c *mpi.Comm) error {
			comms, err := c.Groups(groups)
			if err != nil {
				return err
			}
			for i, g := range comms {
				if member := slices.Index(groups[i], p.Rank()); member < 0 != (g == nil) || g != nil && g.Rank() != member {
					return fmt.Errorf("rank %d, group %d: expected rank %d there", p.Rank(), i, member)
				}
				if g == nil {
					continue
				}
				if sum, err := mpi.AllReduceValue(g, p.Rank(), mpi.Sum); err != nil || sum != want[i] {
					return fmt.Errorf("group %d: sum %d, %w; expected %d", i, sum, err, want[i])
				}
			}
			if _, err := c.Groups([][]int{{4}}); !errors.Is(err, mpi.ErrRank) {
				return fmt.Errorf("error %v; expected ErrRank", err)
			}
			return nil
		})
	})
	check.Must(t, err)
}

// A Chakra trace of a run takes the time of the run, as its GOAL schedule does.
func TestChakraTracesTakeTheSameTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.et")
	recorded, err := musubi.RunWorkload(context.Background(), musubi.Scenario{
		Workload: "osu", Machine: "ndr", Ranks: 6, Set: map[string]string{"test": "iallreduce", "bytes": "8,20000", "iterations": "3"}, RecordFile: path, Seed: 1,
	})
	check.Must(t, err)
	checkEnds(t, again(t, "ndr", path), recorded.Messages.Ends())
}
