package osu

import (
	"musubi/mpi"
	"musubi/units"
	"musubi/workload/internal/content"
)

const mostBytes = 4 << 20 // bytes, of messages between two ranks

var (
	latencyOften = often{short: repeats{10000, 100}, long: repeats{1000, 10}}
	streamOften  = often{short: repeats{100, 10}, long: repeats{20, 2}}
)

// pairTests are the tests of messages between two ranks. Ranks that have no partner
// wait for the others.
var pairTests = []Test{
	{Name: "latency", Title: "OSU MPI Latency Test", Most: mostBytes, often: latencyOften, Blocks: true, memory: twoEach, start: startLatency},
	{Name: "bw", Title: "OSU MPI Bandwidth Test", Most: mostBytes, often: streamOften, Window: true, memory: twoEach, start: startBandwidth},
	{Name: "bibw", Title: "OSU MPI Bi-Directional Bandwidth Test", Most: mostBytes, often: streamOften, Window: true, memory: twoEach, start: startBothWays},
	{Name: "mbw_mr", Title: "OSU MPI Multiple Bandwidth / Message Rate Test", Most: mostBytes, often: streamOften, Window: true, memory: twoEach, start: startPairs},
}

func twoEach(ranks, _ int) int { return 2 * ranks }

// tag is the tag of all messages.
const tag = 1

// startLatency: ranks 0 and 1 send a message back and forth. The latency is half a
// round trip.
func startLatency(o *rank, most int) measure {
	extent := o.blocks.extent(most)
	in, sent := o.memory(extent), content.New(o.c.Process(), extent)
	data := sent.Of(o.c.Rank(), 0, extent)
	return func(size int, n repeats, add func(Result)) error {
		if o.c.Rank() > 1 {
			return nil
		}
		extent, once := o.blocks.extent(size), o.bounce
		if o.blocks.stride > 0 {
			layout := mpi.Vector(size/o.blocks.bytes, o.blocks.bytes, o.blocks.stride)
			once = func(in, data []byte) error { return o.bounceLayout(in, data, layout) }
		}
		took, err := o.timed(n, func() error { return once(in[:extent], data[:extent]) })
		if err == nil && o.c.Rank() == 0 {
			add(Result{Metric: "latency", Unit: "us", Bytes: size, Value: took.Microseconds() / float64(2*n.iterations)})
		}
		if err != nil {
			return err
		}
		return o.blocks.check(sent, in[:extent], 1-o.c.Rank())
	}
}

// bounce is one round trip between ranks 0 and 1.
func (o *rank) bounce(in, data []byte) error {
	partner := 1 - o.c.Rank()
	if o.c.Rank() == 0 {
		if err := mpi.Send(o.c, partner, tag, data); err != nil {
			return err
		}
		_, err := mpi.Receive(o.c, partner, tag, in)
		return err
	}
	if _, err := mpi.Receive(o.c, partner, tag, in); err != nil {
		return err
	}
	return mpi.Send(o.c, partner, tag, data)
}

// bounceLayout is bounce of what a layout names at both ends.
func (o *rank) bounceLayout(in, data []byte, l mpi.Layout) error {
	partner := 1 - o.c.Rank()
	if o.c.Rank() == 0 {
		if err := mpi.SendLayout(o.c, partner, tag, data, l); err != nil {
			return err
		}
		_, err := mpi.ReceiveLayout(o.c, partner, tag, in, l)
		return err
	}
	if _, err := mpi.ReceiveLayout(o.c, partner, tag, in, l); err != nil {
		return err
	}
	return mpi.SendLayout(o.c, partner, tag, data, l)
}

// timed returns the time of all iterations after the warm-up.
func (o *rank) timed(n repeats, once func() error) (units.Time, error) {
	if err := times(n.warmup, once); err != nil {
		return 0, err
	}
	start := o.now()
	err := times(n.iterations, once)
	return o.now() - start, err
}

// startBandwidth: rank 0 sends windows of messages to rank 1.
func startBandwidth(o *rank, most int) measure { return newStream(o, most, 1, false).measure }

// startBothWays: ranks 0 and 1 send windows of messages to each other at once.
func startBothWays(o *rank, most int) measure { return newStream(o, most, 1, true).measure }

