package engine

import (
	"runtime"
	"strings"
	"testing"
)

func TestCoroutineTakesTurns(t *testing.T) {
	var log []int
	c := NewCoroutine(func(c *Coroutine) {
		for i := range 3 {
			log = append(log, i)
			c.Suspend()
		}
	})
	for i := 0; c.Resume(); i++ {
		if len(log) != i+1 {
			t.Fatalf("after %d resumes the body had run %d times", i+1, len(log))
		}
	}
	if len(log) != 3 {
		t.Fatalf("body ran %d times, want 3", len(log))
	}
}

// A coroutine takes a goroutine when it is resumed first, and runs nothing if it is stopped before.
func TestCoroutinesBeginWhenTheyAreResumed(t *testing.T) {
	before, ran := runtime.NumGoroutine(), 0
	var all [100]Coroutine
	for i := range all {
		all[i].Init(func(c *Coroutine) {
			ran++
			c.Suspend()
		})
	}
	if got := runtime.NumGoroutine() - before; got > 0 {
		t.Errorf("%d goroutines for %d coroutines that have not been resumed", got, len(all))
	}
	all[0].Resume()
	for i := range all {
		all[i].Stop()
	}
	if ran != 1 {
		t.Errorf("%d bodies have run; expected 1", ran)
	}
}

func TestStopUnwinds(t *testing.T) {
	cleaned := false
	c := NewCoroutine(func(c *Coroutine) {
		defer func() { cleaned = true }()
		c.Suspend()
		t.Error("a stopped body went on")
	})
	c.Resume()
	c.Stop()
	c.Stop()
	if !cleaned {
		t.Error("deferred call of a stopped body did not run")
	}
}

func TestPanicEndsTheCoroutine(t *testing.T) {
	c := NewCoroutine(func(*Coroutine) { panic("boom") })
	if c.Resume() {
		t.Error("a body that panicked is alive")
	}
	if err := c.Failure(); err == nil || !strings.Contains(err.Error(), "boom") || !strings.Contains(err.Error(), "coroutine_test.go") {
		t.Errorf("failure %v; want the panic and where it was", err)
	}
}

func TestSuspendFromOutsidePanics(t *testing.T) {
	c := NewCoroutine(func(c *Coroutine) { c.Suspend() })
	c.Resume()
	defer c.Stop()
	defer func() {
		if recover() == nil {
			t.Error("Suspend from outside the body went unnoticed")
		}
	}()
	c.Suspend()
}

func BenchmarkSwitch(b *testing.B) {
	c := NewCoroutine(func(c *Coroutine) {
		for {
			c.Suspend()
		}
	})
	defer c.Stop()
	b.ReportAllocs()
	for b.Loop() {
		c.Resume()
	}
}

// A body that has been stopped cannot be suspended any more, and hears why.
func TestSuspendAfterStop(t *testing.T) {
	c := NewCoroutine(func(c *Coroutine) { c.Suspend() })
	c.Resume()
	c.Stop()
	defer func() {
		if said := recover(); said == nil || !strings.Contains(said.(error).Error(), "while the rank was not running") {
			t.Errorf("Suspend of a stopped body says %v", said)
		}
	}()
	c.Suspend()
}

// A body that would wait in a deferred call while it is stopped ends all the same, and has not
// failed.
func TestStopEndsBodiesThatWaitOnTheirWayOut(t *testing.T) {
	c := NewCoroutine(func(c *Coroutine) {
		defer c.Suspend()
		c.Suspend()
	})
	c.Resume()
	c.Stop()
	if err := c.Failure(); err != nil {
		t.Errorf("a body that was stopped has failed: %v", err)
	}
}
