package access_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/mpi"
	"musubi/rma"
	"musubi/workload"
	"musubi/workload/access"
	"musubi/workload/contention"
	"musubi/workload/internal/ideal"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

// On a machine where a change of a word takes 1 us there and 1 us back, a counter takes
// that, whoever else counts; who holds a lock gives it back after three changes more.
func TestAtomicsTakeTheTimeOfTheirChanges(t *testing.T) {
	for _, test := range []struct {
		kind string
		want float64
	}{{"counter", 2}, {"lock", 4 * 2}, {"queue", 5 * 2}, {"sequence", 2}} {
		rows := ideal.AbleRows(t, access.Atomics, ideal.Set("kind="+test.kind, "iterations=5"), 1)
		ideal.Near(t, test.kind, rows[0].Value, test.want)
		ideal.Near(t, test.kind+" rate", rows[1].Value, 1/test.want)
		if len(rows) > 2 && rows[2].Value != 0 {
			t.Errorf("%s: %v retries of a single rank", test.kind, rows[2].Value)
		}
	}
	rows := ideal.AbleRows(t, access.Atomics, ideal.Set("kind=counter"), 6)
	ideal.Near(t, "counter of 6 ranks", rows[0].Value, 2)
	ideal.Near(t, "rate of 6 ranks", rows[1].Value, 3)
}

// Ranks that compute between operations contend less, and the rows say so.
func TestAtomicsByShareOfTime(t *testing.T) {
	rows := ideal.AbleRows(t, access.Atomics, ideal.Set("kind=lock", "share=0.02,1", "iterations=40"), 8)
	var retries []float64
	for _, r := range rows {
		if r.Metric == "retries" {
			retries = append(retries, r.Value)
		}
	}
	if len(retries) != 2 || !(retries[0] < retries[1]/4) {
		t.Errorf("retries %v; want far fewer with a small share", retries)
	}
	shares := fmt.Sprint(rows[0].Label("share"), " ", rows[3].Label("share"))
	if shares != "0.02 1" {
		t.Errorf("shares %s", shares)
	}
}

// Interfaces change words where they can, and messages do elsewhere; each run looks at
// what becomes of the words.
func TestAtomicsByBothMeans(t *testing.T) {
	for ranks := 1; ranks <= 9; ranks++ {
		var seen []string
		for _, r := range ideal.AbleRows(t, access.Atomics, ideal.Set("by=all", "iterations=5"), ranks) {
			if r.Metric == "atomic" {
				seen = append(seen, fmt.Sprint(r.Label("kind"), " ", r.Label("by")))
			}
		}
		want := "counter interface, lock interface, queue interface, sequence interface, counter messages, lock messages, queue messages, sequence messages"
		if got := strings.Join(seen, ", "); got != want {
			t.Errorf("%d ranks: got %s, want %s", ranks, got, want)
		}
	}
	if rows := ideal.Rows(t, access.Atomics, ideal.Set("iterations=5"), workload.Env{Ranks: 5}); rows[0].Label("by") != "messages" {
		t.Errorf("row %v of a machine that changes no words", rows[0])
	}
}

// lossy words forget each change but the first few.
type lossy struct {
	contention.Words
	left int
}

func (l *lossy) Add(word int, n int64) (int64, error) {
	if l.left--; l.left < 0 && n == 1 {
		return l.Words.Add(word, 0)
	}
	return l.Words.Add(word, n)
}

func (l *lossy) Replace(word int, by int64) (int64, error) {
	if l.left--; l.left < 0 && by != 0 {
		return by - 1, nil
	}
	return l.Words.Replace(word, by)
}

func (l *lossy) AddAll(first int, n int64, was []int64) error {
	for i := range was {
		var err error
		if was[i], err = l.Add(first+i, n); err != nil {
			return err
		}
	}
	return nil
}

// What a run looks at finds words that are not changed in one step.
func TestAtomicsFindLostChanges(t *testing.T) {
	for _, kind := range []string{contention.Counter, contention.Lock, contention.Sequence} {
		world := ideal.World{Able: true}
		err := world.Run(3, func(p rma.Process) error {
			all, err := contention.Open(p, 16)
			if err != nil {
				return err
			}
			words, err := all.By(contention.ByInterface)
			if err != nil {
				return err
			}
			pause := func(int) { p.Compute(1) }
			w := contention.New(kind, contention.Shared{Words: &lossy{words, 3}, Pause: pause}, p.Rank(), 3)
			for range 5 {
				if _, err := w.Once(); err != nil {
					return nil // it has been found
				}
			}
			if err := mpi.Barrier(all.Comm); err != nil {
				return err
			}
			if err := w.Check(all.Comm, 5); err != nil {
				return nil
			}
			return errors.New("not found")
		})
		if err != nil && strings.Contains(err.Error(), "not found") {
			t.Errorf("%s: lost changes were %v", kind, err)
		}
	}
}

func TestAtomicsRefuseParameters(t *testing.T) {
	for _, test := range []struct{ setting, says string }{
		{"kind=stack", "expected all, or a list out of counter, lock, queue, sequence"},
		{"by=interface", "interfaces of this machine do not change words; expected messages, or auto"},
		{"by=sequence", "requests of this machine have one change of a word each; expected interface, messages, or auto"},
		{"by=magic", "expected one of auto, all, interface, sequence, messages"},
		{"share=0", "expected fractions above 0 and up to 1"},
		{"pause=0", "expected"},
		{"pause=2s", "expected 1ns to 1s"},
		{"iterations=0", "expected a whole number from 1"},
	} {
		_, err := access.Atomics.Prepare(ideal.Set(test.setting), workload.Env{Ranks: 3})
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v; expected one with %q", test.setting, err, test.says)
		}
	}
}