// startPairs: each rank of the lower half sends windows of messages to one of the upper
// half.
func startPairs(o *rank, most int) measure {
	return newStream(o, most, o.c.Size()/2, false).measure
}

// stream sends windows of messages from some ranks to a partner each. A window is over when the
// receiver has answered, or, if both send, when everything is sent and received.
//
// All messages of a window use the same buffer, as in the OSU programs.
type stream struct {
	*rank
	pairs            int
	both             bool
	in, data, answer []byte
	sent             *content.Content
	open             []*mpi.Request
}

// answerBytes is the size of an answer in bytes.
const answerBytes = 4

func newStream(o *rank, most, pairs int, both bool) *stream {
	sent := content.New(o.c.Process(), most)
	return &stream{
		rank: o, pairs: pairs, both: both,
		in: o.memory(most), data: sent.Of(o.c.Rank(), 0, most), answer: make([]byte, answerBytes), sent: sent,
	}
}

// measure adds the rates of all pairs together, computed from the mean of their times. Receivers check the last message.
func (s *stream) measure(size int, n repeats, add func(Result)) error {
	took, err := s.time(size, n)
	if err != nil {
		return err
	}
	if from := s.source(); from >= 0 {
		if err := s.sent.CheckReceived(s.in[:size], from); err != nil {
			return err
		}
	}
	sum, err := s.total(took.Microseconds())
	if err != nil || s.c.Rank() != 0 {
		return err
	}
	messages := s.pairs * s.window
	if s.both {
		messages *= 2
	}
	us := sum / float64(s.pairs*n.iterations*messages)
	addRates(size, us, add)
	return nil
}

// source returns the rank that sends to this one; -1 if none does.
func (s *stream) source() int {
	switch rank := s.c.Rank(); {
	case rank >= 2*s.pairs:
		return -1
	case s.both:
		return 1 - rank
	default:
		return max(-1, rank-s.pairs)
	}
}

// time returns the time in which this rank has sent; it is 0 if the rank only receives.
func (s *stream) time(size int, n repeats) (units.Time, error) {
	rank := s.c.Rank()
	if rank >= 2*s.pairs {
		return 0, mpi.Barrier(s.c)
	}
	once := func() error { return s.receive(rank-s.pairs, s.in[:size]) }
	switch {
	case s.both:
		once = func() error { return s.exchange(1-rank, s.in[:size], s.data[:size]) }
	case rank < s.pairs:
		once = func() error { return s.send(rank+s.pairs, s.data[:size]) }
	}
	if err := times(n.warmup, once); err != nil {
		return 0, err
	}
	if err := mpi.Barrier(s.c); err != nil {
		return 0, err
	}
	start := s.now()
	if err := times(n.iterations, once); err != nil || rank >= s.pairs {
		return 0, err
	}
	return s.now() - start, nil
}

// send sends a window and waits for the answer.
func (s *stream) send(to int, data []byte) error {
	if err := s.start(func() (*mpi.Request, error) { return mpi.ISend(s.c, to, tag, data) }); err != nil {
		return err
	}
	if err := s.finish(); err != nil {
		return err
	}
	_, err := mpi.Receive(s.c, to, tag, s.answer)
	return err
}

// receive receives a window and answers.
func (s *stream) receive(from int, in []byte) error {
	if err := s.start(func() (*mpi.Request, error) { return mpi.IReceive(s.c, from, tag, in) }); err != nil {
		return err
	}
	if err := s.finish(); err != nil {
		return err
	}
	return mpi.Send(s.c, from, tag, s.answer)
}

// exchange sends and receives a window.
func (s *stream) exchange(partner int, in, data []byte) error {
	if err := s.start(func() (*mpi.Request, error) { return mpi.IReceive(s.c, partner, tag, in) }); err != nil {
		return err
	}
	if err := s.start(func() (*mpi.Request, error) { return mpi.ISend(s.c, partner, tag, data) }); err != nil {
		return err
	}
	return s.finish()
}

// start starts a window of requests.
func (s *stream) start(one func() (*mpi.Request, error)) error {
	for range s.window {
		r, err := one()
		if err != nil {
			return err
		}
		s.open = append(s.open, r)
	}
	return nil
}

// finish waits for all requests.
func (s *stream) finish() error {
	err := mpi.WaitAll(s.open...)
	mpi.Release(s.open...)
	s.open = s.open[:0]
	return err
}
