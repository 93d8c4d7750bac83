package access_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/access"
	"musubi/workload/internal/ideal"
)

// On a machine that needs 1 us there and back each, 1 ns for each byte on the way and 3 ns for each
// byte that the processor copies, packing costs what it copies.
func TestLayoutsCostWhatTheProcessorCopies(t *testing.T) {
	world := ideal.World{Latency: units.Microsecond, PerByte: units.Nanosecond, Copying: 3 * units.Nanosecond}
	rows, err := world.Measure(access.Layouts, ideal.Set("side=all", "form=all", "element=1,8,100", "stride=100,101", "bytes=200,800", "iterations=1", "warmup=1"), workload.Env{Ranks: 3})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, r := range rows.All() {
		n, element, stride := float64(r.Bytes), float64(r.Label("element").(int)), float64(r.Label("stride").(int))
		by := r.Label("by").(string)
		direct := 2 + n/1000
		us := direct
		extent := (n/element-1)*stride + element
		switch remote := r.Label("side") == "remote"; {
		case remote && by == "each": // all are under way together
			us = 2 + element/1000
		case remote && by == "span":
			us = 2 + (extent+3*n)/1000
		case by == "load" || by == "each":
			us += 3 * n / 1000
		case by == "span":
			us += 3 * extent / 1000
		}
		want := map[string]float64{"transfer": us, "bandwidth": n / us, "ratio": us / direct}[r.Metric]
		ideal.Near(t, fmt.Sprint(r.Metric, r.Bytes, r.Labels), r.Value, want)
		seen[fmt.Sprint(r.Metric, " ", r.Label("side"), " ", by)]++
	}
	const each = 2 * 3 * 2 * 2 // forms, elements, strides, sizes
	for _, metric := range []string{"transfer", "bandwidth", "ratio"} {
		for _, way := range []string{"gather interface", "gather load", "gather each", "gather span", "scatter interface", "scatter load", "remote interface", "remote each", "remote span"} {
			want := each
			if metric == "ratio" && strings.HasSuffix(way, "interface") {
				want = 0
			}
			if got := seen[metric+" "+way]; got != want {
				t.Errorf("%d rows of %s %s, want %d", got, metric, way, want)
			}
		}
	}
}

// randomLayouts returns settings of a random layout.
func randomLayouts(rng *rand.Rand) []string {
	element := 1 + rng.IntN(20)
	return []string{
		"side=all", "form=all", fmt.Sprint("element=", element), fmt.Sprint("stride=", element+rng.IntN(1+rng.IntN(40))),
		fmt.Sprint("bytes=", element*(1+rng.IntN(30))), fmt.Sprint("iterations=", 1+rng.IntN(3)), fmt.Sprint("warmup=", rng.IntN(2)),
	}
}

// Whatever the layout, every byte arrives where it belongs. A machine that changes one is found out, in
// every way.
func TestRandomLayoutsMoveEveryByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		env := workload.Env{Ranks: 2, Seed: rng.Uint64()}
		settings := randomLayouts(rng)
		if _, err := ideal.Measure(access.Layouts, ideal.Set(settings...), env); err != nil {
			t.Errorf("%v: %v", settings, err)
		}
		for _, way := range []string{"gather interface", "gather load", "gather each", "gather span", "scatter interface", "scatter load", "remote interface", "remote each", "remote span"} {
			side, by, _ := strings.Cut(way, " ")
			plan, err := access.Layouts.Prepare(ideal.Set(append(settings, "side="+side, "by="+by)...), env)
			if err != nil {
				t.Fatal(err)
			}
			var rows workload.Rows
			world := ideal.World{Latency: units.Microsecond, PerByte: units.Nanosecond}
			err = world.Run(2, func(p rma.Process) error {
				return plan.Program(&faulty{Process: p, rng: rng, pulls: way == "remote each"}, &rows)
			})
			if err == nil || !strings.Contains(err.Error(), "are not where they belong") {
				t.Errorf("%v %s on a faulty machine: error %v; expected one of bytes that are not where they belong", settings, way, err)
			}
		}
	}
}

// faulty changes a byte of what it gathers, scatters and loads.
type faulty struct {
	rma.Process
	rng   *rand.Rand
	into  []byte // of a PullLayout
	pulls bool   // change what has been pulled
}

