package mpitest

import (
	"errors"
	"fmt"
	"slices"

	"musubi/mpi"
	"musubi/units"
)

var pointChecks = group{"messages", []check{
	{name: "messages of all lengths arrive", ranks: 2, program: allLengths},
	{name: "elements keep their type", ranks: 2, program: elements},
	{name: "tags and order", ranks: 2, program: tagsAndOrder},
	{name: "messages that are too long", ranks: 2, program: truncation},
	{name: "messages to oneself", ranks: 1, program: toOneself},
	{name: "waiting for oneself fails", ranks: 2, program: waitingForOneself},
	{name: "receives beside collective operations", ranks: 3, program: besideCollectives},
	{name: "messages to nobody", ranks: 1, program: nobody},
	{name: "short sends do not wait for their receives", ranks: 2, program: eagerSends},
	{name: "synchronous and long sends wait for their receives", ranks: 2, program: waitingSends},
	{name: "data may change after a send", ranks: 2, program: dataMayChange},
	{name: "data of long sends may change when they are complete", ranks: 3, program: longDataMayChange},
	{name: "all send first", ranks: 4, program: allSendFirst},
	{name: "many more messages than rings hold", ranks: 4, program: flood},
	{name: "long messages in a ring", ranks: 4, program: ringOfLongMessages},
}}

func allLengths(c *mpi.Comm) error {
	lengths := []int{0, 1, 8, 100, 479, 480, 481, 5000, 8 << 10, 8<<10 + 1, 100_000, 1 << 20}
	for i, n := range lengths {
		want := text(n, i)
		if c.Rank() == 0 {
			if err := mpi.Send(c, 1, i, want); err != nil {
				return err
			}
			continue
		}
		got := make([]byte, n+3)
		status, err := mpi.Receive(c, 0, i, got)
		if err != nil {
			return err
		}
		if want := (mpi.Status{From: 0, Tag: i, Bytes: n}); status != want {
			return fmt.Errorf("status %+v; expected %+v", status, want)
		}
		if !slices.Equal(got[:n], want) || got[n] != 0 {
			return fmt.Errorf("%d bytes are not what was sent", n)
		}
	}
	return nil
}

// particle is a type that can be sent, though it has padding.
type particle struct {
	Kind     uint8
	At       [3]float64
	Spin     complex64
	Charged  bool
	Neighbor struct{ Index int32 }
}

func elements(c *mpi.Comm) error {
	numbers := []float64{1.5, -2, 1e300}
	particles := []particle{{Kind: 1, At: [3]float64{1, 2, 3}, Spin: 1 + 2i, Charged: true}, {Kind: 2}}
	particles[1].Neighbor.Index = -7
	if c.Rank() == 0 {
		return errors.Join(mpi.Send(c, 1, 0, numbers), mpi.Send(c, 1, 0, particles))
	}
	gotNumbers, gotParticles := make([]float64, 5), make([]particle, 2)
	status, err := mpi.Receive(c, 0, 0, gotNumbers)
	if err != nil {
		return err
	}
	if n := mpi.Count[float64](status); n != 3 || !slices.Equal(gotNumbers[:n], numbers) {
		return fmt.Errorf("%d numbers: %v; expected %v", n, gotNumbers, numbers)
	}
	if n := mpi.Count[[5]byte](status); n != -1 {
		return fmt.Errorf("24 bytes are %d elements of 5; expected -1", n)
	}
	if _, err := mpi.Receive(c, 0, 0, gotParticles); err != nil {
		return err
	}
	if !slices.Equal(gotParticles, particles) {
		return fmt.Errorf("%v; expected %v", gotParticles, particles)
	}
	return nil
}

// A message is received by its tag, whatever came before it; those with one tag come
// in the order of their sends, though long ones take longer than short ones.
func tagsAndOrder(c *mpi.Comm) error {
	const each = 6
	size := func(i int) int { return []int{short, large, 8}[i%3] }
	if c.Rank() == 0 {
		for i := range each {
			for tag := range 2 {
				r, err := mpi.ISend(c, 1, tag, text(size(i), i+tag))
				if err != nil {
					return err
				}
				defer r.Wait()
			}
		}
		return mpi.SendSync(c, 1, 2, []byte{})
	}
	for _, tag := range []int{1, 0} {
		for i := range each {
			got := make([]byte, large)
			status, err := mpi.Receive(c, 0, tag, got)
			if err != nil {
				return err
			}
			if !slices.Equal(got[:status.Bytes], text(size(i), i+tag)) {
				return fmt.Errorf("message %d with tag %d: %+v", i, tag, status)
			}
		}
	}
	_, err := mpi.Receive(c, 0, 2, []byte{})
	return err
}

