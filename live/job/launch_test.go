package job

import (
	"errors"
	"musubi/live/health"
	"musubi/live/wire"
	"testing"
)

// A rank that is cut off from the launcher says that the launcher is silent. The launcher
// knows better.
func TestRanksThatAreCutOffAreNamed(t *testing.T) {
	l := &launcher{ends: make([]ending, 3), hosts: make([]string, 3), kill: func() {}}
	l.ended(ending{Rank: 2, Failure: health.Failure{Cause: health.SilentFor, Rank: wire.NoRank, Status: 1500}.Encode()})
	_, err := l.result()
	var failed *RankError
	if want := "it has given no sign of life for 1.5s"; !errors.As(err, &failed) || failed.Rank != 2 || failed.Err.Error() != want {
		t.Errorf("job ends with %v, want that of rank 2: %s", err, want)
	}
}

// Groups on other hosts may tell what cannot be.
func TestFailuresThatNameNoRank(t *testing.T) {
	for _, c := range []struct {
		failure health.Failure
		want    string
	}{
		{health.Failure{Cause: health.Died, Rank: 500}, "rank 2: the process has ended, with status 0, before its program was done"},
		{health.Failure{Cause: health.Cut, Rank: 1, Status: 500}, "rank 1: its connection with rank 500 is lost"},
		{health.Failure{Cause: health.Cut, Rank: 1, Status: -1}, "rank 1: its connection with rank -1 is lost"},
	} {
		l := &launcher{ends: make([]ending, 3), hosts: make([]string, 3), kill: func() {}}
		l.ended(ending{Rank: 2, Failure: c.failure.Encode()})
		if _, err := l.result(); err == nil || err.Error() != c.want {
			t.Errorf("%+v ends the job with %v, want %s", c.failure, err, c.want)
		}
	}
}
