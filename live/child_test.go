package live

import (
	"syscall"
	"testing"
)

// A rank has ended well if it has said so and its process has no other status, in jobs of
// Run and of Launch.
func TestHowRanksEnd(t *testing.T) {
	for _, launched := range []bool{false, true} {
		job, err := variants["windows"].region(2)
		if err != nil {
			t.Fatal(err)
		}
		const joined = 1
		job.ranks[joined].pid.Store(1)
		g := &group{job: job, spec: groupSpec{Launched: launched}}
		strange := died
		if launched {
			strange = exited
		}
		for _, c := range []struct {
			what string
			ending
			want cause
		}{
			{"has succeeded", ending{Rank: joined, Heard: true}, 0},
			{"has failed", ending{Rank: joined, Heard: true, Outcome: outcome{Problem: "no luck"}, Status: 1}, returned},
			{"has succeeded, with a status that says otherwise", ending{Rank: joined, Heard: true, Status: 66}, exited},
			{"has succeeded, and was ended by a signal", ending{Rank: joined, Heard: true, Status: -int(syscall.SIGSEGV)}, exited},
			{"has said nothing", ending{Rank: joined}, died},
			{"has never joined", ending{Rank: 0, Status: 1}, strange},
		} {
			if got := g.why(c.ending); got != c.want {
				t.Errorf("launched: %v: a rank that %s has failed the job by %d, want %d", launched, c.what, got, c.want)
			}
		}
	}
}