// A message that is too long fills what there is, is told of, and is gone; its sender
// learns nothing of it.
func truncation(c *mpi.Comm) error {
	for _, n := range []int{short, large} {
		for _, room := range []int{0, 10} {
			if c.Rank() == 0 {
				if err := first(mpi.Send(c, 1, 5, text(n, 0)), mpi.Send(c, 1, 5, []byte{1})); err != nil {
					return err
				}
				continue
			}
			if err := truncated(c, n, room); err != nil {
				return fmt.Errorf("%d bytes into %d: %w", n, room, err)
			}
		}
	}
	return nil
}

func truncated(c *mpi.Comm, n, room int) error {
	got := make([]byte, room+1)
	status, err := mpi.Receive(c, 0, 5, got[:room])
	var e *mpi.Error
	if !errors.Is(err, mpi.ErrTruncate) || errors.Is(err, mpi.ErrOther) || !errors.As(err, &e) || e.Call != "Receive" {
		return fmt.Errorf("error %v; expected ErrTruncate", err)
	}
	if want := (mpi.Status{From: 0, Tag: 5, Bytes: room}); status != want {
		return fmt.Errorf("status %+v; expected %+v", status, want)
	}
	if !slices.Equal(got[:room], text(n, 0)[:room]) || got[room] != 0 {
		return fmt.Errorf("received %v", got)
	}
	_, err = mpi.Receive(c, 0, 5, got[:1])
	return err
}

func toOneself(c *mpi.Comm) error {
	for _, n := range []int{0, short, large} {
		for _, first := range []string{"send", "receive"} {
			got := make([]byte, n)
			sent := text(n, 3)
			var in, out *mpi.Request
			var err error
			if first == "receive" {
				if in, err = mpi.IReceive(c, 0, 0, got); err != nil {
					return err
				}
				if err := mpi.Send(c, 0, 0, sent); err != nil {
					return err
				}
			} else {
				if err := mpi.Send(c, 0, 0, sent); err != nil {
					return err
				}
				clear(sent)
				if in, err = mpi.IReceive(c, 0, 0, got); err != nil {
					return err
				}
			}
			if _, err := in.Wait(); err != nil || !slices.Equal(got, text(n, 3)) {
				return fmt.Errorf("%d bytes, %s first: %v, or wrong data", n, first, err)
			}
			if out, err = mpi.ISendSync(c, 0, 1, sent); err != nil {
				return err
			}
			if _, complete, err := out.Test(); complete || err != nil {
				return fmt.Errorf("synchronous: complete %v before the receive, %v", complete, err)
			}
			if _, err := mpi.Receive(c, 0, 1, got); err != nil {
				return err
			}
			if _, complete, err := out.Test(); !complete || err != nil {
				return fmt.Errorf("synchronous: complete %v after the receive, %v", complete, err)
			}
		}
	}
	return nil
}

// What could only wait for its own process fails, and leaves nothing behind.
func waitingForOneself(c *mpi.Comm) error {
	me, b := c.Rank(), make([]byte, 8)
	if err := mpi.SendSync(c, me, 0, b); !errors.Is(err, mpi.ErrOther) {
		return fmt.Errorf("call of SendSync: error %v; expected ErrOther", err)
	}
	if _, err := mpi.Receive(c, me, 0, b); !errors.Is(err, mpi.ErrOther) {
		return fmt.Errorf("call of Receive: error %v; expected ErrOther", err)
	}
	if _, err := mpi.Probe(c, me, 0); !errors.Is(err, mpi.ErrOther) {
		return fmt.Errorf("call of Probe: error %v; expected ErrOther", err)
	}
	if err := mpi.Send(c, me, 0, []byte{7}); err != nil {
		return err
	}
	status, err := mpi.Receive(c, mpi.AnySource, mpi.AnyTag, b)
	if err != nil || status.Bytes != 1 || b[0] != 7 {
		return fmt.Errorf("then received %+v, %v", status, err)
	}
	return nil
}

