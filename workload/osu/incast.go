package osu

import (
	"errors"

	"musubi/mpi"
	"musubi/workload/internal/content"
)

// incastTests are the tests of messages that all other ranks send to one at once. The OSU programs have none.
var incastTests = []Test{
	{Name: "incast", Title: "Incast Latency Test", Most: mostBytes, often: latencyOften, memory: twoEach, start: startIncast},
}

// requestBytes is the size of what rank 0 asks with, in bytes.
const requestBytes = 64

// incast is the part of a rank in it.
type incast struct {
	*rank
	request, data, in []byte
	open              []*mpi.Request
}

// startIncast: rank 0 asks all others for a message each, and waits for all of these.
func startIncast(o *rank, most int) measure {
	sent := content.New(o.c.Process(), most)
	i := incast{rank: o, request: make([]byte, requestBytes), data: sent.Of(o.c.Rank(), 0, most)}
	if o.c.Rank() > 0 {
		return func(size int, n repeats, _ func(Result)) error {
			_, err := o.timed(n, func() error { return i.answer(size) })
			return err
		}
	}
	i.in = o.memory(o.c.Size() * most)
	return func(size int, n repeats, add func(Result)) error {
		took, err := o.timed(n, func() error { return i.ask(size) })
		if err != nil {
			return err
		}
		add(Result{Metric: "latency", Unit: "us", Bytes: size, Value: took.Microseconds() / float64(n.iterations)})
		for from := 1; from < o.c.Size(); from++ {
			err = errors.Join(err, sent.CheckReceived(i.from(from, size), from))
		}
		return err
	}
}

func (i *incast) answer(size int) error {
	if _, err := mpi.Receive(i.c, 0, tag, i.request); err != nil {
		return err
	}
	return mpi.Send(i.c, 0, tag, i.data[:size])
}

func (i *incast) ask(size int) error {
	i.open = i.open[:0]
	for from := 1; from < i.c.Size(); from++ {
		r, err := mpi.IReceive(i.c, from, tag, i.from(from, size))
		if err != nil {
			return err
		}
		i.open = append(i.open, r)
	}
	for to := 1; to < i.c.Size(); to++ {
		if err := mpi.Send(i.c, to, tag, i.request); err != nil {
			return err
		}
	}
	err := mpi.WaitAll(i.open...)
	mpi.Release(i.open...)
	return err
}

// from returns where the message of a rank goes.
func (i *incast) from(rank, size int) []byte { return i.in[rank*size:][:size] }
