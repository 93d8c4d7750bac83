package reproduce

import (
	"math"
	"testing"
)

// TestCalibratedAndDerivedCellsComeOut holds the machines to what their files
// say that they were calibrated on.
func TestCalibratedAndDerivedCellsComeOut(t *testing.T) {
	cells, err := Run(t.Context(), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	count := map[Kind]int{}
	for _, c := range cells {
		count[c.Kind]++
		if name := c.Source + c.Item + c.Cell; seen[name] {
			t.Errorf("cell %q of %q stands twice", c.Cell, c.Item)
		} else {
			seen[name] = true
		}
		if c.Kind == Predicted {
			if !(c.Got > 0) {
				t.Errorf("%s, %s: predicted %v %s", c.Item, c.Cell, c.Got, c.Unit)
			}
			continue
		}
		if c.Error == nil || math.Abs(*c.Error) > 0.02 {
			t.Errorf("%s, %s: got %.4g %s, published %.4g", c.Item, c.Cell, c.Got, c.Unit, *c.Published)
		}
	}
	for _, kind := range []Kind{Calibrated, Derived, Predicted} {
		if count[kind] == 0 {
			t.Errorf("no cell is %s", kind)
		}
	}
}

func TestUnknownSource(t *testing.T) {
	const want = `unknown source "rhinet3"; known: rhinet2`
	if _, err := Run(t.Context(), "rhinet3", 1); err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
