package ways

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// InOrder produces n items on all cores and consumes them one by one, in order, in the calling
// goroutine; so the outcome does not depend on the number of cores. newWorker makes a producer for
// one goroutine, which may reuse an item that has been consumed. The first error of consume ends it
// all.
func InOrder[T any](n int, newWorker func() func(i int, old T) T, consume func(i int, item T) error) error {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		return oneByOne(n, newWorker, consume)
	}
	p := newPipeline[T](n, 4*workers)
	var group sync.WaitGroup
	defer group.Wait()
	defer close(p.quit)
	for range workers {
		group.Go(func() { p.produce(newWorker()) })
	}
	for i := range n {
		slot := i % len(p.items)
		<-p.ready[slot]
		if err := consume(i, p.items[slot]); err != nil {
			return err
		}
		p.free <- struct{}{}
	}
	return nil
}

func oneByOne[T any](n int, newWorker func() func(i int, old T) T, consume func(i int, item T) error) error {
	var item T
	produce := newWorker()
	for i := range n {
		item = produce(i, item)
		if err := consume(i, item); err != nil {
			return err
		}
	}
	return nil
}

// pipeline is the state of inOrder: item number i lies in items[i % len(items)] from its production
// to its consumption.
type pipeline[T any] struct {
	n     int
	next  atomic.Int64 // item to be produced
	items []T
	ready []chan struct{} // per item: it has been produced
	free  chan struct{}   // one for each item that may be begun
	quit  chan struct{}
}

func newPipeline[T any](n, window int) *pipeline[T] {
	p := &pipeline[T]{
		n: n, items: make([]T, window), ready: make([]chan struct{}, window),
		free: make(chan struct{}, window), quit: make(chan struct{}),
	}
	for i := range window {
		p.ready[i] = make(chan struct{}, 1)
		p.free <- struct{}{}
	}
	return p
}

// produce produces items until none is left.
func (p *pipeline[T]) produce(produce func(i int, old T) T) {
	for {
		select {
		case <-p.free:
		case <-p.quit:
			return
		}
		i := int(p.next.Add(1)) - 1
		if i >= p.n {
			return
		}
		slot := i % len(p.items)
		p.items[slot] = produce(i, p.items[slot])
		p.ready[slot] <- struct{}{}
	}
}
