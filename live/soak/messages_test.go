//go:build linux

package soak

import (
	"fmt"
	"math/rand/v2"

	"musubi/mpi"
)

// traffic is the lengths of messages, by sender and receiver.
type traffic [][][]int

func (s *soaker) traffic(n int) traffic {
	t := make(traffic, n)
	for from := range t {
		t[from] = make([][]int, n)
		for to := range t[from] {
			for range s.plan.IntN(4) {
				t[from][to] = append(t[from][to], s.length())
			}
		}
	}
	return t
}

// messages lets all send to all, and each receive in a way of its own.
func (s *soaker) messages() error { return s.exchange(s.c) }

func (s *soaker) exchange(c *mpi.Comm) error {
	t := s.traffic(c.Size())
	way := s.own.IntN(4)
	var into posted
	if way == 3 {
		var err error
		if into, err = s.post(c, t); err != nil {
			return err
		}
	}
	sends, err := s.send(c, t)
	if err != nil {
		return err
	}
	if way == 3 {
		err = into.finish(s)
	} else {
		err = s.receive(c, t, way)
	}
	if err != nil {
		return err
	}
	if err := mpi.WaitAll(sends...); err != nil {
		return err
	}
	return mpi.Barrier(c) // before others send more to whoever receives from any
}

// send starts to send all messages of this rank, in a random order of receivers.
func (s *soaker) send(c *mpi.Comm, t traffic) ([]*mpi.Request, error) {
	var sends []*mpi.Request
	for _, to := range s.own.Perm(c.Size()) {
		for i, n := range t[c.Rank()][to] {
			start := mpi.ISend[byte]
			if s.own.IntN(4) == 0 {
				start = mpi.ISendSync[byte]
			}
			r, err := start(c, to, i, pattern(n, s.round, c.Rank(), to, i))
			if err != nil {
				return nil, err
			}
			sends = append(sends, r)
		}
	}
	return sends, nil
}

// receive receives all messages as they come. Those of each sender must come in order.
func (s *soaker) receive(c *mpi.Comm, t traffic, way int) error {
	next := make([]int, c.Size())
	left := 0
	for from := range t {
		left += len(t[from][c.Rank()])
	}
	for range left {
		status, data, err := take(c, way)
		if err != nil {
			return err
		}
		from, i := status.From, next[status.From]
		next[from]++
		if lengths := t[from][c.Rank()]; status.Tag != i || i >= len(lengths) || lengths[i] != len(data) {
			return fmt.Errorf("wrong data: message %d of rank %d has tag %d and %d bytes, of %v", i, from, status.Tag, len(data), lengths)
		}
		if err := compare(data, s.round, from, c.Rank(), i); err != nil {
			return err
		}
	}
	return nil
}

// take receives the next message of any sender, in one of several ways.
func take(c *mpi.Comm, way int) (mpi.Status, []byte, error) {
	switch way {
	case 0:
		data := make([]byte, 2<<20)
		status, err := mpi.Receive(c, mpi.AnySource, mpi.AnyTag, data)
		return status, data[:status.Bytes], err
	case 1:
		found, err := mpi.Probe(c, mpi.AnySource, mpi.AnyTag)
		if err != nil {
			return found, nil, err
		}
		data := make([]byte, found.Bytes)
		status, err := mpi.Receive(c, found.From, found.Tag, data)
		return status, data[:status.Bytes], err
	}
	m, err := mpi.Match(c, mpi.AnySource, mpi.AnyTag)
	if err != nil {
		return mpi.Status{}, nil, err
	}
	data := make([]byte, m.Status().Bytes)
	status, err := mpi.ReceiveMatched(m, data)
	return status, data, err
}

// posted is receives of particular messages.
type posted struct {
	requests []*mpi.Request
	compare  []func() error
}

// post starts to receive all messages, in a random order.
func (s *soaker) post(c *mpi.Comm, t traffic) (posted, error) {
	var p posted
	for _, from := range s.own.Perm(c.Size()) {
		lengths := t[from][c.Rank()]
		for _, i := range s.own.Perm(len(lengths)) {
			data := make([]byte, lengths[i])
			r, err := mpi.IReceive(c, from, i, data)
			if err != nil {
				return p, err
			}
			p.requests = append(p.requests, r)
			p.compare = append(p.compare, func() error { return compare(data, s.round, from, c.Rank(), i) })
		}
	}
	return p, nil
}

// finish completes receives as they come.
func (p posted) finish(s *soaker) error {
	for range p.requests {
		i, _, err := mpi.WaitAny(p.requests...)
		if err != nil {
			return err
		}
		if err := p.compare[i](); err != nil {
			return err
		}
	}
	return nil
}

// communicators makes one or two, uses them, and frees them.
func (s *soaker) communicators() error {
	d, err := s.c.Dup()
	if err != nil {
		return err
	}
	part, err := d.Split(s.c.Rank()%(1+s.plan.IntN(2)), s.plan.IntN(2)*-s.c.Rank())
	if err != nil {
		return err
	}
	seed := s.plan.Uint64()
	if err := s.exchange(d); err != nil {
		return err
	}
	if err := s.within(part, seed); err != nil {
		return err
	}
	if err := part.Free(); err != nil {
		return err
	}
	return d.Free()
}

// within lets the ranks of a smaller communicator do something on their own.
func (s *soaker) within(part *mpi.Comm, seed uint64) error {
	inner := *s
	inner.c, inner.plan = part, rand.New(rand.NewPCG(seed, 4))
	if err := inner.exchange(part); err != nil {
		return err
	}
	return inner.collectives()
}
