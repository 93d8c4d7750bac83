package report_test

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"musubi/report"
)

func ExamplePlot() {
	p := report.NewPlot(report.Column{Name: "size", Unit: "B"}, report.Column{Name: "time", Unit: "us"})
	p.Add("slow", []float64{0, 64}, []float64{2, 18})
	p.Add("steps", []float64{0, 32, 32, 64}, []float64{1, 1, 9, 9})
	p.Print(os.Stdout)
	// Output:
	// time [us]
	//       20 ┤
	//          │
	//          │                                                            sssss
	//          │                                                       sssss
	//       15 ┤                                                  sssss
	//          │                                             sssss
	//          │                                        sssss
	//          │                                   sssss
	//       10 ┤                              sssss
	//          │                         sssss   tttttttttttttttttttttttttttttttt
	//          │                    sssss
	//          │               sssss
	//        5 ┤          sssss
	//          │     sssss
	//          │sssss
	//          │ttttttttttttttttttttttttttttttttt
	//        0 ┤
	//          └─────────────────────────────────────────────────────────────────
	//           0                                                              64
	//           size [B]; s: slow, t: steps
}

// Charts of anything have as many lines, and every curve within the axes is seen.
func TestPlotsOfAnything(t *testing.T) {
	for _, ys := range [][]float64{nil, {0, 0}, {1, 1}, {-1, 1}, {-7, -3}, {1e-9, 3e-9}, {1e12, 9.99e12}, {9.99, 10.01}, {math.NaN(), 1}, {math.Inf(1), 1}} {
		xs := []float64{3, 4}[:len(ys)]
		p := report.NewPlot(report.Column{Name: "x"}, report.Column{Name: "y"})
		p.Add("curve", xs, ys)
		p.Add("curve", xs, ys)
		var b bytes.Buffer
		if err := p.Print(&b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		if len(lines) != 22 {
			t.Errorf("%v: %d lines", ys, len(lines))
		}
		finite := len(ys) > 0 && !math.IsNaN(ys[0]) && !math.IsInf(ys[0], 0)
		if seen := strings.Count(strings.Join(lines[1:18], ""), "c"); finite && seen != 65 {
			t.Errorf("%v: the curve is drawn in %d of 65 columns", ys, seen)
		}
		if want := "c: curve, u: curve"; !strings.Contains(lines[20], want) {
			t.Errorf("%v: below it stands %q; want %q", ys, lines[20], want)
		}
	}
}

// labels returns the numbers on the vertical axis of the chart of one curve.
func labels(t *testing.T, xs, ys []float64) (numbers, lines []string) {
	t.Helper()
	p := report.NewPlot(report.Column{Name: "x"}, report.Column{Name: "y"})
	p.Add("curve", xs, ys)
	var b bytes.Buffer
	if err := p.Print(&b); err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(b.String(), "\n")
	for _, line := range lines {
		if number, _, found := strings.Cut(line, "┤"); found {
			numbers = append(numbers, strings.TrimSpace(number))
		}
	}
	return numbers, lines
}

// The vertical axis is divided at round numbers, contains 0 and all values, and is no longer
// than it has to be.
func TestAxisIsRound(t *testing.T) {
	for _, c := range []struct {
		ys   []float64
		want string
	}{
		{[]float64{0, 40}, "40 30 20 10 0"},
		{[]float64{0, 41}, "80 60 40 20 0"},
		{[]float64{0, 8}, "8 6 4 2 0"},
		{[]float64{0, 10}, "10 7.5 5 2.5 0"},
		{[]float64{3, 20}, "20 15 10 5 0"},
		{[]float64{-10, 30}, "30 20 10 0 -10"},
		{[]float64{-1, 39}, "60 40 20 0 -20"},
		{[]float64{-7, -3}, "0 -2 -4 -6 -8"},
		{[]float64{-9, 0}, "0 -2.5 -5 -7.5 -10"},
	} {
		if got, _ := labels(t, []float64{5, 6}, c.ys); strings.Join(got, " ") != c.want {
			t.Errorf("values %v stand beside %v; expected %s", c.ys, got, c.want)
		}
	}
}

// A straight line is straight, wherever its x begin.
func TestLinesAreStraight(t *testing.T) {
	_, lines := labels(t, []float64{100, 164}, []float64{0, 64})
	for row, line := range lines[1:18] {
		height := float64(80*(16-row)) / 16 // of the middle of the row
		_, area, _ := strings.Cut(strings.ReplaceAll(line, "┤", "│"), "│")
		for column, mark := range area {
			if y := float64(column); mark == 'c' && math.Abs(y-height) > 2.5 {
				t.Errorf("the line through (100, 0) and (164, 64) is drawn at (%v, %v)", 100+y, height)
			}
		}
	}
}
