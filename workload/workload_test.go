package workload

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"

	"musubi/units"
)

// set makes settings of "name=value" texts.
func set(assignments ...string) map[string]string {
	settings := map[string]string{}
	for _, a := range assignments {
		name, value, _ := strings.Cut(a, "=")
		settings[name] = value
	}
	return settings
}

func must(t *testing.T, name string, settings map[string]string, env Env) []Row {
	t.Helper()
	rows := run(t, name, settings, env)
	return rows.All()
}

func run(t *testing.T, name string, settings map[string]string, env Env) Rows {
	t.Helper()
	rows, err := runIdeal(name, settings, env)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Four ranks on each of the switches of a chain.
func chain(ranks int) Env {
	at := func(rank int) int { return rank / 4 }
	return Env{
		Ranks: ranks, Payload: 1792, InFlight: 1, Seed: 1,
		SwitchOf:     at,
		PathSwitches: func(from, to int) int { return max(at(from)-at(to), at(to)-at(from)) + 1 },
	}
}

func TestClosedLoopIsMeanOfSendersBandwidth(t *testing.T) {
	rows := must(t, "pattern", set("pattern=bit-reversal,all-to-all", "bytes=8,1792"), chain(64))
	if want := 2 * 2 * (1 + 16); len(rows) != want {
		t.Fatalf("%d rows, want %d: for two patterns and two sizes a mean and 16 senders", len(rows), want)
	}
	for i, r := range rows {
		near(t, "bandwidth", r.Value, float64(r.Bytes)/(2+float64(r.Bytes)/1000))
		if isMean := i%17 == 0; isMean != (r.Label("sender") == nil) {
			t.Errorf("row %d: sender is %v", i, r.Label("sender"))
		}
	}
	// Switch 1 sends to switch 8: from rank 4 to rank 33.
	if r := rows[2]; r.Label("sender") != 4 || r.Label("receiver") != 33 || r.Label("switches") != 8 {
		t.Errorf("second sender of bit-reversal: %v", r.Labels)
	}
}

func TestClosedLoopIsUniformWherePermutationsDoNotFit(t *testing.T) {
	for ranks, want := range map[int]string{64: "bit-reversal", 48: "uniform"} {
		rows := must(t, "pattern", set("bytes=8"), chain(ranks))
		if got := rows[0].Label("pattern"); got != want {
			t.Errorf("%d ranks: %v, want %v", ranks, got, want)
		}
	}
}

func TestClosedLoopPairsRanksOnMachinesWithoutSwitches(t *testing.T) {
	for _, pattern := range patternNames() {
		rows := must(t, "pattern", set("pattern="+pattern, "bytes=64"), Env{Ranks: 32})
		if len(rows) != 17 {
			t.Errorf("%s: %d rows, want a mean and 16 senders", pattern, len(rows))
		}
	}
}

func TestBarrierCrossesThePathTwicePerStep(t *testing.T) {
	const crossing = 1 + 0.001*wordSize
	for _, n := range []int{2, 3, 4, 5, 8, 64} {
		rows := slices.DeleteFunc(must(t, "barrier", set("orders=3"), Env{Ranks: n}), func(r Row) bool { return r.Metric != "barrier" })
		if len(rows) != 4 {
			t.Fatalf("%d rows, want a mean and three orders", len(rows))
		}
		steps := float64(bits.Len(uint(n - 1)))
		// Gathering: message and answer. Releasing: message and completion, which
		// on the ideal machine takes 1 us.
		want := steps * (2*crossing + crossing + 1)
		for _, r := range rows {
			if n&(n-1) == 0 {
				near(t, fmt.Sprintf("%d ranks", n), r.Value, want)
			} else if r.Value > want {
				t.Errorf("%d ranks: %v us, want at most %v", n, r.Value, want)
			}
		}
	}
}

func TestDisseminationTakesOneCrossingPerStep(t *testing.T) {
	for _, n := range []int{2, 3, 7, 8, 33} {
		rows := must(t, "barrier", set("algorithm=dissemination", "orders=2"), Env{Ranks: n})
		steps := float64(bits.Len(uint(n - 1)))
		// With one step, a rank waits for the completion of the last one instead.
		want := max(steps*(1+0.001*wordSize), 2+0.001*wordSize)
		near(t, fmt.Sprintf("%d ranks", n), rows[0].Value, want)
	}
}

func TestBarrierHoldsBackEveryone(t *testing.T) {
	for name, algorithm := range map[string]func(*node) func() error{"multicast": newTreeBarrier, "dissemination": newDissemination} {
		for n := 2; n <= 20; n++ {
			checkBarrier(t, name, algorithm, n)
		}
	}
}

func TestTrafficOfTheOpenLoop(t *testing.T) {
	w, _ := Lookup("pattern")
	plan, err := w.Prepare(set("loop=open", "pattern=uniform", "load=0.05..0.2:0.05,0.9", "flits=16", "measure=7us"), chain(10))
	if err != nil {
		t.Fatal(err)
	}
	tr := plan.Traffic
	if !slices.Equal(tr.Loads, []float64{0.05, 0.1, 0.15, 0.2, 0.9}) || tr.Flits != 16 || tr.Measure != 7*units.Microsecond || tr.Warmup >= 0 {
		t.Errorf("got %+v", tr)
	}
	plan, err = w.Prepare(set("load=0.5", "loop=open"), chain(16))
	if err != nil {
		t.Fatal(err)
	}
	if tr := plan.Traffic; tr.Pattern != "uniform" || tr.Flits != 0 || tr.Bytes != 1792 {
		t.Errorf("%s with packets of %d flits and %d bytes, want uniform with the largest packet", tr.Pattern, tr.Flits, tr.Bytes)
	}
}

// Both loops together are each of them with the same pattern and packets.
func TestBothLoops(t *testing.T) {
	w, _ := Lookup("pattern")
	env := chain(32)
	plan, err := w.Prepare(set("loop=closed,open", "load=0.3", "rounds=2"), env)
	if err != nil {
		t.Fatal(err)
	}
	open, err := w.Prepare(set("loop=open", "load=0.3"), env)
	if err != nil {
		t.Fatal(err)
	}
	a, b := *plan.Traffic, *open.Traffic
	a.Destinations, b.Destinations = nil, nil
	if plan.Program == nil || !reflect.DeepEqual(a, b) {
		t.Errorf("traffic %+v, program: %v; expected traffic %+v and a program", a, plan.Program != nil, b)
	}
	for setting, want := range map[string]string{
		"warmup=3":                     "warmup=3: has no meaning with loop=closed,open",
		"pattern=uniform,bit-reversal": "the open loop takes one pattern at a time",
		"bytes=8,16":                   "the open loop takes one size at a time",
		"loop=ajar":                    "loop=ajar: expected all, or a list out of closed, open",
	} {
		settings := set("loop=closed,open")
		maps.Copy(settings, set(setting))
		if _, err := w.Prepare(settings, env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; expected one with %q", setting, err, want)
		}
	}
}

func TestLoopIsClosedWhereEverySwitchHasTwoRanks(t *testing.T) {
	w, _ := Lookup("pattern")
	env := chain(64)
	for ranks, open := range map[int]bool{64: false, 61: true} {
		env.Ranks = ranks
		plan, err := w.Prepare(nil, env)
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Traffic != nil; got != open {
			t.Errorf("%d ranks: open loop is %v, want %v", ranks, got, open)
		}
	}
}

// Interfaces that cannot reach all of memory need copies otherwise.
func TestMessagesLieWhereTheInterfaceCanFetchThem(t *testing.T) {
	for _, test := range []struct {
		workload string
		settings map[string]string
	}{
		{"pingpong", set("bytes=1000", "mechanism=all", "copy=all")},
		{"stream", set("bytes=1000", "mechanism=all", "copy=all")},
		{"botf", set("bytes=1000")},
		{"pattern", set("bytes=1000")},
		{"pattern", set("bytes=1000", "mechanism=botf")},
	} {
		world := ideal{latency: units.Microsecond}
		if _, err := world.measure(test.workload, test.settings, Env{Ranks: 2, BOTF: 1000}); err != nil {
			t.Fatal(err)
		}
		// Results and the like are short.
		if world.misplaced >= 1000 {
			t.Errorf("%s %v: %d bytes were sent from the wrong memory", test.workload, test.settings, world.misplaced)
		}
	}
}

func TestProgressEndsWhole(t *testing.T) {
	for _, w := range All() {
		if w == intruderWorkload { // nothing checks accesses here
			continue
		}
		env, settings := Env{Ranks: 8, BOTF: 64}, map[string]string{}
		if w == traceWorkload {
			settings["file"] = "../examples/schedules/pipeline.goal"
			env.Ranks = w.Ranks(settings)
		}
		rows := run(t, w.Name, settings, env)
		if rows.Done() != 1 {
			t.Errorf("%s: %v done at its end", w.Name, rows.Done())
		}
	}
}