// Receives with wildcards get nothing of what collective operations send meanwhile.
func besideCollectives(c *mpi.Comm) error {
	got := make([]byte, 1000)
	in, err := mpi.IReceive(c, mpi.AnySource, mpi.AnyTag, got)
	if err != nil {
		return err
	}
	sum := make([]int, 1)
	if err := errors.Join(mpi.Barrier(c), mpi.AllReduce(c, []int{c.Rank()}, sum, mpi.Sum[int]())); err != nil {
		return err
	}
	if err := mpi.Send(c, (c.Rank()+1)%3, 5, []byte{1, 2, 3}); err != nil {
		return err
	}
	status, err := in.Wait()
	if want := (mpi.Status{From: (c.Rank() + 2) % 3, Tag: 5, Bytes: 3}); err != nil || status != want || sum[0] != 3 {
		return fmt.Errorf("received %+v, %v, and the sum is %d; expected %+v", status, err, sum[0], want)
	}
	return nil
}

// A short send returns before its receive begins.
func eagerSends(c *mpi.Comm) error {
	if c.Rank() == 0 {
		return first(mpi.Send(c, 1, 0, make([]byte, short)), signal(c, 1))
	}
	if err := awaitSignal(c, 0); err != nil {
		return err
	}
	_, err := mpi.Receive(c, 0, 0, make([]byte, short))
	return err
}

