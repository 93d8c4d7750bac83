package job

import (
	"musubi/live/health"
	"musubi/live/shm"
	"syscall"
	"testing"
)

// A rank has ended well if it has said so and its process has no other status, in jobs of
// Run and of Launch.
func TestHowRanksEnd(t *testing.T) {
	for _, launched := range []bool{false, true} {
		_, job, err := shm.NewRegion(2, []int{0, 1}, 1<<10)
		if err != nil {
			t.Fatal(err)
		}
		const joined = 1
		job.Ranks[joined].Pid.Store(1)
		g := &group{job: job, spec: groupSpec{Launched: launched}}
		strange := health.Died
		if launched {
			strange = health.Exited
		}
		for _, c := range []struct {
			what string
			ending
			want health.Cause
		}{
			{"has succeeded", ending{Rank: joined, Heard: true}, 0},
			{"has failed", ending{Rank: joined, Heard: true, Outcome: outcome{Problem: "no luck"}, Status: 1}, health.Returned},
			{"has succeeded, with a status that says otherwise", ending{Rank: joined, Heard: true, Status: 66}, health.Exited},
			{"has succeeded, and was ended by a signal", ending{Rank: joined, Heard: true, Status: -int(syscall.SIGSEGV)}, health.Exited},
			{"has said nothing", ending{Rank: joined}, health.Died},
			{"has never joined", ending{Rank: 0, Status: 1}, strange},
		} {
			if got := g.why(c.ending); got != c.want {
				t.Errorf("launched: %v: a rank that %s has failed the job by %d, want %d", launched, c.what, got, c.want)
			}
		}
	}
}
