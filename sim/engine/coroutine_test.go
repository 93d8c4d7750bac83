package engine

import "testing"

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

func TestPanicReachesResume(t *testing.T) {
	c := NewCoroutine(func(*Coroutine) { panic("boom") })
	defer func() {
		if r := recover(); r != "boom" {
			t.Errorf("recovered %v, want boom", r)
		}
	}()
	c.Resume()
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
