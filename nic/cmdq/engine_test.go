package cmdq

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCommandEngineTakesTurns lets queues with different numbers of commands share an
// engine. A queue that has to wait is passed over, and waits for no more than one command
// of each other queue once it is released.
func TestCommandEngineTakesTurns(t *testing.T) {
	var e Engine[string]
	open := func(session bool, commands ...string) *Queue[string] {
		q, err := NewQueue[string](QueueConfig{Session: session, Entries: 4, Notices: 1})
		if err != nil {
			t.Fatal(err)
		}
		q.Post(commands...)
		e.Add(q)
		return q
	}
	next := func(n int) string {
		var words []string
		for range n {
			if q, _, command := e.Next(); q != nil {
				words = append(words, *command)
			}
		}
		return strings.Join(words, " ")
	}
	expect := func(n int, want string) {
		t.Helper()
		if got := next(n); got != want {
			t.Errorf("the engine carries out %q; want %q", got, want)
		}
	}
	expect(1, "")
	a := open(false, "a1", "a2", "a3", "a4")
	b := open(true, "b1", "b2")
	open(false, "c1", "c2")
	expect(3, "a1 c1 a2") // b is not released
	b.Advance(2)
	expect(3, "b1 c2 a3")
	e.Remove(a)
	e.Remove(a) // is not there
	expect(3, "b2")
}

// TestCommandBoard opens and closes queues at random. Numbers are never given twice, no
// engine and no process has more queues than it may, and Free tells the truth.
func TestCommandBoard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		engines, perEngine := rapid.IntRange(1, 4).Draw(t, "engines"), rapid.IntRange(1, 3).Draw(t, "per engine")
		processes, perProcess := rapid.IntRange(1, 3).Draw(t, "processes"), rapid.IntRange(0, 8).Draw(t, "per process")
		b := NewBoard(engines, perEngine, processes, perProcess)
		open := map[[2]int]int{} // engine of process and number
		count := func(match func(process, engine int) bool) (n int) {
			for key, engine := range open {
				if match(key[0], engine) {
					n++
				}
			}
			return n
		}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			process := rapid.IntRange(0, processes-1).Draw(t, "process")
			if rapid.IntRange(0, 2).Draw(t, "close") == 0 {
				number := rapid.IntRange(-1, perProcess+1).Draw(t, "number")
				_, is := open[[2]int{process, number}]
				if got := b.Close(process, number); got != is {
					t.Fatalf("closing queue %d of process %d says %v; open are %v", number, process, got, open)
				}
				delete(open, [2]int{process, number})
				continue
			}
			engine := rapid.IntRange(AnyEngine, engines-1).Draw(t, "engine")
			onEngine := count(func(_, e int) bool { return e == engine })
			own := count(func(p, _ int) bool { return p == process })
			may := own < perProcess && len(open) < engines*perEngine && onEngine < perEngine
			if free := b.Free(process); free != min(perProcess-own, engines*perEngine-len(open)) {
				t.Fatalf("process %d has %d free queues; open are %v", process, free, open)
			}
			number, chosen, err := b.Open(process, engine)
			if (err == nil) != may {
				t.Fatalf("opening on engine %d for process %d: %v; open are %v", engine, process, err, open)
			}
			if err != nil {
				continue
			}
			_, twice := open[[2]int{process, number}]
			if twice || number < 1 || number > perProcess || engine != AnyEngine && chosen != engine {
				t.Fatalf("process %d gets number %d on engine %d; wanted %d, open are %v", process, number, chosen, engine, open)
			}
			open[[2]int{process, number}] = chosen
		}
	})
}

// TestCommandBoardSpreads has processes open queues on engines that the board chooses.
// Those of Tofu2: 4 engines of 12 queues, 2 processes of 24.
func TestCommandBoardSpreads(t *testing.T) {
	b := NewBoard(4, 12, 2, 24)
	for _, want := range []struct{ process, number, engine int }{
		{0, 1, 0}, {1, 1, 1}, {0, 2, 2}, {0, 3, 3}, {0, 4, 1}, {1, 2, 0},
	} {
		number, engine, err := b.Open(want.process, AnyEngine)
		if err != nil || number != want.number || engine != want.engine {
			t.Errorf("process %d gets queue %d on engine %d, %v; want %+v", want.process, number, engine, err, want)
		}
	}
}

// TestCommandBoardRefuses says why it gives no queue.
func TestCommandBoardRefuses(t *testing.T) {
	b := NewBoard(2, 1, 2, 1)
	for _, c := range []struct {
		process, engine int
		want            string
	}{
		{0, 2, "engine 2; expected 0 to 1"},
		{0, 1, "<nil>"},
		{0, 0, "all 1 command queues that a process may have are open"},
		{1, 1, "all 1 command queues of engine 1 are open"},
		{1, 0, "<nil>"},
	} {
		if _, _, err := b.Open(c.process, c.engine); fmt.Sprint(err) != c.want {
			t.Errorf("process %d on engine %d: %v; want %s", c.process, c.engine, err, c.want)
		}
	}
	b = NewBoard(2, 1, 2, 3)
	for range 2 {
		if _, _, err := b.Open(0, AnyEngine); err != nil {
			t.Error(err)
		}
	}
	const want = "all 1 command queues of each of the 2 engines are open"
	if _, _, err := b.Open(1, AnyEngine); fmt.Sprint(err) != want {
		t.Errorf("a board without queues says: %v; want %s", err, want)
	}
}

// TestTurnsGoOnWhenAQueueLeaves takes a queue from an engine, one that has just had its turn and
// one that has it next. Its neighbours get their turns as if it had had no commands.
func TestTurnsGoOnWhenAQueueLeaves(t *testing.T) {
	for leaves, want := range []string{"b1 c1 b2", "c1 a2 c2", "b1 a2 b2"} {
		var e Engine[string]
		var queues []*Queue[string]
		for _, name := range []string{"a", "b", "c"} {
			q, err := NewQueue[string](QueueConfig{Entries: 4, Notices: 1})
			if err != nil {
				t.Fatal(err)
			}
			q.Post(name+"1", name+"2", name+"3")
			e.Add(q)
			queues = append(queues, q)
		}
		e.Next() // a1
		e.Remove(queues[leaves])
		var got []string
		for range 3 {
			_, _, command := e.Next()
			got = append(got, *command)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("without queue %d the engine carries out %q; want %q", leaves, got, want)
		}
	}
}
