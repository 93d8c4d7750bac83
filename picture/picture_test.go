package picture_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"musubi/picture"
	"musubi/report/rows"
)

var update = flag.Bool("update", false, "write the golden drawings anew")

// cases are rows and what becomes of them; the drawings are in testdata.
var cases = []struct {
	name   string
	rows   []rows.Row
	panels []string // titles
}{
	{"sizes", over(rows.Bytes, "latency", "us", runOn("ndr"), 8, 2.0, 64, 2.1, 512, 2.5, 4096, 6.0), []string{"latency"}},
	{"sizes-of-runs", slices.Concat(
		over(rows.Bytes, "bandwidth", "MB/s", runOn("ndr"), 8, 4.0, 64, 31.0, 4096, 1400.0),
		over(rows.Bytes, "bandwidth", "MB/s", runOn("tofu2"), 8, 3.0, 64, 25.0, 4096, 1100.0),
	), []string{"bandwidth"}},
	{"sizes-from-none", over(rows.Bytes, "exchange", "us", runOn("tofu2"), 0, 3.0, 8, 3.1, 64, 3.4), []string{"exchange"}},
	{"loads", saturating(), []string{"throughput"}},
	{"ranks", slices.Concat(
		over("", "barrier", "us", runOf(4), 0, 5.0), over("", "barrier", "us", runOf(16), 0, 9.0), over("", "barrier", "us", runOf(64), 0, 13.0),
	), []string{"barrier"}},
	{"one-value", over("", "barrier", "us", runOn("ndr"), 0, 5.0), []string{"barrier"}},
	{"cases", slices.Concat(
		over("", "barrier", "us", runOn("ndr"), 0, 5.0), over("", "barrier", "us", runOn("rhinet2"), 0, 9.0),
	), []string{"barrier"}},
	{"steps", steps(), []string{"steps of send", "steps of receive"}},
	{"matrix", matrix(8), []string{"bandwidth between ranks, 64 B"}},
	{"matrix-of-many", matrix(300), []string{"bandwidth between ranks, 64 B"}},
	{"distribution", over(rows.Quantile, "packet_latency", "us", runOn("ndr"), 0.0, 1.0, 0.5, 2.0, 0.9, 3.0, 1.0, 90.0), []string{"distribution of packet latency"}},
	{"many-curves", many(20), []string{"latency"}},
}

func runOn(machine string) []rows.Label {
	return []rows.Label{{Name: "workload", Value: "test"}, {Name: "machine", Value: machine}}
}

func runOf(ranks int) []rows.Label { return []rows.Label{{Name: rows.Ranks, Value: ranks}} }

// over makes rows of one metric from pairs of a place on an axis and a value.
func over(axis, metric, unit string, run []rows.Label, pairs ...any) []rows.Row {
	var list []rows.Row
	for i := 0; i < len(pairs); i += 2 {
		r := rows.Row{Run: run, Metric: metric, Unit: unit, Value: pairs[i+1].(float64)}
		if axis != "" {
			r.Axes = []rows.Label{{Name: axis, Value: pairs[i]}}
		}
		list = append(list, r)
	}
	return list
}

func saturating() []rows.Row {
	list := over(rows.Offered, "throughput", "fraction", runOn("iqrouter"), 0.1, 0.1, 0.3, 0.3, 0.5, 0.41)
	for i := range list {
		list[i].Notes = []rows.Label{{Name: "saturated", Value: i == 2}}
	}
	return list
}

func steps() []rows.Row {
	var list []rows.Row
	for _, path := range []string{"send", "receive"} {
		for i, step := range []string{"start", "read", "copy & <write>"} {
			list = append(list, rows.Row{Run: runOn("dimmnet2"), Metric: "stage", Unit: "us", Value: 0.25 * float64(i),
				Axes: []rows.Label{{Name: "path", Value: path}, {Name: rows.Step, Value: step}}})
		}
	}
	return list
}

func matrix(ranks int) []rows.Row {
	var list []rows.Row
	for sender := range ranks {
		for _, size := range []int{8, 64} {
			list = append(list, rows.Row{Run: runOn("rhinet2"), Metric: "bandwidth", Unit: "MB/s", Value: float64(size + sender),
				Axes: []rows.Label{{Name: rows.Sender, Value: sender}, {Name: rows.Receiver, Value: (sender*5 + 1) % ranks}, {Name: rows.Bytes, Value: size}}})
		}
	}
	return list
}

func many(curves int) []rows.Row {
	var list []rows.Row
	for i := range curves {
		for _, size := range []int{8, 64} {
			list = append(list, rows.Row{Run: runOn("ndr"), Metric: "latency", Unit: "us", Value: float64(size + 5*i),
				Axes: []rows.Label{{Name: "pairs", Value: i}, {Name: rows.Bytes, Value: size}}})
		}
	}
	return list
}

// The drawings are those of testdata, to the byte. Look at them after -update.
func TestDrawings(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var titles []string
			for _, p := range picture.Panels(c.rows) {
				titles = append(titles, p.Title())
			}
			if !slices.Equal(titles, c.panels) {
				t.Errorf("panels %q; expected %q", titles, c.panels)
			}
			figure, err := picture.Figure(c.rows)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := figure.WriteSVG(&got); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", c.name+".svg")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("the drawing is not %s; look at both, and use -update if the new one is better", golden)
			}
		})
	}
}

// Nobody has to see a colour to tell the curves of a panel apart.
func TestCurvesDifferWithoutColour(t *testing.T) {
	seen := map[string]bool{}
	for i := range 6 {
		var b strings.Builder
		for _, d := range picture.Dashes(i) {
			b.WriteString(" " + string(rune('0'+int(d))))
		}
		if seen[b.String()] {
			t.Errorf("curve %d has the dashes of another", i)
		}
		seen[b.String()] = true
	}
	light := 1e9
	for i := range 11 {
		c := picture.Heat(float64(i) / 10)
		grey := 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
		if grey >= light {
			t.Errorf("colour %d of the scale is no darker than the one before", i)
		}
		light = grey
	}
}

func TestNothingToDraw(t *testing.T) {
	if _, err := picture.Figure(nil); err == nil || !strings.Contains(err.Error(), "nothing to draw") {
		t.Errorf("got %v", err)
	}
}

// What runs share stands in the heading, and what they differ in beside the curves.
func TestRunsAreNamedByTheirDifferences(t *testing.T) {
	head, under := picture.Heading(cases[1].rows)
	if head != "test" || under != "" {
		t.Errorf("heading %q, %q", head, under)
	}
	figure, err := picture.Figure(cases[1].rows)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := figure.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{">ndr<", ">tofu2<"} {
		if !strings.Contains(b.String(), name) {
			t.Errorf("no curve is called %s", name)
		}
	}
}

// Networks of different sizes are told apart by their names, not by their ranks.
func TestNetworksNameCurves(t *testing.T) {
	var list []rows.Row
	for name, ranks := range map[string]int{"torus:8x8": 64, "fattree:k=4": 16} {
		for _, load := range []float64{0.1, 0.2} {
			list = append(list, rows.Row{
				Run:    []rows.Label{{Name: rows.Ranks, Value: ranks}, {Name: "topology", Value: name}},
				Metric: "throughput", Unit: "fraction", Value: load, Axes: []rows.Label{{Name: rows.Offered, Value: load}},
			})
		}
	}
	figure, err := picture.Figure(list)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := figure.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{">torus:8x8<", ">fattree:k=4<"} {
		if !strings.Contains(b.String(), name) {
			t.Errorf("no curve is called %s", name)
		}
	}
}
