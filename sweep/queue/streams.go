package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// ackWait is how long a worker may give no sign of life until another one gets its task, and
	// heartbeat how often it gives one.
	ackWait   = 10 * time.Second
	heartbeat = 2 * time.Second
	// keptResults is how long results stay for a sweep that was stopped.
	keptResults = 30 * 24 * time.Hour
	// shortPause and longPause lie between attempts while a server does not answer.
	shortPause = 50 * time.Millisecond
	longPause  = time.Second
	// patience is how long an answer may take.
	patience = 5 * time.Second
)

// streams are the two streams of a version of the program.
type streams struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	version string
}

// connect connects to a server, and keeps the connection up. reconnected is called when it is up
// again.
func connect(url, version string, reconnected func(), options ...nats.Option) (*streams, error) {
	options = append(options,
		nats.Name("musubi"), nats.MaxReconnects(-1), nats.ReconnectWait(shortPause*4), nats.ReconnectJitter(shortPause, shortPause),
		nats.IgnoreAuthErrorAbort(), nats.ReconnectHandler(func(*nats.Conn) { reconnected() }),
	)
	conn, err := nats.Connect(url, options...)
	if err != nil {
		return nil, fmt.Errorf("no connection to %s: %w; expected the URL of a NATS server, such as nats://host:4222", hideToken(url), err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, errors.Join(err, conn.Drain())
	}
	return &streams{conn, js, version}, nil
}

func (s *streams) taskSubject(key string) string   { return "musubi.tasks." + s.version + "." + key }
func (s *streams) resultSubject(key string) string { return "musubi.results." + s.version + "." + key }

// tasks returns the stream of tasks, and makes it if there is none.
func (s *streams) tasks(ctx context.Context) (jetstream.Stream, error) {
	return s.js.CreateOrUpdateStream(ctx, onePerKey("MUSUBI_TASKS_"+s.version, s.taskSubject("*"), jetstream.WorkQueuePolicy))
}

// results returns the stream of results, and makes it if there is none.
func (s *streams) results(ctx context.Context) (jetstream.Stream, error) {
	config := onePerKey("MUSUBI_RESULTS_"+s.version, s.resultSubject("*"), jetstream.LimitsPolicy)
	config.MaxAge = keptResults
	return s.js.CreateOrUpdateStream(ctx, config)
}

func onePerKey(name, subject string, retention jetstream.RetentionPolicy) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: name, Subjects: []string{subject}, Retention: retention, Storage: jetstream.FileStorage,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
	}
}

// publish stores a message, unless there is one with its subject. It goes on until the server has
// answered, or ctx ends.
func (s *streams) publish(ctx context.Context, m *nats.Msg) error {
	return insist(ctx, func(ctx context.Context) error {
		_, err := s.js.PublishMsg(ctx, m, jetstream.WithExpectStream(s.streamOf(m)))
		var api *jetstream.APIError
		switch {
		case errors.As(err, &api) && api.ErrorCode == storeFailed: // there is one
			return nil
		case errors.Is(err, nats.ErrMaxPayload):
			return &permanentError{fmt.Errorf("a message of %d bytes is more than the %d that the server takes", len(m.Data), s.conn.MaxPayload())}
		case err != nil:
			return errors.Join(err, s.ensure(ctx)) // it may have lost its streams
		}
		return nil
	})
}

// storeFailed is JSStreamStoreFailedF of nats-server: a message was refused by the limits of the
// stream, of which there is one, a message per subject.
const storeFailed jetstream.ErrorCode = 10077

func (s *streams) streamOf(m *nats.Msg) string {
	if len(m.Subject) > len("musubi.tasks.") && m.Subject[:len("musubi.tasks.")] == "musubi.tasks." {
		return "MUSUBI_TASKS_" + s.version
	}
	return "MUSUBI_RESULTS_" + s.version
}

// ensure makes the streams, if they are not there.
func (s *streams) ensure(ctx context.Context) error {
	_, err := s.tasks(ctx)
	if err == nil {
		_, err = s.results(ctx)
	}
	return err
}

// permanentError is one that another attempt meets as well.
type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// insist calls f until it succeeds, fails for good, or ctx ends.
func insist(ctx context.Context, f func(context.Context) error) error {
	for pause := shortPause; ; pause = min(2*pause, longPause) {
		attempt, stop := context.WithTimeout(ctx, patience)
		err := f(attempt)
		stop()
		var permanent *permanentError
		switch {
		case err == nil || errors.As(err, &permanent):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
