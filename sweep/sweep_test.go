package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/report/ordered"
)

// noisy is a runner whose latency scatters with the seed, less with more virtual channels, and whose
// network saturates from a load on.
func noisy(_ context.Context, s musubi.Scenario) (Outcome, error) {
	load, _ := strconv.ParseFloat(s.Set["load"], 64)
	if s.Routing == "none" {
		return Outcome{Refused: "no such routing"}, nil
	}
	value := 100 + rand.New(rand.NewPCG(s.Seed, 1)).NormFloat64()*20/float64(1+s.VCs)
	return Outcome{Result: json.RawMessage(fmt.Sprintf(
		`{"rows":[{"metric":"latency","unit":"us","bytes":8,"value":%g},{"metric":"throughput","unit":"fraction","saturated":%v,"value":0.5}]}`, value, load > 0.35))}, nil
}

// shuffled is an executor that ends runs in any order, some of them twice.
type shuffled struct {
	rng  *rand.Rand
	run  Runner
	open []Task
	runs int
}

func (e *shuffled) Submit(tasks []Task) error { e.open = append(e.open, tasks...); return nil }

func (e *shuffled) Done() <-chan Done {
	done := make(chan Done, 1)
	if len(e.open) > 0 {
		i := e.rng.IntN(len(e.open))
		done <- Perform(context.Background(), e.run, e.open[i])
		e.runs++
		if e.rng.IntN(3) > 0 {
			e.open = slices.Delete(e.open, i, i+1)
		}
	}
	return done
}

// memory is a Keeper that counts.
type memory struct {
	kept map[string]Outcome
	adds int
	stop int // fails when it has so many
}

var errFull = errors.New("full")

func (m *memory) Kept(key string) (*Outcome, error) {
	if o, ok := m.kept[key]; ok {
		return &o, nil
	}
	return nil, nil
}

func (m *memory) Keep(t Task, d Done) error {
	if len(m.kept) == m.stop {
		return errFull
	}
	m.adds++
	m.kept[t.Key] = d.Outcome
	return nil
}

func text(t *testing.T, s *Sweep) string {
	r, err := s.Results()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(ordered.Object{{Name: "results", Value: r}})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Whatever the order in which runs end, and wherever a sweep is stopped and goes on, the results are
// the same bytes, and each run is kept once.
func TestOrderAndStopsDoNotMatter(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		base := musubi.Usual()
		base.Workload = "pattern"
		g := Grid{base, []Axis{{"routing", []string{"dl", "none", "updown"}}, {"vcs", []string{"1", "4"}}}}
		plan := Plan{Until: []float64{0, 0.01, 0.05}[rng.IntN(3)], Seeds: []uint64{1, 2, 3, 4, 5, 6, 7, 8}[:1+rng.IntN(8)]}
		if rng.IntN(2) == 0 {
			plan.Loads = []string{"0.1", "0.2", "0.3", "0.4", "0.5"}
		}
		whole, err := New(g, plan, "v", nil)
		check.Must(t, err)
		check.Must(t, whole.Run(t.Context(), NewPool(t.Context(), 2, noisy)))

		kept := &memory{kept: map[string]Outcome{}}
		for {
			kept.stop += rng.IntN(80) + 1
			part, err := New(g, plan, "v", kept)
			check.Must(t, err)
			err = part.Run(t.Context(), &shuffled{rng: rng, run: noisy})
			if errors.Is(err, errFull) {
				continue
			}
			check.Must(t, err)
			if got, want := text(t, part), text(t, whole); got != want {
				t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, got, want)
			}
			break
		}
		if r, _ := whole.Results(); kept.adds != len(r.Runs) {
			t.Fatalf("seed %d: %d runs are kept; expected %d, each once", seed, kept.adds, len(r.Runs))
		}
	}
}

