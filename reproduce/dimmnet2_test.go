package reproduce

import (
	"strings"
	"testing"
)

// lookup returns a function that finds what the cell of an item that begins in a
// certain way gives.
func lookup(t *testing.T, cells []Cell) func(item, cell string) float64 {
	return func(item, cell string) float64 {
		t.Helper()
		for _, c := range cells {
			if strings.HasPrefix(c.Item, item) && c.Cell == cell {
				return c.Got
			}
		}
		t.Fatalf("no cell %q of an item %q", cell, item)
		return 0
	}
}

// What has to hold of the predictions for DIMMnet-2, whatever the figures are.
func TestDIMMnet2(t *testing.T) {
	cells, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	got := lookup(t, cells)
	less := func(item, cell, thanItem, thanCell string) {
		t.Helper()
		if a, b := got(item, cell), got(thanItem, thanCell); !(a < b) {
			t.Errorf("%s, %s gives %.4g; expected less than %.4g of %s, %s", item, cell, a, b, thanItem, thanCell)
		}
	}
	const trips = dimmnet2HalfTrip
	for _, v := range []string{"not copied", "copied by a cached window", "copied by an uncached window"} {
		less(trips, "PUSH, "+v, trips, "IPUSH, "+v)
		for _, slower := range []string{"PC2100 PC1600", "PC2700 PC2100", "PC3200 PC2700"} {
			faster, slower, _ := strings.Cut(slower, " ")
			item := func(memory string) string {
				if memory == "PC1600" {
					return trips
				}
				return "half a round trip of 8 B with faster memory, " + memory
			}
			less(item(faster), "PUSH, "+v, item(slower), "PUSH, "+v)
		}
	}
	for _, m := range []string{"BOTF", "PUSH", "IPUSH"} {
		less(trips, m+", not copied", trips, m+", copied by a cached window")
	}
	const curve = "bandwidth, ping-pong: "
	for _, m := range []string{"PUSH", "IPUSH"} {
		less(curve+m+", copied by an uncached window", "512KiB", curve+m+", copied by a cached window", "512KiB")
		less(curve+m+", copied by a cached window", "512KiB", curve+m+", not copied", "512KiB")
	}
	less(curve+"IPUSH, not copied", "512KiB", curve+"PUSH, not copied", "512KiB")
	less("half a round trip of 8 B by IPUSH", "dimmnet2", "half a round trip of 8 B by IPUSH", "vpush")
	if !*nightly {
		return
	}
	const botf = "continuous BOTF, cache "
	for _, size := range []string{"8B", "64B", "496B"} {
		less(botf+"cold, windows in turn: 1", size, botf+"warm, windows in turn: 1", size)
		less(botf+"warm, windows in turn: 1", size, botf+"warm, windows in turn: 2", size)
	}
}

// Some predictions are of figures that were known from the start, though nothing was chosen for
// them: the partners in the NAS benchmarks are counted.
func TestKnownPredictions(t *testing.T) {
	if !*nightly {
		t.Skip("only with -nightly")
	}
	cells, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, c := range cells {
		if c.Source != "dimmnet2" || c.Kind != Predicted || c.Published == nil || errorBands[c.Item] != 0 {
			continue
		}
		known++
		if off := *c.Error; off < -0.001 || off > 0.001 {
			t.Errorf("%s, %s: got %.4g, published %.4g", c.Item, c.Cell, c.Got, *c.Published)
		}
	}
	if want := 2 * len(areas); known != want {
		t.Errorf("%d predictions of known figures, want %d", known, want)
	}
}

func TestBreakdownWithoutSuchAStep(t *testing.T) {
	var d breakdown
	if _, err := d.clocks("push-receive", "rest"); err == nil || !strings.Contains(err.Error(), `no step "rest" in path "push-receive"`) {
		t.Errorf("error %v", err)
	}
	if _, err := d.microseconds("rest", "rest"); err == nil {
		t.Error("a step that is not there has a time")
	}
}
