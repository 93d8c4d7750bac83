package queue

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"musubi"
	"musubi/sweep"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Queue hands the runs of a sweep to workers. It implements sweep.Executor.
type Queue struct {
	ctx     context.Context
	streams *streams
	done    chan sweep.Done

	mu      sync.Mutex
	pending map[string]*nats.Msg  // tasks without a result
	early   map[string]sweep.Done // results of tasks that have not been submitted
}

// Dial connects a sweep to a server, for a version of the program. It ends with ctx.
func Dial(ctx context.Context, url, version string, options ...nats.Option) (*Queue, error) {
	q := &Queue{ctx: ctx, done: make(chan sweep.Done), pending: map[string]*nats.Msg{}, early: map[string]sweep.Done{}}
	s, err := connect(url, version, func() { go q.repeat() }, options...)
	if err != nil {
		return nil, err
	}
	q.streams = s
	context.AfterFunc(ctx, s.conn.Close)
	attempt, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := s.ensure(attempt); err != nil {
		return nil, fmt.Errorf("%s has no streams: %w; expected a NATS server with JetStream", hideToken(url), err)
	}
	go q.collect()
	return q, nil
}

// Done implements sweep.Executor.
func (q *Queue) Done() <-chan sweep.Done { return q.done }

// Submit implements sweep.Executor.
func (q *Queue) Submit(tasks []sweep.Task) error {
	for _, t := range tasks {
		if err := q.submit(t); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) submit(t sweep.Task) error {
	if err := portable(&t.Scenario); err != nil {
		return err
	}
	data, err := pack(task{t.Scenario, t.Breakdown})
	if err != nil {
		return err
	}
	m := nats.NewMsg(q.streams.taskSubject(t.Key))
	m.Data = data
	q.mu.Lock()
	early, known := q.early[t.Key]
	delete(q.early, t.Key)
	if !known {
		q.pending[t.Key] = m
	}
	q.mu.Unlock()
	if known {
		go q.hand(early)
		return nil
	}
	return q.streams.publish(q.ctx, m)
}

// portable fails for scenarios that mean something else on another computer.
func portable(s *musubi.Scenario) error {
	files := sweep.Files(s)
	switch {
	case s.Machine == musubi.Live:
		return fmt.Errorf("machine %s is this computer; expected simulated machines for workers elsewhere", musubi.Live)
	case len(files) > 0:
		return fmt.Errorf("%s is a file of this computer; expected names for workers elsewhere", files[0])
	}
	return nil
}

// hand hands a result on.
func (q *Queue) hand(d sweep.Done) {
	select {
	case q.done <- d:
	case <-q.ctx.Done():
	}
}

// repeat submits all tasks without results again, as the server may have lost some. It refuses those
// that it has.
func (q *Queue) repeat() {
	q.mu.Lock()
	var all []*nats.Msg
	for _, m := range q.pending {
		all = append(all, m)
	}
	q.mu.Unlock()
	for _, m := range all {
		_ = q.streams.publish(q.ctx, m) // fails with ctx only, as it has not failed before
	}
}

// collect reads results, from the first on, and goes on behind the last one it has seen when the
// server is back.
func (q *Queue) collect() {
	for q.ctx.Err() == nil {
		_ = insist(q.ctx, func(ctx context.Context) error {
			stream, err := q.streams.results(ctx)
			if err != nil {
				return err
			}
			return q.read(stream)
		})
	}
}

// read reads results until the server fails. Those that have been read before are known.
func (q *Queue) read(stream jetstream.Stream) error {
	consumer, err := stream.OrderedConsumer(q.ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(q.ctx))
		if err != nil {
			return err
		}
		q.receive(stream, m)
	}
}

// receive takes a result. One that tells of a failure is removed, so that the task can be tried again.
func (q *Queue) receive(stream jetstream.Stream, m jetstream.Msg) {
	key := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
	var r result
	if err := unpack(m.Data(), &r); err != nil {
		r = result{Failed: "the result of a worker cannot be read: " + err.Error()}
	}
	if r.Failed != "" {
		if at, err := m.Metadata(); err == nil {
			_ = stream.DeleteMsg(q.ctx, at.Sequence.Stream)
		}
	}
	q.mu.Lock()
	_, wanted := q.pending[key]
	delete(q.pending, key)
	if !wanted && r.Failed == "" {
		q.early[key] = r.done(key)
	}
	q.mu.Unlock()
	if wanted {
		q.hand(r.done(key))
	}
}
