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
