package live

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A rank that is cut off from the launcher says that the launcher is silent. The launcher
// knows better.
func TestRanksThatAreCutOffAreNamed(t *testing.T) {
	l := &launcher{ends: make([]ending, 3), hosts: make([]string, 3), kill: func() {}}
	l.ended(ending{Rank: 2, Failure: failure{silentFor, noRank, 1500}.encode()})
	_, err := l.result()
	var failed *RankError
	if want := "it has given no sign of life for 1.5s"; !errors.As(err, &failed) || failed.Rank != 2 || failed.Err.Error() != want {
		t.Errorf("job ends with %v, want that of rank 2: %s", err, want)
	}
}

// Groups on other hosts may tell what cannot be.
func TestFailuresThatNameNoRank(t *testing.T) {
	for _, c := range []struct {
		failure failure
		want    string
	}{
		{failure{cause: died, rank: 500}, "rank 2: the process has ended, with status 0, before its program was done"},
		{failure{cut, 1, 500}, "rank 1: its connection with rank 500 is lost"},
		{failure{cut, 1, -1}, "rank 1: its connection with rank -1 is lost"},
	} {
		l := &launcher{ends: make([]ending, 3), hosts: make([]string, 3), kill: func() {}}
		l.ended(ending{Rank: 2, Failure: c.failure.encode()})
		if _, err := l.result(); err == nil || err.Error() != c.want {
			t.Errorf("%+v ends the job with %v, want %s", c.failure, err, c.want)
		}
	}
}

// A job does not wait for processes that its ranks leave behind, even if they hold all that
// they have inherited.
func TestJobsEndBeforeWhatTheyLeaveBehind(t *testing.T) {
	var output bytes.Buffer
	cfg := Config{Ranks: 1, Output: &output, Unlabelled: true, Command: []string{"sh", "-c", "sleep 1000 & echo $!"}, Grace: 100 * time.Millisecond}
	if err := Launch(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	left, err := strconv.Atoi(strings.TrimSpace(output.String()))
	if err != nil {
		t.Fatal(err)
	}
	if isGone(left) {
		t.Error("what the rank has left behind has ended before the job")
	}
	if err := syscall.Kill(left, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}
