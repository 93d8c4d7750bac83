package traffic

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ideal"
)

func TestClosedLoopIsMeanOfSendersBandwidth(t *testing.T) {
	rows := ideal.Rows(t, Pattern, ideal.Set("pattern=bit-reversal,all-to-all", "bytes=8,1792"), ideal.Chain(64))
	if want := 2 * 2 * (1 + 16); len(rows) != want {
		t.Fatalf("%d rows, want %d: for two patterns and two sizes a mean and 16 senders", len(rows), want)
	}
	for i, r := range rows {
		ideal.Near(t, "bandwidth", r.Value, float64(r.Bytes)/(2+float64(r.Bytes)/1000))
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
		rows := ideal.Rows(t, Pattern, ideal.Set("bytes=8"), ideal.Chain(ranks))
		if got := rows[0].Label("pattern"); got != want {
			t.Errorf("%d ranks: %v, want %v", ranks, got, want)
		}
	}
}

func TestClosedLoopPairsRanksOnMachinesWithoutSwitches(t *testing.T) {
	for _, pattern := range patternsWithoutGroups() {
		rows := ideal.Rows(t, Pattern, ideal.Set("pattern="+pattern, "bytes=64"), workload.Env{Ranks: 32})
		if len(rows) != 17 {
			t.Errorf("%s: %d rows, want a mean and 16 senders", pattern, len(rows))
		}
	}
}

// A network without groups has no pattern of groups, and all are those that it has.
func TestAllPatternsOfANetworkWithoutGroups(t *testing.T) {
	seen := map[any]bool{}
	for _, r := range ideal.Rows(t, Pattern, ideal.Set("pattern=all", "bytes=64"), ideal.Chain(64)) {
		seen[r.Label("pattern")] = true
	}
	if want := len(patternNames()) - 1; len(seen) != want || seen[nextGroupPattern] {
		t.Errorf("all are %v; want %d, without %s", seen, want, nextGroupPattern)
	}
}

func TestTrafficOfTheOpenLoop(t *testing.T) {
	w := Pattern
	plan, err := w.Prepare(ideal.Set("loop=open", "pattern=uniform", "load=0.05..0.2:0.05,0.9", "flits=16", "measure=7us"), ideal.Chain(10))
	if err != nil {
		t.Fatal(err)
	}
	tr := plan.Traffic
	if !slices.Equal(tr.Loads, []float64{0.05, 0.1, 0.15, 0.2, 0.9}) || tr.Flits != 16 || tr.Measure != 7*units.Microsecond || tr.Warmup >= 0 {
		t.Errorf("got %+v", tr)
	}
	plan, err = w.Prepare(ideal.Set("load=0.5", "loop=open"), ideal.Chain(16))
	if err != nil {
		t.Fatal(err)
	}
	if tr := plan.Traffic; tr.Pattern != "uniform" || tr.Flits != 0 || tr.Bytes != 1792 {
		t.Errorf("%s with packets of %d flits and %d bytes, want uniform with the largest packet", tr.Pattern, tr.Flits, tr.Bytes)
	}
}

// Both loops together are each of them with the same pattern and packets.
func TestBothLoops(t *testing.T) {
	w := Pattern
	env := ideal.Chain(32)
	plan, err := w.Prepare(ideal.Set("loop=closed,open", "load=0.3", "rounds=2"), env)
	if err != nil {
		t.Fatal(err)
	}
	open, err := w.Prepare(ideal.Set("loop=open", "load=0.3"), env)
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
		settings := ideal.Set("loop=closed,open")
		maps.Copy(settings, ideal.Set(setting))
		if _, err := w.Prepare(settings, env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; expected one with %q", setting, err, want)
		}
	}
}

func TestLoopIsClosedWhereEverySwitchHasTwoRanks(t *testing.T) {
	w := Pattern
	env := ideal.Chain(64)
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
