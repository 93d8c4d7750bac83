package live

import (
	"errors"
	"testing"
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
