package tune

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"musubi/cmd/musubi/internal/cli"
	"musubi/internal/check"
	"musubi/tuning"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

// measuredScans are scans of 2 ranks by two algorithms and by auto, which chose another one: good, off by as much as its times scatter, off by more, and off by
// as much as those of an algorithm that is not the best.
func measuredScans() *measurements {
	m := &measurements{}
	for bytes, rounds := range map[int][3][]float64{
		8:  {{10, 11, 60, 11}, {10, 10, 10, 10}, {90, 11, 90, 11}},
		16: {{14, 21, 15, 22, 16}, {10, 10, 10, 10, 10}, {90, 90, 90, 90, 90}},
		32: {{13, 12, 13, 12}, {10, 10, 10, 10}, {90, 90, 90, 90}},
		64: {{12, 12, 12, 12}, {10, 10, 10, 10}, {90, 20, 90, 20}},
	} {
		m.addAll(place{"scan", 2, bytes}, "notes", map[string][]float64{tuning.Auto: rounds[0], "linear": rounds[1], "recursive-doubling": rounds[2]})
	}
	return m
}

// A case in which auto is off by no more than the times scatter is counted by itself.
func TestCasesWithinScatterAreUnclear(t *testing.T) {
	r := measuredScans().judge("live")
	if r.Good != 1 || r.Unclear != 1 || r.Worst != 1.4 || r.Clear != 1.2 || len(r.Cases) != 4 {
		t.Errorf("%+v; expected 1 good of 4, 1 unclear, at worst 1.4 times as long and 1.2 of the others", r)
	}
	for i, scatter := range []float64{1.1, 21. / 14, 13. / 12, 1} {
		if c := r.Cases[i]; c.Scatter != scatter {
			t.Errorf("%+v; expected a scatter of %g", c, scatter)
		}
	}
}

// Auto is as good as the algorithm that it chose: their rounds count together, and what they differ by is told.
func TestRoundsOfAutoAreOfWhatItChose(t *testing.T) {
	m := &measurements{}
	m.addAll(place{"scan", 2, 8}, "linear", map[string][]float64{tuning.Auto: {30, 40}, "linear": {15, 10}, "recursive-doubling": {20, 20}})
	r := m.judge("live")
	if c := r.Cases[0]; r.Good != 1 || c.Auto != 10 || c.Chosen != "linear" || c.Scatter != 1.5 || math.Abs(r.Choice-3) > 1e-9 {
		t.Errorf("%+v; expected auto to take 10 us as linear does, with a scatter of 1.5, and to take 3 times as long by itself", r)
	}
}

// Of one round the time of auto is its own.
func TestOneRoundOfAutoIsItsOwn(t *testing.T) {
	m := &measurements{}
	m.addAll(place{"scan", 2, 8}, "linear", map[string][]float64{tuning.Auto: {30}, "linear": {10}})
	if r := m.judge("ndr"); r.Good != 0 || r.Worst != 3 || r.Choice != 0 {
		t.Errorf("%+v; expected auto to take 3 times as long", r)
	}
}

// One round tells nothing of scatter.
func TestOneRoundDoesNotScatter(t *testing.T) {
	m := &measurements{}
	m.add(tuning.Point{Operation: "scan", Ranks: 2, Bytes: 8, Algorithm: tuning.Auto}, []float64{2})
	m.add(tuning.Point{Operation: "scan", Ranks: 2, Bytes: 8, Algorithm: "linear"}, []float64{1})
	if r := m.judge("ndr"); r.Good != 0 || r.Unclear != 0 || r.Clear != 2 || r.Cases[0].Scatter != 1 {
		t.Errorf("%+v; expected a case that is off by 2, without scatter", r)
	}
}

// Where auto is the best in all cases nothing is left to be told of the others.
func TestReportOfGoodCases(t *testing.T) {
	m := &measurements{}
	m.addAll(place{"scan", 2, 8}, "linear", map[string][]float64{tuning.Auto: {10, 11}, "linear": {10, 11}})
	var out bytes.Buffer
	f := flags{On: "live", Rounds: 5}
	if err := f.report(cli.Shared{Stdout: &out}, m.judge("live")); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "the other") || !strings.Contains(got, "in 1 of 1 cases") {
		t.Errorf("%s; expected nothing of other cases", got)
	}
}

func TestReport(t *testing.T) {
	for rounds, want := range map[int]string{
		5: `operation  ranks  bytes  auto [us]  chosen  best [us]  by      times  scatter
─────────────────────────────────────────────────────────────────────────────
scan           2     16      14.00  notes       10.00  linear   1.40     1.50
scan           2     32      12.00  notes       10.00  linear   1.20     1.08
scan           2     64      12.00  notes       10.00  linear   1.20     1.00

live: auto is within 10 % of the best algorithm in 1 of 4 cases; at worst it takes 1.40 times as long
1 of the other 3 cases are off by no more than the halves of their rounds differ; without these it takes at worst 1.20 times as long
`,
		1: `operation  ranks  bytes  auto [us]  chosen  best [us]  by      times
────────────────────────────────────────────────────────────────────
scan           2     16      14.00  notes       10.00  linear   1.40
scan           2     32      12.00  notes       10.00  linear   1.20
scan           2     64      12.00  notes       10.00  linear   1.20

live: auto is within 10 % of the best algorithm in 1 of 4 cases; at worst it takes 1.40 times as long
`,
	} {
		var out bytes.Buffer
		f := flags{On: "live", Rounds: rounds}
		if err := f.report(cli.Shared{Stdout: &out}, measuredScans().judge("live")); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimPrefix(out.String(), "\n"); got != want {
			t.Errorf("%d rounds:\n%s\nexpected\n%s", rounds, got, want)
		}
	}
}
