//go:build race

package live

import (
	"errors"
	"testing"

	"musubi/rma"
)

func init() { programs["races"] = races }

// races lets two goroutines of rank 1 write the same word without an order.
func races(p rma.Process) ([]byte, error) {
	if p.Rank() != 1 {
		return nil, nil
	}
	word, done := 0, make(chan bool)
	go func() {
		word++
		done <- true
	}()
	word++
	<-done
	return nil, nil
}

// A race in a rank fails its job, whether it ends the rank at once or is told by the status
// with which the rank ends.
func TestRacesInRanksFailTheirJob(t *testing.T) {
	const raceStatus = 66
	for _, way := range ways {
		for _, told := range []string{forRanks, "atexit_sleep_ms=0"} {
			cfg := way.of(2)
			cfg.Env = []string{"GORACE=" + told}
			_, output, err := start(t.Context(), cfg, "races")
			var failed *RankError
			if !errors.As(err, &failed) || failed.Rank != 1 || failed.Status != raceStatus || !hasLine(output, "rank 1: ", "WARNING: DATA RACE") {
				t.Errorf("over %s, with GORACE=%q, the job ends with %v; want that rank 1 has ended with status %d; output:\n%s", way.name, told, err, raceStatus, output)
			}
		}
	}
}