func (f *faulty) PushLayout(to rma.Address, far rma.Layout, data []byte, near rma.Layout, by rma.Mechanism) (rma.Op, error) {
	data = slices.Clone(data)
	data[0] ^= 1 // of the first element
	return f.Process.PushLayout(to, far, data, near, by)
}

func (f *faulty) PullLayout(from rma.Address, far rma.Layout, into []byte, near rma.Layout) (rma.Op, error) {
	f.into = into
	return f.Process.PullLayout(from, far, into, near)
}

func (f *faulty) Pull(from rma.Address, into []byte) (rma.Op, error) {
	if f.pulls {
		f.into = into
	}
	return f.Process.Pull(from, into)
}

// Wait changes any byte, of elements or between them, that has been scattered.
func (f *faulty) Wait(op rma.Op) error {
	err := f.Process.Wait(op)
	if f.into != nil {
		f.into[f.rng.IntN(len(f.into))] ^= 1
		f.into = nil
	}
	return err
}

func (f *faulty) Load(segment, offset int, gather rma.Layout, into []byte, as rma.Caching) error {
	err := f.Process.Load(segment, offset, gather, into, as)
	into[f.rng.IntN(2)*(len(into)-1)] ^= 1 // of the first or the last element
	return err
}

// Where the interface refuses, the processor remains, unless nobody has asked for it.
func TestLayoutsWithoutInterface(t *testing.T) {
	for by, ok := range map[string]bool{"all": true, "load": true, "interface": false} {
		plan, err := access.Layouts.Prepare(ideal.Set("side=gather,scatter", "by="+by), workload.Env{Ranks: 2})
		if err != nil {
			t.Fatal(err)
		}
		var rows workload.Rows
		world := ideal.World{Latency: units.Microsecond}
		err = world.Run(2, func(p rma.Process) error { return plan.Program(refusing{p}, &rows) })
		if (err == nil) != ok || !ok && !strings.Contains(err.Error(), "side=gather by=interface: no layouts here") {
			t.Errorf("by=%s: error %v; expected one: %v", by, err, !ok)
		}
		for _, r := range rows.All() {
			if r.Metric == "ratio" || r.Label("by") == "interface" {
				t.Errorf("by=%s: row %s %v of an interface that refuses", by, r.Metric, r.Labels)
			}
		}
	}
}

// refusing is a rank whose interface moves single pieces only.
type refusing struct{ rma.Process }

var errNoLayouts = errors.New("no layouts here")

func (refusing) PushLayout(rma.Address, rma.Layout, []byte, rma.Layout, rma.Mechanism) (rma.Op, error) {
	return 0, errNoLayouts
}

func (refusing) PullLayout(rma.Address, rma.Layout, []byte, rma.Layout) (rma.Op, error) {
	return 0, errNoLayouts
}

func TestLayoutsRefuseParameters(t *testing.T) {
	for _, test := range []struct{ setting, says string }{
		{"side=left", "expected all, or a list out of gather, scatter"},
		{"form=heap", "expected all, or a list out of strided, list"},
		{"by=nobody", "expected all, or a list out of interface, load, each, span"},
		{"element=0", "expected sizes of 1 to"},
		{"element=8KiB", "elements of 8192 bytes overlap"},
		{"element=3", "4096 bytes are not a whole number of elements of 3"},
		{"bytes=8", "8 bytes are not a whole number of elements of 64"},
		{"bytes=16MiB", "reach over more than 64MiB"},
		{"iterations=0", "expected a whole number from 1 to"},
	} {
		_, err := access.Layouts.Prepare(ideal.Set(test.setting), workload.Env{Ranks: 2})
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v; expected one with %q", test.setting, err, test.says)
		}
	}
	if _, err := access.Layouts.Prepare(nil, workload.Env{Ranks: 1}); err == nil || !strings.Contains(err.Error(), "expected two ranks or more") {
		t.Errorf("one rank: error %v", err)
	}
	if _, err := access.Layouts.Prepare(ideal.Set("side=scatter", "by=span,each"), workload.Env{Ranks: 2}); err == nil || !strings.Contains(err.Error(), "has no meaning with side=scatter") {
		t.Errorf("span of a scatter: error %v", err)
	}
}
