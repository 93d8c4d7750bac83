package pairs

import (
	"musubi/rma"
	"musubi/workload/internal/ranks"
)

// streamEnd is one rank in one trial of a stream.
type streamEnd struct {
	*endpoint
	*stream
	*trial
	acks   *acks
	slot   int // of the trial
	window int
	before int // messages to the same places before the trial
	count  int // messages sent or received in it
}

func (s *stream) newEnd(end *endpoint, acks *acks, slot int) *streamEnd {
	t := &s.trials[slot]
	some := func(other *trial) bool { return s.isReceived(other) && other.to == t.to }
	return &streamEnd{
		endpoint: end, stream: s, trial: t, acks: acks, slot: slot, window: s.windows[slot],
		before: earlier(s.trials, slot, some) * (s.warmup + s.iterations),
	}
}

// run does the part of this rank.
func (l *streamEnd) run(results *ranks.Scores) error {
	switch {
	case l.p.Rank() == l.from:
		us, err := l.measure()
		if err != nil {
			return err
		}
		return results.Put(l.slot, us)
	case l.isReceived(l.trial):
		return l.receive()
	}
	return nil
}

// measure returns the mean time of a transfer in microseconds: from the first request until all are
// complete, divided by the number of transfers. Nothing is in flight when it begins, so no transfer
// has a head start.
func (l *streamEnd) measure() (float64, error) {
	clear(l.message(l.trial, 0))
	if err := l.transfer(l.warmup); err != nil {
		return 0, err
	}
	start := l.p.Now()
	if err := l.transfer(l.iterations); err != nil {
		return 0, err
	}
	return (l.p.Now() - start).Microseconds() / float64(l.iterations), nil
}

// transfer makes n transfers, keeps at most a window of them open, and waits for all.
func (l *streamEnd) transfer(n int) error {
	open := make([]rma.Op, min(l.window, n))
	for i := range n + len(open) {
		slot := &open[i%len(open)]
		if err := l.finish(*slot); err != nil {
			return err
		}
		if i >= n {
			continue
		}
		var err error
		if *slot, err = l.start(); err != nil {
			return err
		}
		l.count++
	}
	if l.isReceived(l.trial) {
		return l.acks.await(l.slot, l.count)
	}
	return nil
}

// finish waits for a transfer, and copies data that was read if the trial asks for that.
func (l *streamEnd) finish(op rma.Op) error {
	if err := l.wait(l.trial, op); err != nil || op == 0 || !l.pull {
		return err
	}
	return l.load(l.trial, l.exposed)
}

// start starts a transfer. A message that the receiver waits for ends with a mark, and goes to a
// place that the receiver has emptied.
func (l *streamEnd) start() (rma.Op, error) {
	place, message := 0, l.message(l.trial, 0)
	switch {
	case l.pull:
		return l.p.Pull(rma.Address{Rank: l.to, Segment: l.inbox(l.trial, 0).Number}, message)
	case l.by != byIPush && l.isReceived(l.trial):
		if err := l.acks.await(l.slot, l.count-l.window+1); err != nil {
			return 0, err
		}
		place = l.place()
		message = l.message(l.trial, place)
		clear(message)
		message[l.size-1] = l.mark()
	}
	return l.send(l.trial, l.to, place, message)
}

// place and mark return the place and the mark of the next message.
func (l *streamEnd) place() int { return (l.before + l.count) % l.window }
func (l *streamEnd) mark() byte { return ranks.MarkOf((l.before + l.count) / l.window) }

// receive consumes all messages of the trial.
func (l *streamEnd) receive() error {
	for _, n := range []int{l.warmup, l.iterations} {
		for last := l.count + n; l.count < last; {
			if err := l.receiveOne(); err != nil {
				return err
			}
			l.count++
			if err := l.acknowledge(l.count == last); err != nil {
				return err
			}
		}
	}
	return l.acks.settle()
}

func (l *streamEnd) receiveOne() error {
	if l.by == byIPush {
		return l.take(l.trial)
	}
	return l.endpoint.await(l.trial, l.place(), l.mark())
}

// acknowledge tells the sender now and then that its places can be used again, and always after the
// last message. It is not needed for receive rings, whose room the network interface itself
// manages.
func (l *streamEnd) acknowledge(last bool) error {
	if !last && (l.by == byIPush || l.count%max(1, l.window/2) != 0) {
		return nil
	}
	return l.acks.send(l.from, l.slot, l.count)
}
