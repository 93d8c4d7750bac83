package queue_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"musubi"
	"musubi/internal/check"
	"musubi/sweep"
	"musubi/sweep/queue"
	"musubi/sweep/store"
)

var (
	long    = flag.Bool("long", false, "kill workers and servers under a sweep of 40 runs")
	nightly = flag.Bool("nightly", false, "kill workers and servers under a sweep of 200 runs")
)

// role is the variable that says what a process that a test has started is.
const role = "MUSUBI_QUEUE_TEST"

func TestMain(m *testing.M) {
	switch words := strings.Fields(os.Getenv(role)); {
	case len(words) == 0:
		os.Exit(m.Run())
	case words[0] == "server": // address, folder
		s, err := queue.Serve(words[1], words[2])
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.URL)
		select {}
	case words[0] == "worker": // URL, time
		wait, _ := time.ParseDuration(words[2])
		fmt.Println(queue.Work(context.Background(), words[1], "v1", 1, func(ctx context.Context, s musubi.Scenario) (sweep.Outcome, error) {
			time.Sleep(wait) // so that there is time to be killed
			return sweep.Run(ctx, s)
		}))
	}
}

// process is one that a test has started.
type process struct {
	*exec.Cmd
	first string // the first line that it has printed
}

func start(t *testing.T, as string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), role+"="+as)
	out, err := p.StdoutPipe()
	check.Must(t, err)
	check.Must(t, p.Start())
	if strings.HasPrefix(as, "server") {
		lines := bufio.NewScanner(out)
		lines.Scan()
		p.first = lines.Text()
	}
	t.Cleanup(p.kill)
	return p
}

func (p *process) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// barriers is a sweep of a number of runs.
func barriers(t *testing.T, n int, keep sweep.Keeper) *sweep.Sweep {
	t.Helper()
	base := musubi.Usual()
	base.Workload, base.Machine, base.Ranks, base.Set = "barrier", "rhinet2", 4, map[string]string{"orders": "2"}
	plan := sweep.Plan{}
	for seed := range uint64(n / 2) {
		plan.Seeds = append(plan.Seeds, seed+1)
	}
	s, err := sweep.New(sweep.Grid{Base: base, Axes: []sweep.Axis{{Name: "routing", Values: []string{"updown", "dl"}}}}, plan, "v1", keep)
	check.Must(t, err)
	return s
}

func resultsOf(t *testing.T, s *sweep.Sweep) string {
	t.Helper()
	r, err := s.Results()
	check.Must(t, err)
	text, err := json.Marshal(r)
	check.Must(t, err)
	return string(text)
}

// undisturbed is what a sweep gives on this computer.
func undisturbed(t *testing.T, n int) string {
	t.Helper()
	s := barriers(t, n, nil)
	check.Must(t, s.Run(t.Context(), sweep.NewPool(t.Context(), 2, sweep.Run)))
	return resultsOf(t, s)
}

// counted is a store that counts how many outcomes it gets.
type counted struct {
	*store.Store
	added int
}

func (c *counted) Keep(task sweep.Task, d sweep.Done) error {
	c.added++
	return c.Store.Keep(task, d)
}

func newStore(t *testing.T) *counted {
	t.Helper()
	s, err := store.Open(filepath.Join(t.TempDir(), "sweep.db"))
	check.Must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return &counted{Store: s}
}

// A server in this process, two workers, and tasks that are submitted twice.
func TestResultsAreThoseOfOneComputer(t *testing.T) {
	server, err := queue.Serve("127.0.0.1:0", check.ServerDir(t))
	check.Must(t, err)
	defer server.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	q, err := queue.Dial(ctx, server.URL, "v1")
	check.Must(t, err)
	go func() { _ = queue.Work(ctx, server.URL, "v1", 2, sweep.Run) }()
	keep := newStore(t)
	s := barriers(t, 8, keep)
	check.Must(t, s.Run(ctx, twice{q}))
	if got, want := resultsOf(t, s), undisturbed(t, 8); got != want || keep.added != 8 {
		t.Errorf("%d results are kept:\n%s\nexpected 8:\n%s", keep.added, got, want)
	}
	// Another sweep takes the results that the server has, and no worker is needed.
	again, err := queue.Dial(ctx, server.URL, "v1")
	check.Must(t, err)
	stop2, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	s = barriers(t, 8, nil)
	check.Must(t, s.Run(stop2, again))
}

