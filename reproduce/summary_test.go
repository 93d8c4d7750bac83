package reproduce

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSummariesAddUp compares summaries of random cells with sums over all of them.
func TestSummariesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var cells []Cell
		for _, source := range Sources()[:1+r.IntN(3)] {
			b := bench{source: source}
			for range 1 + r.IntN(20) {
				kind := Kinds()[r.IntN(len(Kinds()))]
				if r.IntN(2) == 0 {
					b.append(Cell{Item: "a", Kind: kind})
				} else {
					b.add(kind, "a", "", "us", 1+r.Float64(), 2*r.Float64())
				}
			}
			cells = append(cells, b.cells...)
		}
		count, compared := 0, 0
		for _, s := range Summarise(cells) {
			count += s.Cells
			compared += s.Compared
			sum, worst := 0.0, 0.0
			for _, c := range cells {
				if c.Source == s.Source && c.Kind == s.Kind && c.Error != nil {
					sum += math.Abs(*c.Error)
					worst = max(worst, math.Abs(*c.Error))
				}
			}
			switch {
			case s.Compared == 0 && (s.Worst != nil || s.Mean != 0):
				t.Errorf("%s, %s: got mean %v and worst %v of no comparison", s.Source, s.Kind, s.Mean, s.Worst)
			case s.Compared > 0 && (math.Abs(s.Mean*float64(s.Compared)-sum) > 1e-9 || math.Abs(*s.Worst.Error) != worst):
				t.Errorf("%s, %s: got mean %v of %d, worst %v; expected sum %v, worst %v", s.Source, s.Kind, s.Mean, s.Compared, *s.Worst.Error, sum, worst)
			}
		}
		want := 0
		for _, c := range cells {
			if c.Error != nil {
				want++
			}
		}
		if count != len(cells) || compared != want {
			t.Errorf("got %d cells, %d compared; expected %d, %d", count, compared, len(cells), want)
		}
	}
}
