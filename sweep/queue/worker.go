package queue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"musubi/sweep"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// mostDeliveries is how many workers may get a task and fail, or die, until it counts as failed.
const mostDeliveries = 20

// worker takes tasks from a server.
type worker struct {
	streams *streams
	run     sweep.Runner
}

// Work carries tasks of a version of the program out, several at a time, until ctx ends. It waits for a
// server that is not there.
func Work(ctx context.Context, url, version string, atOnce int, run sweep.Runner, options ...nats.Option) error {
	s, err := connect(url, version, func() {}, append(options, nats.RetryOnFailedConnect(true))...)
	if err != nil {
		return err
	}
	defer s.conn.Close()
	w := worker{s, run}
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() { w.work(ctx) })
	}
	all.Wait()
	return ctx.Err()
}

// Tell is an option of Work: it tells, once for each time that the server is away, that it is waited for, and why.
func Tell(url string, tell func(format string, args ...any)) nats.Option {
	told := uint64(math.MaxUint64)
	return nats.ReconnectErrHandler(func(c *nats.Conn, err error) {
		if times := c.Stats().Reconnects; times != told {
			told = times
			tell("no connection to %s: %v; waiting for it", hideToken(url), err)
		}
	})
}

// work takes tasks until ctx ends. When the server fails, it begins again.
func (w *worker) work(ctx context.Context) {
	_ = insist(ctx, func(attempt context.Context) error {
		stream, err := w.streams.tasks(attempt)
		if err != nil {
			return err
		}
		if _, err := w.streams.results(attempt); err != nil {
			return err
		}
		consumer, err := stream.CreateOrUpdateConsumer(attempt, jetstream.ConsumerConfig{
			Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1, MaxAckPending: -1,
		})
		if err != nil {
			return err
		}
		return w.takeAll(ctx, consumer)
	})
}

// takeAll takes one task after the other, and returns when the server fails or ctx ends.
func (w *worker) takeAll(ctx context.Context, consumer jetstream.Consumer) error {
	for ctx.Err() == nil {
		batch, err := consumer.Fetch(1, jetstream.FetchMaxWait(patience))
		if err != nil {
			return err
		}
		for m := range batch.Messages() {
			w.take(ctx, m)
		}
		if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) {
			return err
		}
	}
	return ctx.Err()
}

// take carries a task out and publishes the result, unless there is one. Only then it acknowledges the
// task. Whatever fails in between, the task comes again.
func (w *worker) take(ctx context.Context, m jetstream.Msg) {
	key := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
	if known, err := w.known(ctx, key); err != nil {
		return
	} else if known {
		_ = m.DoubleAck(ctx)
		return
	}
	r, again := w.carryOut(ctx, m, key)
	if again {
		_ = m.NakWithDelay(longPause)
		return
	}
	if err := w.tell(ctx, key, r); err == nil {
		attempt, stop := context.WithTimeout(ctx, patience)
		defer stop()
		_ = m.DoubleAck(attempt)
	}
}

// known reports whether there is a result.
func (w *worker) known(ctx context.Context, key string) (known bool, err error) {
	err = insist(ctx, func(ctx context.Context) error {
		stream, err := w.streams.results(ctx)
		if err != nil {
			return err
		}
		_, err = stream.GetLastMsgForSubject(ctx, w.streams.resultSubject(key))
		known = err == nil
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		return err
	})
	return known, err
}

// carryOut runs a task and tells the server meanwhile that it is under way. again: another attempt may
// do better.
func (w *worker) carryOut(ctx context.Context, m jetstream.Msg, key string) (r result, again bool) {
	at, err := m.Metadata()
	if err != nil {
		return result{Failed: err.Error()}, false
	}
	if at.NumDelivered > mostDeliveries {
		return result{Failed: fmt.Sprintf("%d workers have got the run of %s, and none has finished it", mostDeliveries, key)}, false
	}
	var t task
	if err := unpack(m.Data(), &t); err != nil {
		return result{Failed: "a task cannot be read: " + err.Error()}, false
	}
	if err := portable(&t.Scenario); err != nil { // it would read files here
		return result{Failed: err.Error()}, false
	}
	alive, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for ticks := time.NewTicker(heartbeat); ; {
			select {
			case <-ticks.C:
				_ = m.InProgress()
			case <-alive.Done():
				ticks.Stop()
				return
			}
		}
	}()
	d := sweep.Perform(ctx, w.run, sweep.Task{Key: key, Scenario: t.Scenario, Breakdown: t.Breakdown})
	if d.Err != nil {
		return result{Failed: d.Err.Error()}, ctx.Err() != nil || at.NumDelivered < mostDeliveries
	}
	return result{Outcome: d.Outcome, Seconds: d.Seconds}, false
}

// tell publishes a result.
func (w *worker) tell(ctx context.Context, key string, r result) error {
	data, err := pack(r)
	if err != nil {
		return err
	}
	m := nats.NewMsg(w.streams.resultSubject(key))
	m.Data = data
	err = w.streams.publish(ctx, m)
	var permanent *permanentError
	if errors.As(err, &permanent) && r.Failed == "" {
		return w.tell(ctx, key, result{Failed: err.Error()})
	}
	return err
}
