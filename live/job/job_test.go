package job

import (
	"strings"
	"testing"
)

func TestJobsArePrintedAsTables(t *testing.T) {
	job := Job{
		PID: 7, Command: []string{"./heat", "-steps", "9"}, Ranks: 6, Seconds: 125.7,
		Refused: map[string]int{"no certificate": 3, "another job": 1},
		Processes: []Process{
			{Rank: 0, Host: "a", PID: 100, State: Waiting, Call: "Receive from rank 3 with tag 7", Seconds: 3.21},
			{Rank: 1, Host: "a", PID: 101, State: Waiting, Call: "Barrier for rank 0", Seconds: 0.01},
			{Rank: 2, Host: "node-b", PID: 12345, State: Running, Seconds: 90},
			{Rank: 3, Host: "node-b", PID: 12346, State: Running, Seconds: 0.3},
			{Rank: 4, Host: "c", State: Starting},
			{Rank: 5, Host: "c", PID: 9, State: Ended},
			{Rank: 6, Host: "d", State: Silent},
		},
	}
	const want = `job 7: ./heat -steps 9 (6 ranks, 2m5s)
  refused: another job (1 time)
  refused: no certificate (3 times)
  RANK  HOST    PID    STATE
  0     a       100    waits in Receive from rank 3 with tag 7 for 3.2s
  1     a       101    waits in Barrier for rank 0
  2     node-b  12345  runs, and has been in no call for 1m30s
  3     node-b  12346  runs
  4     c       -      has not met the other ranks yet
  5     c       9      has ended
  6     d       -      is on a host that does not answer
`
	var b strings.Builder
	if err := job.Print(&b); err != nil || b.String() != want {
		t.Errorf("got %v and\n%swant\n%s", err, &b, want)
	}
}
