package abi

import (
	"testing"

	"musubi/mpi/abi/standard"
)

// calm is a host of a process that has a processor, and counts how often that is left to others.
type calm struct {
	Host
	yields int
}

func (*calm) Thread() int64       { return 1 }
func (*calm) Simulated() bool     { return false }
func (*calm) OwnsProcessor() bool { return true }
func (h *calm) Yield()            { h.yields++ }

// A thread that nobody waits for does not change places with others before it has looked some times, also if another one waits in a call.
func TestThreadThatNobodyWaitsFor(t *testing.T) {
	for waiting := range 2 {
		host := &calm{}
		p := &Process{Host: host}
		p.SetLevel(standard.ThreadMultiple)
		p.Threads.waiting = waiting
		p.Threads.lock(1)
		for range briefIdle {
			p.LetOthers(nothing)
		}
		p.Threads.unlock()
		if host.yields != 0 {
			t.Errorf("%d others wait: the thread has left its processor %d times", waiting, host.yields)
		}
	}
}

func nothing() bool { return false }

// A thread beside which another one has called goes on looking for a while, as to be woken takes longer than a call.
func TestThreadWaitsBesideAnother(t *testing.T) {
	host := &calm{}
	p := &Process{Host: host}
	p.SetLevel(standard.ThreadMultiple)
	p.Threads.lock(1)
	defer p.Threads.unlock()
	p.Threads.lively = livelyLooks
	for range livelyLooks - 1 {
		p.LetOthers(nothing)
	}
	if host.yields == 0 {
		t.Error("the thread has not left its processor")
	}
}

// A thread that waits in a call lets another one call at its next look.
func TestThreadLetsOthersCall(t *testing.T) {
	p := &Process{Host: &calm{}}
	p.SetLevel(standard.ThreadMultiple)
	p.Threads.lock(1)
	defer p.Threads.unlock()
	called := make(chan bool)
	go func() {
		p.Threads.lock(2)
		p.Threads.unlock()
		close(called)
	}()
	for {
		select {
		case <-called:
			return
		default:
			p.Threads.idle = 0 // of a long wait there is nothing to test
			p.LetOthers(nothing)
		}
	}
}
