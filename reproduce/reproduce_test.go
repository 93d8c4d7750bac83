package reproduce

import (
	"context"
	"flag"
	"math"
	"slices"
	"sync"
	"testing"

	"musubi/internal/check"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

var (
	long    = flag.Bool("long", false, "measure cells that take half a second and more, too")
	nightly = flag.Bool("nightly", false, "measure all cells, not only those that are quick")
)

// slower are parts of the papers that take half a second each, and two.
var slower = []source{
	{"tofu2", []func(*bench) error{tofu2Exchanges}},
	{"dimmnet2", []func(*bench) error{dimmnet2Polls, dimmnet2SWIF}},
	{"ndr", []func(*bench) error{ndrLimits}},
}

// quick are the parts of the papers that take little time.
var quick = []source{
	{"rhinet2", []func(*bench) error{rhinet2Constants, rhinet2Slopes}},
	{"dimmnet2", []func(*bench) error{
		dimmnet2Tables, dimmnet2BOTFParts, dimmnet2MemoryParts, dimmnet2RoundTrips, dimmnet2Curves, dimmnet2Peaks,
		dimmnet2Memory, dimmnet2Firmware, dimmnet2QsNET,
	}},
	{"tofu2", []func(*bench) error{tofu2Constants}},
	{"ssscore", []func(*bench) error{ssscoreConstants, func(b *bench) error { return ssscoreMulticastsOn(b, ssscoreLevels[:2]) }}},
	{"ndr", []func(*bench) error{ndrNode}},
}

// measured returns the cells that tests look at, measured once.
func measured() ([]Cell, error) {
	switch {
	case *nightly:
		return all()
	case *long:
		return most()
	}
	return few()
}

var (
	all  = sync.OnceValues(func() ([]Cell, error) { return Run(context.Background(), "", 1) })
	most = sync.OnceValues(func() ([]Cell, error) { return measure(slices.Concat(quick, slower)) })
	few  = sync.OnceValues(func() ([]Cell, error) { return measure(quick) })
)

func measure(sources []source) ([]Cell, error) {
	b := &bench{ctx: context.Background(), seed: 1}
	for _, s := range sources {
		if err := b.measureAll(s); err != nil {
			return nil, err
		}
	}
	return b.cells, nil
}

// TestCalibratedAndDerivedCellsComeOut holds the machines to what their files
// say that they were calibrated on.
func TestCalibratedAndDerivedCellsComeOut(t *testing.T) {
	cells, err := measured()
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
		if c.Kind == Predicted || c.Kind == Fitted {
			continue
		}
		if c.Error == nil {
			t.Errorf("%s, %s: no figure to compare with", c.Item, c.Cell)
		} else if math.Abs(*c.Error) > 0.02 {
			t.Errorf("%s, %s: got %.4g %s; expected %.4g", c.Item, c.Cell, c.Got, c.Unit, *c.Expected())
		}
	}
	for _, kind := range []Kind{Calibrated, Derived, Predicted} {
		if count[kind] == 0 {
			t.Errorf("no cell is %s", kind)
		}
	}
}

func TestUnknownSource(t *testing.T) {
	const want = `unknown source "rhinet3"; known: rhinet2, dimmnet2, tofu2, ssscore, ndr`
	if _, err := Run(t.Context(), "rhinet3", 1); err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
