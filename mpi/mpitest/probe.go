package mpitest

import (
	"errors"
	"fmt"
	"slices"

	"musubi/mpi"
	"musubi/units"
)

var probeChecks = group{"probes", []check{
	{name: "probes", ranks: 2, program: probe},
	{name: "matched messages are taken", ranks: 2, program: matchedMessages},
	{name: "probes and racing senders", ranks: 4, program: racingSenders},
}}

// A probe tells what the next receive gets, and leaves it there.
func probe(c *mpi.Comm) error {
	for _, n := range []int{0, short, large} {
		if err := probeOf(c, n); err != nil {
			return fmt.Errorf("%d bytes: %w", n, err)
		}
	}
	return nil
}

func probeOf(c *mpi.Comm, n int) error {
	if c.Rank() == 0 {
		if err := awaitSignal(c, 1); err != nil {
			return err
		}
		r, err := mpi.ISend(c, 1, 4, text(n, 0))
		if err != nil {
			return err
		}
		if err := mpi.Send(c, 1, 3, []byte{}); err != nil {
			return err
		}
		_, err = r.Wait()
		return err
	}
	if _, ok, err := mpi.IProbe(c, 0, mpi.AnyTag); ok || err != nil {
		return fmt.Errorf("IProbe before anything is sent: %v, %v", ok, err)
	}
	if m, err := mpi.IMatch(c, 0, mpi.AnyTag); m != nil || err != nil {
		return fmt.Errorf("IMatch before anything is sent: %v, %v", m, err)
	}
	if err := signal(c, 0); err != nil {
		return err
	}
	want := mpi.Status{From: 0, Tag: 4, Bytes: n}
	for range 2 {
		if got, err := mpi.Probe(c, mpi.AnySource, mpi.AnyTag); err != nil || got != want {
			return fmt.Errorf("probed %+v, %v; expected %+v", got, err, want)
		}
	}
	if _, err := mpi.Probe(c, 0, 3); err != nil { // the one behind
		return err
	}
	if got, ok, err := mpi.IProbe(c, 0, 4); err != nil || !ok || got != want {
		return fmt.Errorf("probed %+v, %v, %v; expected %+v", got, ok, err, want)
	}
	into := make([]byte, n)
	if got, err := mpi.Receive(c, mpi.AnySource, mpi.AnyTag, into); err != nil || got != want || !slices.Equal(into, text(n, 0)) {
		return fmt.Errorf("received %+v, %v; expected %+v", got, err, want)
	}
	_, err := mpi.Receive(c, 0, 3, into)
	return err
}

// A matched message is out of reach of every other receive, even of one that is
// posted before it is received, and of probes.
func matchedMessages(c *mpi.Comm) error {
	for tag, n := range []int{short, large} {
		if c.Rank() == 1 {
			if err := takeMatched(c, tag, n); err != nil {
				return fmt.Errorf("%d bytes: %w", n, err)
			}
			continue
		}
		a, err := mpi.ISend(c, 1, tag, text(n, 1))
		if err != nil {
			return err
		}
		b, err := mpi.ISendSync(c, 1, tag, text(n, 2))
		if err != nil {
			return err
		}
		if err := mpi.WaitAll(a, b); err != nil {
			return err
		}
	}
	return nil
}

func takeMatched(c *mpi.Comm, tag, n int) error {
	m, err := mpi.Match(c, mpi.AnySource, tag)
	if err != nil {
		return err
	}
	second, first := make([]byte, n), make([]byte, n)
	if _, err := mpi.Receive(c, 0, tag, second); err != nil {
		return err
	}
	if _, ok, err := mpi.IProbe(c, 0, tag); ok || err != nil {
		return fmt.Errorf("a probe finds a matched message: %v, %v", ok, err)
	}
	if _, err := mpi.ReceiveMatched(m, first); err != nil {
		return err
	}
	if !slices.Equal(first, text(n, 1)) || !slices.Equal(second, text(n, 2)) {
		return errors.New("the messages are not those that were matched")
	}
	if _, err := mpi.ReceiveMatched(m, first); !errors.Is(err, mpi.ErrRequest) {
		return fmt.Errorf("received twice: error %v; expected ErrRequest", err)
	}
	return nil
}

// Many senders race; who probes with wildcards and then receives what it has probed
// gets just that, whoever has come meanwhile.
func racingSenders(c *mpi.Comm) error {
	const each = 20
	size := func(from, i int) int { return (from*997 + i*3301) % 12000 }
	if c.Rank() > 0 {
		for i := range each {
			c.Process().Compute(units.Time(size(c.Rank(), i)) * units.Nanosecond)
			if err := mpi.Send(c, 0, i, text(size(c.Rank(), i), c.Rank()+i)); err != nil {
				return err
			}
		}
		return nil
	}
	next := make([]int, c.Size())
	for n := range (c.Size() - 1) * each {
		var status mpi.Status
		var got []byte
		if n%2 == 0 {
			m, err := mpi.Match(c, mpi.AnySource, mpi.AnyTag)
			if err != nil {
				return err
			}
			c.Process().Compute(20 * units.Microsecond)
			got = make([]byte, m.Status().Bytes)
			if status, err = mpi.ReceiveMatched(m, got); err != nil {
				return err
			}
		} else {
			probed, err := mpi.Probe(c, mpi.AnySource, mpi.AnyTag)
			if err != nil {
				return err
			}
			c.Process().Compute(20 * units.Microsecond)
			got = make([]byte, probed.Bytes)
			if status, err = mpi.Receive(c, probed.From, probed.Tag, got); err != nil {
				return err
			}
		}
		from := status.From
		if status.Tag != next[from] || !slices.Equal(got, text(size(from, next[from]), from+next[from])) {
			return fmt.Errorf("message %+v; expected number %d of rank %d", status, next[from], from)
		}
		next[from]++
	}
	return nil
}
