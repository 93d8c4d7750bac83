package cmdq

import (
	"fmt"
	"strings"
	"testing"
)

// TestSession says where the pointers are in rounds of a persistent exchange, for every
// order in which RTRs (ready to receive) of partners come. R is an RTR to a partner, S the
// one to the queue itself, N a NOP, D the data (SD) and E the end of it (EOD).
func TestSession(t *testing.T) {
	session := func(lead, entries int) QueueConfig {
		return QueueConfig{Session: true, Lead: lead, Entries: entries, Notices: 1}
	}
	for _, s := range []queueScript{
		{"FAST, the RTR comes in the round", session(1, 6), `
			post R D E    | 0 1 3
			run           | 1 1 3 | R
			advance 3     | 1 4 3
			run           | 3 4 3 | D E
			post R D E    | 3 4 6
			run           | 4 4 6 | R
			advance 3     | 4 7 6
			run           | 6 7 6 | D E`},
		{"FAST, the RTR comes before the engine has begun", session(1, 6), `
			post R D E    | 0 1 3
			advance 3     | 0 4 3
			run           | 3 4 3 | R D E`},
		{"FAST, the RTR comes before Start", session(1, 6), `
			advance 3     | 0 4 0
			run           | 0 4 0
			post R D E    | 0 4 3
			run           | 3 4 3 | R D E`},
		{"FAST, a late RTR", session(1, 6), `
			post R D E    | 0 1 3
			run           | 1 1 3 | R
			complete 0    | 1 1 3
			take          | 1 1 3 | ok
			run           | 1 1 3
			advance 3     | 1 4 3
			run           | 3 4 3 | D E`},
		{"FAST, the RTR of the next round comes before this one's Wait", session(1, 6), `
			post R D E    | 0 1 3
			advance 3     | 0 4 3
			run           | 3 4 3 | R D E
			advance 3     | 3 7 3
			run           | 3 7 3
			post R D E    | 3 7 6
			run           | 6 7 6 | R D E`},
		{"MRC, one neighbour", session(1, 4), `
			post R D      | 0 1 2
			run           | 1 1 2 | R
			advance 2     | 1 3 2
			run           | 2 3 2 | D
			post R D      | 2 3 4
			run           | 3 3 4 | R
			advance 2     | 3 5 4
			run           | 4 5 4 | D`},
		{"MRC, two neighbours", session(2, 12), `
			post R R N S D D | 0 2 6
			run              | 2 2 6 | R R
			advance 1        | 2 3 6
			run              | 3 3 6 | N
			advance 1        | 3 4 6
			run              | 4 4 6 | S
			advance 4        | 4 8 6
			run              | 6 8 6 | D D
			post R R N S D D | 6 8 12
			run              | 8 8 12 | R R`},
		{"MRC, three neighbours", session(3, 9), `
			post R R R N N S D D D | 0 3 9
			run                    | 3 3 9 | R R R
			advance 1              | 3 4 9
			run                    | 4 4 9 | N
			advance 1              | 4 5 9
			run                    | 5 5 9 | N
			advance 1              | 5 6 9
			run                    | 6 6 9 | S
			advance 6              | 6 12 9
			run                    | 9 12 9 | D D D`},
		{"MRC, all RTRs before Start", session(3, 9), `
			advance 1              | 0 4 0
			advance 1              | 0 5 0
			advance 1              | 0 6 0
			post R R R N N S D D D | 0 6 9
			run                    | 6 6 9 | R R R N N S
			advance 6              | 6 12 9
			run                    | 9 12 9 | D D D`},
		{"nothing to send: the queue releases its own next RTRs", session(3, 3), `
			post R R S       | 0 3 3
			run              | 3 3 3 | R R S
			advance 3        | 3 6 3
			complete 0 1 2   | 3 6 3
			take             | 3 6 3 | ok ok ok
			post R R S       | 3 6 6
			run              | 6 6 6 | R R S`},
	} {
		t.Run(s.name, s.test)
	}
}

// TestReleasesInAnyOrder lets Start and the RTRs of up to three neighbours come in every
// order, with the engine at work after each or only in the end. The data goes when all are
// there and not before, and the pointers end in the same places.
func TestReleasesInAnyOrder(t *testing.T) {
	for k := 1; k <= 3; k++ {
		program, step, self := mrcProgram(k)
		for start := range k + 1 { // RTRs that come before Start
			for eager := range 2 {
				q, err := NewQueue[string](QueueConfig{Session: true, Lead: k, Entries: len(program), Notices: 1})
				if err != nil {
					t.Fatal(err)
				}
				var ran strings.Builder
				run := func() { ran.WriteString(strings.ReplaceAll(runCommands(q, 0), " ", "")) }
				for event := range k + 1 {
					if strings.Contains(ran.String(), "D") {
						t.Fatalf("%d neighbours: data has gone after %d of %d events", k, event, k+1)
					}
					if event == start {
						q.Post(program...)
					} else {
						q.Arrive(step, nil)
					}
					if eager == 1 {
						run()
					}
				}
				run()
				if self > 0 {
					q.Arrive(self, nil)
					run()
				}
				n := len(program)
				if got, want := pointersOf(q), fmt.Sprint(n, " ", n+k, " ", n); got != want || ran.String() != strings.Join(program, "") {
					t.Errorf("%d neighbours, Start after %d RTRs: ran %s, pointers %s; want %s and all", k, start, &ran, got, want)
				}
			}
		}
	}
}

// mrcProgram is what a process with k neighbours posts to its one queue for a round, and
// the advances of RTRs and of the put to itself.
func mrcProgram(k int) (program []string, step, self int) {
	add := func(n int, what string) {
		for range n {
			program = append(program, what)
		}
	}
	add(k, "R")
	if k == 1 {
		add(1, "D")
		return program, 2, 0
	}
	add(k-1, "N")
	add(1, "S")
	add(k, "D")
	return program, 1, 2 * k
}