// Repeats end as soon as the interval is narrow, and not before.
func TestRepeatsUntilAnIntervalIsNarrow(t *testing.T) {
	base := musubi.Usual()
	var few int
	for _, c := range []struct {
		vcs   string
		until float64
	}{{"9", 0.05}, {"0", 0.05}, {"0", 0.03}} {
		plan := Plan{Until: c.until}
		for seed := range uint64(1000) {
			plan.Seeds = append(plan.Seeds, seed)
		}
		s, err := New(Grid{base, []Axis{{"vcs", []string{c.vcs}}}}, plan, "", nil)
		check.Must(t, err)
		check.Must(t, s.Run(t.Context(), NewPool(t.Context(), 2, noisy)))
		r, err := s.Results()
		check.Must(t, err)
		if m := r.Means[0]; m.Relative() > c.until || m.Runs <= few || m.Runs == 1000 {
			t.Errorf("%v: %d repeats give ±%g; expected more than %d", c, m.Runs, m.Relative(), few)
		}
		few = r.Means[0].Runs
	}
}

func TestLoadsRiseUntilSaturation(t *testing.T) {
	base := musubi.Usual()
	plan := Plan{Loads: []string{"0.1", "0.2", "0.3", "0.4", "0.5"}}
	s, err := New(Grid{Base: base}, plan, "", nil)
	check.Must(t, err)
	check.Must(t, s.Run(t.Context(), NewPool(t.Context(), 2, noisy)))
	r, err := s.Results()
	check.Must(t, err)
	if last := r.Means[len(r.Means)-1]; len(r.Runs) != 4 || last.Metric != "saturation" || last.Value != 0.3 {
		t.Errorf("%d runs, and %v; expected 4, and saturation 0.3", len(r.Runs), last)
	}
}

// A run that fails is left out, and told of; the others count.
func TestFailuresAreTold(t *testing.T) {
	g := Grid{musubi.Usual(), []Axis{{"vcs", []string{"1", "2", "3"}}}}
	s, err := New(g, Plan{}, "", nil)
	check.Must(t, err)
	err = s.Run(t.Context(), NewPool(t.Context(), 2, func(ctx context.Context, s musubi.Scenario) (Outcome, error) {
		if s.VCs == 2 {
			return Outcome{}, errors.New("out of luck")
		}
		return noisy(ctx, s)
	}))
	check.Error(t, err, "1 of 3 runs have failed: out of luck")
	if r, err := s.Results(); err != nil || len(r.Runs) != 2 {
		t.Errorf("%d runs, error %v; expected 2", len(r.Runs), err)
	}
}

// The interval is that of Student's t: of 1, 2, 3 with 2 degrees of freedom it is 4.3027/sqrt(3).
func TestIntervals(t *testing.T) {
	mean, half := interval([]float64{1, 2, 3})
	if mean != 2 || fmt.Sprintf("%.3f", half) != "2.484" {
		t.Errorf("%g ± %g; expected 2 ± 2.484", mean, half)
	}
}

// A run is named by all that can change its outcome, and by nothing else.
func TestKeys(t *testing.T) {
	key := func(change func(*musubi.Scenario), version string) string {
		s := musubi.Usual()
		s.Workload, s.Set = "barrier", map[string]string{"a": "1", "b": "2"}
		change(&s)
		task, err := newTask(s, version)
		check.Must(t, err)
		return task.Key
	}
	same := func(*musubi.Scenario) {}
	if first, again := key(same, "1"), key(same, "1"); first != again {
		t.Error("equal scenarios have different names")
	}
	seen := map[string]bool{key(same, "1"): true, key(same, "2"): true}
	changes := []func(*musubi.Scenario){
		func(s *musubi.Scenario) { s.Seed = 2 },
		func(s *musubi.Scenario) { s.Set = map[string]string{"a": "1"} },
		func(s *musubi.Scenario) { s.Breakdown = true },
		func(s *musubi.Scenario) { s.Routing = "dl" },
	}
	for _, change := range changes {
		seen[key(change, "1")] = true
	}
	if len(seen) != 2+len(changes) {
		t.Errorf("%d names; expected %d", len(seen), 2+len(changes))
	}
}