// A synchronous send, of whatever length, is not complete before its receive begins,
// and neither is one that is longer than what ranks copy where they share processors.
func waitingSends(c *mpi.Comm) error {
	for _, send := range []struct {
		bytes int
		start func(c *mpi.Comm, to, tag int, data []byte) (*mpi.Request, error)
	}{{0, mpi.ISendSync[byte]}, {short, mpi.ISendSync[byte]}, {large, mpi.ISendSync[byte]}, {longest, mpi.ISend[byte]}} {
		if c.Rank() == 1 {
			if err := awaitSignal(c, 0); err != nil {
				return err
			}
			if _, err := mpi.Receive(c, 0, 0, make([]byte, send.bytes)); err != nil {
				return err
			}
			continue
		}
		r, err := send.start(c, 1, 0, make([]byte, send.bytes))
		if err != nil {
			return err
		}
		for range 100 {
			if _, complete, err := r.Test(); complete || err != nil {
				return fmt.Errorf("a send of %d bytes is complete before its receive (%v)", send.bytes, err)
			}
		}
		if err := signal(c, 1); err != nil {
			return err
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// None takes everything and sends nothing, at once.
func nobody(c *mpi.Comm) error {
	b := []byte{42}
	if err := errors.Join(mpi.Send(c, mpi.None, 0, b), mpi.SendSync(c, mpi.None, 0, b)); err != nil {
		return err
	}
	want := mpi.Status{From: mpi.None, Tag: mpi.AnyTag}
	received, err := mpi.SendReceive(c, mpi.None, 0, b, mpi.None, 0, b)
	if err != nil || received != want || b[0] != 42 {
		return fmt.Errorf("received %+v, %v", received, err)
	}
	if probed, err := mpi.Probe(c, mpi.None, 0); err != nil || probed != want {
		return fmt.Errorf("probed %+v, %v", probed, err)
	}
	if probed, ok, err := mpi.IProbe(c, mpi.None, 0); err != nil || !ok || probed != want {
		return fmt.Errorf("probed %+v, %v, %v", probed, ok, err)
	}
	m, err := mpi.Match(c, mpi.None, 0)
	if err != nil {
		return err
	}
	if status, err := mpi.ReceiveMatched(m, b); err != nil || status != want || b[0] != 42 {
		return fmt.Errorf("matched %+v, %v", status, err)
	}
	in, err := mpi.IReceive(c, mpi.None, 0, b)
	if err != nil {
		return err
	}
	if status, complete, err := in.Test(); !complete || status != want || err != nil {
		return fmt.Errorf("tested %+v, %v, %v", status, complete, err)
	}
	return nil
}

// A sender whose data has been taken may change it, and the message is what it was.
func dataMayChange(c *mpi.Comm) error {
	const messages = 50
	b := make([]byte, short)
	for i := range messages {
		if c.Rank() == 0 {
			copy(b, text(short, i))
			if err := mpi.Send(c, 1, 0, b); err != nil {
				return err
			}
			continue
		}
		c.Process().Compute(units.Microsecond)
		if _, err := mpi.Receive(c, 0, 0, b); err != nil {
			return err
		}
		if !slices.Equal(b, text(short, i)) {
			return fmt.Errorf("message %d is not what was sent", i)
		}
	}
	return nil
}

// Long sends that are complete before their receives keep what was in their data. There are more than a rank can copy, of all lengths, and
// the receives come in another order.
func longDataMayChange(c *mpi.Comm) error {
	lengths := []int{9_000, 20_000, 64 << 10, 65_537, 100_000, 1 << 20, 1<<20 + 1}
	const rounds = 2
	for round := range rounds {
		list := slices.Repeat(lengths, 3)
		if c.Rank() > 0 {
			var open []*mpi.Request
			for tag, n := range list {
				b := text(n, c.Rank()+tag+round)
				r, err := mpi.ISend(c, 0, tag, b)
				if err != nil {
					return err
				}
				if _, complete, err := r.Test(); err != nil {
					return err
				} else if complete {
					clear(b)
				} else {
					open = append(open, r)
				}
			}
			if err := first(signal(c, 0), mpi.WaitAll(open...)); err != nil {
				return err
			}
			continue
		}
		for from := 1; from < c.Size(); from++ {
			if err := awaitSignal(c, from); err != nil {
				return err
			}
		}
		for i := range list {
			for from := 1; from < c.Size(); from++ {
				tag := (i*5 + from) % len(list)
				n := list[tag]
				b := make([]byte, n)
				if _, err := mpi.Receive(c, from, tag, b); err != nil {
					return err
				}
				if !slices.Equal(b, text(n, from+tag+round)) {
					return fmt.Errorf("round %d: %d bytes of rank %d are not what was sent", round, n, from)
				}
			}
		}
	}
	return nil
}

// exchangeAll sends to all others first, and receives only then.
func exchangeAll(c *mpi.Comm, messages int, size func(i int) int) error {
	for i := range messages {
		for to := range c.Size() {
			if err := mpi.Send(c, to, i, text(size(i), c.Rank()+i)); err != nil {
				return err
			}
		}
	}
	for from := range c.Size() {
		for i := messages - 1; i >= 0; i-- {
			got := make([]byte, size(i))
			if _, err := mpi.Receive(c, from, i, got); err != nil {
				return err
			}
			if !slices.Equal(got, text(size(i), from+i)) {
				return fmt.Errorf("message %d of rank %d is not what was sent", i, from)
			}
		}
	}
	return nil
}

func allSendFirst(c *mpi.Comm) error {
	return exchangeAll(c, 3, func(i int) int { return []int{0, short, 600}[i] })
}

// Messages that nobody has asked for yet do not fill up the rings for good.
func flood(c *mpi.Comm) error {
	return exchangeAll(c, 120, func(i int) int { return i % 50 * 12 })
}

// Long messages go round in a ring of ranks, of which each sends before it receives.
func ringOfLongMessages(c *mpi.Comm) error {
	n := c.Size()
	right, left := (c.Rank()+1)%n, (c.Rank()+n-1)%n
	data, into := text(large, c.Rank()), make([]byte, large)
	for lap := range n {
		out, err := mpi.ISend(c, right, lap, data)
		if err != nil {
			return err
		}
		in, err := mpi.IReceive(c, left, lap, into)
		if err != nil {
			return err
		}
		if err := mpi.WaitAll(out, in); err != nil {
			return err
		}
		data, into = into, data
	}
	if !slices.Equal(data, text(large, c.Rank())) {
		return fmt.Errorf("what has come round is not what was sent")
	}
	_, err := mpi.SendReceive(c, right, n, data, left, n, into)
	if err == nil && !slices.Equal(into, text(large, left)) {
		err = fmt.Errorf("SendReceive: wrong data")
	}
	return err
}