// twice submits all tasks two times.
type twice struct{ *queue.Queue }

func (q twice) Submit(tasks []sweep.Task) error {
	if err := q.Queue.Submit(tasks); err != nil {
		return err
	}
	return q.Queue.Submit(tasks)
}

// A worker waits for a server that is not there, and says so, without the token.
func TestWorkersTellWhatTheyWaitFor(t *testing.T) {
	const url = "nats://secret@127.0.0.1:1"
	ctx, stop := context.WithCancel(t.Context())
	told, ended := make(chan string, 10), make(chan error)
	tell := queue.Tell(url, func(format string, args ...any) { told <- fmt.Sprintf(format, args...) })
	go func() { ended <- queue.Work(ctx, url, "v1", 1, sweep.Run, tell) }()
	text := <-told
	stop()
	<-ended
	if !strings.HasPrefix(text, "no connection to nats://127.0.0.1:1: ") || strings.Contains(text, "secret") {
		t.Errorf("a worker without a server tells %q; expected the URL, without the token", text)
	}
}

func TestWhatCannotTravelIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.toml")
	check.Must(t, os.WriteFile(file, nil, 0o600))
	submitted := func(machine string) error {
		return new(queue.Queue).Submit([]sweep.Task{{Scenario: musubi.Scenario{Machine: machine}}})
	}
	check.Error(t, submitted("live"), "machine live is this computer")
	check.Error(t, submitted(file), "mine.toml is a file of this computer")
	_, err := queue.Dial(t.Context(), "nats://secret@127.0.0.1:1", "v1")
	check.Error(t, err, "no connection to nats://127.0.0.1:1")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("%v tells the token", err)
	}
	_, err = queue.Serve("somewhere", t.TempDir())
	check.Error(t, err, `address "somewhere"; expected host:port`)
}

// While workers are killed one after the other, and the server is killed and started again twice, all
// runs give one result each, and the bytes of a sweep that nobody disturbs.
func TestNothingIsLostOrDoubled(t *testing.T) {
	runs, every, wait := 40, time.Second, " 150ms"
	switch {
	case *nightly:
		runs, every, wait = 200, 5*time.Second, " 600ms"
	case !*long:
		t.Skip("takes 20 s; run it with -long, or in full with -nightly")
	}
	address, folder := check.FreeAddress(), check.ServerDir(t)
	server := start(t, "server "+address+" "+folder)
	workers := make([]*process, 3)
	for i := range workers {
		workers[i] = start(t, "worker "+server.first+wait)
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	q, err := queue.Dial(ctx, server.first, "v1")
	check.Must(t, err)
	keep := newStore(t)
	s := barriers(t, runs, keep)
	ended := make(chan error, 1)
	var done int
	progress := make(chan int, runs)
	s.Progress = func(n, _ int) { progress <- n }
	go func() { ended <- s.Run(ctx, q) }()
	kills, restarts := 0, 0
	// A task comes again after a fixed time. Were the kills regular too, they could hit the same task each time.
	random := rand.New(rand.NewPCG(1, 1))
	next := func() <-chan time.Time { return time.After(every/2 + time.Duration(random.Int64N(int64(every)))) }
	for kill := next(); ; {
		select {
		case done = <-progress:
			if done >= (restarts+1)*runs/3 && restarts < 2 {
				restarts++
				server.kill()
				server = start(t, "server "+address+" "+folder)
			}
			continue
		case <-kill:
			kill = next()
			workers[kills%3].kill()
			workers[kills%3] = start(t, "worker "+server.first+wait)
			kills++
			continue
		case err := <-ended:
			check.Must(t, err)
		}
		break
	}
	t.Logf("%d workers and %d servers were killed", kills, restarts)
	n, err := keep.Count()
	check.Must(t, err)
	if n != runs || keep.added != runs || restarts != 2 || kills < 2 {
		t.Errorf("%d results, %d of them added, %d kills, %d restarts; expected %d, all added once, some kills and 2 restarts", n, keep.added, kills, restarts, runs)
	}
	if got, want := resultsOf(t, s), undisturbed(t, runs); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
