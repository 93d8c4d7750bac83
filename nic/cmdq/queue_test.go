package cmdq

import "testing"

// TestCommandQueue says where the pointers of a queue are after each step, and what is
// carried out.
func TestCommandQueue(t *testing.T) {
	for _, s := range []queueScript{
		{"normal mode", QueueConfig{Entries: 4, Notices: 1}, `
			run           | 0 * 0
			post A B      | 0 * 2
			advance 7     | 0 * 2
			run           | 2 * 2 | A B
			complete 0 1  | 2 * 2
			take          | 2 * 2 | ok ok`},
		{"session mode", QueueConfig{Session: true, Entries: 4, Notices: 1}, `
			post A B C    | 0 0 3
			run           | 0 0 3
			advance 1     | 0 1 3
			run           | 1 1 3 | A
			advance 5     | 1 6 3
			run           | 3 6 3 | B C
			complete 0 1 2| 3 6 3
			take          | 3 6 3 | ok ok ok
			post D E F G  | 3 6 7
			run           | 6 6 7 | D E F
			advance 1     | 6 7 7
			run           | 7 7 7 | G`},
		{"a full queue has room when completions are taken, not before", QueueConfig{Entries: 2, Notices: 1}, `
			post A B C    | 0 * 0 | full
			post A B      | 0 * 2
			post C        | 0 * 2 | full
			run           | 2 * 2 | A B
			post C        | 2 * 2 | full
			complete 0    | 2 * 2
			post C        | 2 * 2 | full
			take          | 2 * 2 | ok
			post C D      | 2 * 2 | full
			post C        | 2 * 3
			run           | 3 * 3 | C`},
		{"completions come in the order of the commands, failed ones too", QueueConfig{Entries: 4, Notices: 1}, `
			post A B C    | 0 * 3
			run 2         | 2 * 3 | A B
			complete 2    | 2 * 3 | no
			complete 1!   | 2 * 3
			complete 1    | 2 * 3 | no
			take          | 2 * 3
			run           | 3 * 3 | C
			complete 0    | 3 * 3
			complete 0    | 3 * 3 | no
			take          | 3 * 3 | ok failed
			complete 1    | 3 * 3 | no
			complete 2    | 3 * 3
			take          | 3 * 3 | ok`},
		{"a put waits for a place for its notice", QueueConfig{Entries: 1, Notices: 2}, `
			notice 1      | 0 * 0
			notice 2      | 0 * 0
			notice 3      | 0 * 0 | wait
			notices       | 0 * 0 | 1 2
			notice 3      | 0 * 0
			notices       | 0 * 0 | 3`},
		{"a queue can be closed when only unreleased commands are left", QueueConfig{Session: true, Entries: 4, Notices: 1}, `
			post A B C D  | 0 0 4
			advance 2     | 0 2 4
			close         | 0 2 4 | no
			run           | 2 2 4 | A B
			complete 1    | 2 2 4
			close         | 2 2 4 | no
			complete 0    | 2 2 4
			close         | 2 2 2
			take          | 2 2 2
			post E        | 2 2 2 | full`},
	} {
		t.Run(s.name, s.test)
	}
}

// A completion or a notice is an event until it is taken; a notice without a place is lost.
func TestHasEvent(t *testing.T) {
	q, err := NewQueue[string](QueueConfig{Entries: 2, Notices: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		do   func()
		has  bool
	}{
		{"nothing", func() {}, false},
		{"a notice without a place", func() { q.Arrive(0, &Notice{From: 1}) }, false},
		{"a place for a notice", func() { q.Admit() }, false},
		{"a notice", func() { q.Arrive(0, &Notice{From: 2}) }, true},
		{"a second notice without a place", func() { q.Arrive(0, &Notice{From: 3}) }, true},
		{"the notice taken", func() {
			if n, ok := q.Notice(); !ok || n.From != 2 {
				t.Errorf("notice %+v, %v; expected that from 2", n, ok)
			}
		}, false},
		{"a command posted", func() { q.Post("A") }, false},
		{"a command carried out", func() { q.Next() }, false},
		{"a command complete", func() { q.Complete(0, nil) }, true},
		{"the completion taken", func() { q.Completion() }, false},
	} {
		if step.do(); q.HasEvent() != step.has {
			t.Errorf("after %s there is an event: %v; expected %v", step.name, q.HasEvent(), step.has)
		}
	}
}
