package rank

import (
	"reflect"
	"testing"

	"musubi/rma"
)

// Elements in a row are copied as a whole, as MPI's windows name all memory by layouts.
func TestElementsInARowAreContiguous(t *testing.T) {
	for _, c := range []struct {
		layout rma.Layout
		row    bool
	}{
		{rma.Layout{}, true},
		{rma.Strided(100, 100, 3), true},
		{rma.Strided(300, 7, 1), true},
		{rma.Strided(100, 101, 3), false},
		{rma.List(300, 5), false}, // begins later
		{rma.Strided(0, 0, 3), false},
	} {
		got := plain(c.layout)
		if got.IsContiguous() != c.row || !c.row && !reflect.DeepEqual(got, c.layout) {
			t.Errorf("%+v becomes %+v; in a row: %t", c.layout, got, c.row)
		}
	}
	if got := len(cut(make([]byte, 400), &rma.Layout{Element: 100, Stride: 100, Count: 3}, 300)); got != 300 {
		t.Errorf("%d bytes of memory; expected 300", got)
	}
}
