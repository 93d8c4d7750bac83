package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"musubi"
	"musubi/internal/check"
	"musubi/sweep"
	"musubi/sweep/store"
)

func TestOutcomesAreKeptOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?#%.db")
	for i := range 3 { // the file is opened again each time
		s, err := store.Open(path)
		check.Must(t, err)
		o, err := s.Kept("k")
		check.Must(t, err)
		if (o == nil) != (i == 0) {
			t.Errorf("opened %d times: kept %v", i+1, o)
		}
		if o != nil && (string(o.Result) != `{"rows":[]}` || o.Refused != "") {
			t.Errorf("outcome %+v", o)
		}
		check.Must(t, s.Keep(sweep.Task{Scenario: musubi.Usual()}, sweep.Done{Key: "k", Outcome: sweep.Outcome{Result: json.RawMessage(`{"rows":[]}`)}}))
		check.Must(t, s.Keep(sweep.Task{}, sweep.Done{Key: "k", Outcome: sweep.Outcome{Refused: "later"}}))
		if n, err := s.Count(); n != 1 || err != nil {
			t.Errorf("%d outcomes, error %v; expected 1", n, err)
		}
		check.Must(t, s.Close())
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	check.Must(t, os.WriteFile(path, []byte("These are notes, and there are many of them, all of them text."), 0o600))
	_, err := store.Open(path)
	check.Error(t, err, "notes.txt cannot be the store of a sweep")
	_, err = store.Open(filepath.Join(t.TempDir(), "none", "x.db"))
	check.Error(t, err, "x.db cannot be the store of a sweep")
}

// child is the variable that names the store of a process that a test has started, to sweep until it
// is killed.
const child = "MUSUBI_STORE_TEST"

func TestMain(m *testing.M) {
	path := os.Getenv(child)
	if path == "" {
		os.Exit(m.Run())
	}
	s, err := store.Open(path)
	if err == nil {
		err = newSweep(s).Run(context.Background(), sweep.NewPool(context.Background(), 2, slowly))
	}
	fmt.Println(err)
}

// slowly takes longer with each seed, so that some runs end at once and others never.
func slowly(ctx context.Context, s musubi.Scenario) (sweep.Outcome, error) {
	time.Sleep(time.Duration(s.Seed*s.Seed) * time.Millisecond)
	return fast(ctx, s)
}

func fast(_ context.Context, s musubi.Scenario) (sweep.Outcome, error) {
	return sweep.Outcome{Result: json.RawMessage(fmt.Sprintf(`{"rows":[{"metric":"m","unit":"us","value":%d.5}]}`, s.Seed))}, nil
}

func newSweep(keep sweep.Keeper) *sweep.Sweep {
	plan := sweep.Plan{}
	for seed := range uint64(200) {
		plan.Seeds = append(plan.Seeds, seed)
	}
	s, err := sweep.New(sweep.Grid{Base: musubi.Usual()}, plan, "v", keep)
	if err != nil {
		panic(err)
	}
	return s
}

// A process that is killed in the middle leaves all outcomes that it has kept, and another one goes on
// with the rest.
func TestAKilledSweepGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sweep.db")
	s, err := store.Open(path)
	check.Must(t, err)
	defer s.Close()
	first := exec.Command(os.Args[0])
	first.Env = append(os.Environ(), child+"="+path)
	check.Must(t, first.Start())
	kept := 0
	for kept < 10 {
		kept, err = s.Count()
		check.Must(t, err)
		time.Sleep(time.Millisecond)
	}
	check.Must(t, first.Process.Kill())
	_ = first.Wait()
	kept, err = s.Count()
	check.Must(t, err)
	runs := 0
	second := newSweep(s)
	second.Progress = func(int, int) { runs++ }
	check.Must(t, second.Run(t.Context(), sweep.NewPool(t.Context(), 2, fast)))
	if n, err := s.Count(); n != 200 || runs != 200-kept || err != nil {
		t.Errorf("%d outcomes, %d before and %d runs after, error %v; expected 200, each once", n, kept, runs, err)
	}
	whole := newSweep(nil)
	check.Must(t, whole.Run(t.Context(), sweep.NewPool(t.Context(), 2, fast)))
	if got, want := text(t, second), text(t, whole); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func text(t *testing.T, s *sweep.Sweep) string {
	t.Helper()
	r, err := s.Results()
	check.Must(t, err)
	b, err := json.Marshal(r)
	check.Must(t, err)
	return string(b)
}
