package pairs

import (
	"fmt"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ranks"
)

// PingPong measures the latency of messages between two ranks.
var PingPong = &workload.Workload{
	Name:       "pingpong",
	ListParams: []string{"bytes", "copy", "mechanism"},
	Summary:    "latency: two ranks send a message back and forth",
	Params: []workload.Param{
		{Name: "bytes", Default: "", Help: workload.SizesHelp + "; if not given, 8..512KiB, or by botf as far as it goes"},
		mechanismsParam, copyParam, fromParam, toParam,
		{Name: "iterations", Default: "", Help: "round trips measured; if not given 10, or 1000 between real processes"},
		{Name: "warmup", Default: "", Help: "round trips before, which are not measured; if not given 2, or 100 between real processes"},
	},
	Make: preparePingpong,
}

// pingpongMost is the largest message unless the user says otherwise.
const pingpongMost = 512 << 10

// pingpong measures one trial after the other. The latency is half a round trip: from the call that
// sends to the moment when the partner has the message, and its copy if the trial asks for that.
// Other ranks stay silent.
type pingpong struct {
	env                workload.Env
	trials             []trial
	iterations, warmup int
}

func preparePingpong(v *workload.Values, env workload.Env) *workload.Plan {
	v.OrOften(env, "10", "2")
	b := pingpong{
		env:        env,
		trials:     readTrials(v, env, pingpongMost),
		iterations: v.Int("iterations", 1, 1e6),
		warmup:     v.Int("warmup", 0, 1e6),
	}
	return &workload.Plan{Program: b.run, Memory: memoryOf(b.trials)}
}

func (b *pingpong) run(p rma.Process, out *workload.Rows) error {
	results := ranks.NewScores(p, len(b.trials))
	end, err := newEndpoint(p, b.env, b.trials)
	if err != nil {
		return err
	}
	for slot := range b.trials {
		workload.Progress(p, out, slot, len(b.trials))
		t := &b.trials[slot]
		if !t.includes(p.Rank()) {
			continue
		}
		if err := b.measure(b.newExchange(end, slot), results, slot); err != nil {
			return err
		}
	}
	if err := end.close(); err != nil || p.Rank() != 0 {
		return err
	}
	return rows(b.trials, results, out, latencyMetric, bandwidthMetric)
}

// measure does one rank's part of a trial.
func (b *pingpong) measure(e *exchange, results *ranks.Scores, slot int) error {
	if e.p.Rank() == e.from {
		half, err := b.ping(e)
		if err != nil {
			return err
		}
		return results.Put(slot, half)
	}
	for range b.warmup + b.iterations {
		if err := e.pong(); err != nil {
			return err
		}
	}
	return nil
}

// ping returns half of the mean round trip in microseconds.
func (b *pingpong) ping(e *exchange) (float64, error) {
	var start units.Time
	for i := range b.warmup + b.iterations {
		if i == b.warmup {
			start = e.p.Now()
		}
		if err := e.ping(); err != nil {
			return 0, err
		}
	}
	took := e.p.Now() - start
	return took.Microseconds() / float64(2*b.iterations), e.release()
}

// exchange sends messages of one trial back and forth. The last byte of each is a mark.
type exchange struct {
	*endpoint
	*trial
	partner        int
	message        []byte
	sent, received int  // messages in the same place so far, at the partner and here
	unread         bool // the last message is still in the receive ring
}

func (b *pingpong) newExchange(end *endpoint, slot int) *exchange {
	t, me := &b.trials[slot], end.p.Rank()
	before := func(rank int) int {
		some := func(t *trial) bool { return t.includes(rank) }
		return earlier(b.trials, slot, some) * (b.warmup + b.iterations)
	}
	e := &exchange{endpoint: end, trial: t, partner: t.from + t.to - me, message: end.message(t, 0)}
	e.sent, e.received = before(e.partner), before(me)
	clear(e.message)
	return e
}

func (e *exchange) ping() error {
	op, err := e.push()
	if err != nil {
		return err
	}
	if err := e.receive(); err != nil {
		return err
	}
	return e.wait(e.trial, op)
}

func (e *exchange) pong() error {
	if err := e.receive(); err != nil {
		return err
	}
	op, err := e.push()
	if err != nil {
		return err
	}
	return e.wait(e.trial, op)
}

// push sends a message. While it travels there is time to give back the room of the previous one.
func (e *exchange) push() (rma.Op, error) {
	e.message[e.size-1] = ranks.MarkOf(e.sent)
	e.sent++
	op, err := e.send(e.trial, e.partner, 0, e.message)
	if err != nil {
		return 0, err
	}
	return op, e.release()
}

// receive waits until the partner's message has arrived, and copies it if the trial asks for that.
// Otherwise it only learns that a message is in the receive ring.
func (e *exchange) receive() error {
	mark := ranks.MarkOf(e.received)
	e.received++
	switch {
	case e.by != byIPush:
		return e.await(e.trial, 0, mark)
	case e.copying != copyNone:
		return e.take(e.trial)
	}
	e.unread = true
	return e.p.Await()
}

// release gives back the room of a message that was not copied.
func (e *exchange) release() error {
	if !e.unread {
		return nil
	}
	e.unread = false
	a, err := e.p.Next()
	if err != nil {
		return err
	}
	if !a.Last {
		return fmt.Errorf("the ring of rank %d for rank %d tells of %d bytes of a message of %d; "+
			"with copy=none expected rings that tell of whole messages", e.p.Rank(), a.From, a.Bytes, e.size)
	}
	return e.p.Take(a, nil, rma.Cached)
}
