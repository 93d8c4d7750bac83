package mpitest

import (
	"errors"
	"fmt"
	"slices"

	"musubi/mpi"
)

var requestChecks = group{"requests", []check{
	{name: "many requests at once", ranks: 2, program: manyRequests},
	{name: "WaitAny", ranks: 3, program: waitAny},
	{name: "WaitSome and TestSome", ranks: 3, program: some},
	{name: "Test and TestAll", ranks: 2, program: testAll},
	{name: "receives that are cancelled", ranks: 2, program: cancel},
	{name: "persistent requests", ranks: 2, program: persistent},
	{name: "persistent requests are not started twice", ranks: 1, program: startedTwice},
	{name: "requests that are not complete", ranks: 2, program: incomplete},
}}

// Receives are posted in another order than that of the sends, and all are open at
// once.
func manyRequests(c *mpi.Comm) error {
	const many = 300
	size := func(i int) int { return []int{8, 8, 8, 9000}[i%4] }
	var requests []*mpi.Request
	into := make([][]byte, many)
	for i := range many {
		tag := many - 1 - i
		into[tag] = make([]byte, size(tag))
		in, err := mpi.IReceive(c, 1-c.Rank(), tag, into[tag])
		if err != nil {
			return err
		}
		out, err := mpi.ISend(c, 1-c.Rank(), i, text(size(i), i))
		if err != nil {
			return err
		}
		requests = append(requests, in, out)
	}
	if err := mpi.WaitAll(requests...); err != nil {
		return err
	}
	for i, got := range into {
		if !slices.Equal(got, text(size(i), i)) {
			return fmt.Errorf("message %d is not what was sent", i)
		}
	}
	return nil
}

// WaitAny tells of each request once, in the order in which they are complete, and
// then that there is none.
func waitAny(c *mpi.Comm) error {
	if c.Rank() > 0 {
		return first(awaitSignal(c, 0), mpi.Send(c, 0, 0, text(large, c.Rank())))
	}
	requests := make([]*mpi.Request, 4) // two of them nil
	for from := 1; from <= 2; from++ {
		var err error
		if requests[from], err = mpi.IReceive(c, from, 0, make([]byte, large)); err != nil {
			return err
		}
	}
	for _, want := range []int{2, 1} {
		if err := signal(c, want); err != nil {
			return err
		}
		i, status, err := mpi.WaitAny(requests...)
		if err != nil || i != want || status.From != want {
			return fmt.Errorf("request %d, status %+v, %v; expected request %d", i, status, err, want)
		}
	}
	tested, err := mpi.IReceive(c, mpi.None, 0, []byte{})
	if err != nil {
		return err
	}
	if _, complete, err := tested.Test(); !complete || err != nil {
		return fmt.Errorf("complete %v, %v", complete, err)
	}
	if i, _, err := mpi.WaitAny(append(requests, tested)...); i != -1 || err != nil {
		return fmt.Errorf("request %d, %v; expected none", i, err)
	}
	return nil
}

// WaitSome and TestSome tell of each request once, when it is complete; what each has
// received, and how that has failed, its Wait tells.
func some(c *mpi.Comm) error {
	const each = 5
	if c.Rank() > 0 {
		err := awaitSignal(c, 0)
		for tag := range each {
			err = first(err, mpi.Send(c, 0, tag, text([]int{short, large}[tag%2], tag)))
		}
		return err
	}
	requests := make([]*mpi.Request, 1, 1+2*each) // the first is nil
	for i := range 2 * each {
		r, err := mpi.IReceive(c, 1+i/each, i%each, make([]byte, large-1))
		if err != nil {
			return err
		}
		requests = append(requests, r)
	}
	if list, err := mpi.TestSome(requests...); len(list) > 0 || err != nil {
		return fmt.Errorf("complete before anything was sent: %v, %v", list, err)
	}
	if err := first(signal(c, 1), signal(c, 2)); err != nil {
		return err
	}
	told := make([]int, len(requests))
	for ways, left := []func(...*mpi.Request) ([]int, error){mpi.WaitSome, mpi.TestSome}, 2*each; left > 0; {
		list, err := ways[left%2](requests...)
		if err != nil || len(list) == 0 && left%2 == 0 {
			return fmt.Errorf("requests %v, %v; expected some of %d", list, err, left)
		}
		for _, i := range list {
			told[i]++
			left--
			status, err := requests[i].Wait()
			if status.From != 1+(i-1)/each || status.Tag != (i-1)%each || errors.Is(err, mpi.ErrTruncate) != (status.Tag%2 == 1) {
				return fmt.Errorf("request %d: %+v, %v", i, status, err)
			}
		}
	}
	if err := same("requests told of", told[1:], slices.Repeat([]int{1}, 2*each)); err != nil {
		return err
	}
	list, err := mpi.WaitSome(requests...)
	more, failed := mpi.TestSome(requests...)
	if err := first(err, failed); err != nil || len(list)+len(more) > 0 {
		return fmt.Errorf("requests %v and %v, %v; expected none", list, more, err)
	}
	return nil
}

// Nothing is complete before it is sent, and all is at some time after.
func testAll(c *mpi.Comm) error {
	if c.Rank() == 1 {
		return first(awaitSignal(c, 0), mpi.Send(c, 0, 0, text(short, 0)), mpi.Send(c, 0, 1, text(large, 0)))
	}
	a, err := mpi.IReceive(c, 1, 0, make([]byte, short))
	if err != nil {
		return err
	}
	b, err := mpi.IReceive(c, 1, 1, make([]byte, large))
	if err != nil {
		return err
	}
	for range 100 {
		if all, err := mpi.TestAll(a, nil, b); all || err != nil {
			return fmt.Errorf("complete before anything was sent (%v)", err)
		}
	}
	if err := signal(c, 1); err != nil {
		return err
	}
	for all := false; !all; {
		if all, err = mpi.TestAll(a, nil, b); err != nil {
			return err
		}
	}
	for _, r := range []*mpi.Request{a, b} {
		if status, complete, err := r.Test(); !complete || err != nil || status.From != 1 {
			return fmt.Errorf("after TestAll: %+v, %v, %v", status, complete, err)
		}
	}
	return nil
}

// A receive can be taken back until a message matches it; the message goes to the
// next then.
func cancel(c *mpi.Comm) error {
	if c.Rank() == 0 {
		if _, err := mpi.Receive(c, 1, 1, []byte{}); err != nil { // 1 has cancelled
			return err
		}
		out, err := mpi.ISend(c, 1, 0, text(large, 0))
		if err != nil {
			return err
		}
		if err := out.Cancel(); !errors.Is(err, mpi.ErrRequest) {
			return fmt.Errorf("cancelling a send: error %v; expected ErrRequest", err)
		}
		_, err = out.Wait()
		return err
	}
	first, second := make([]byte, large), make([]byte, large)
	a, err := mpi.IReceive(c, mpi.AnySource, 0, first)
	if err != nil {
		return err
	}
	b, err := mpi.IReceive(c, 0, mpi.AnyTag, second)
	if err != nil {
		return err
	}
	if err := a.Cancel(); err != nil {
		return err
	}
	if status, err := a.Wait(); err != nil || !status.Cancelled {
		return fmt.Errorf("cancelled: %+v, %v", status, err)
	}
	if err := mpi.Send(c, 0, 1, []byte{}); err != nil {
		return err
	}
	status, err := b.Wait()
	if err != nil || status.Cancelled || !slices.Equal(second, text(large, 0)) || first[1] != 0 {
		return fmt.Errorf("the other receive: %+v, %v", status, err)
	}
	if err := b.Cancel(); err != nil {
		return fmt.Errorf("cancelling what is complete: %w", err)
	}
	if again, err := b.Wait(); err != nil || again != status {
		return fmt.Errorf("waited again: %+v, %v; expected %+v", again, err, status)
	}
	return nil
}

// Persistent requests take what the slice has at each start.
func persistent(c *mpi.Comm) error {
	for _, n := range []int{0, short, large} {
		if err := startedAgain(c, n); err != nil {
			return fmt.Errorf("%d bytes: %w", n, err)
		}
	}
	return nil
}

func startedAgain(c *mpi.Comm, n int) error {
	out, in := make([]byte, n), make([]byte, n)
	send, err := mpi.SendInit(c, 1-c.Rank(), 0, out)
	if err != nil {
		return err
	}
	sync, err := mpi.SendSyncInit(c, 1-c.Rank(), 1, out)
	if err != nil {
		return err
	}
	receive, err := mpi.ReceiveInit(c, 1-c.Rank(), mpi.AnyTag, in)
	if err != nil {
		return err
	}
	for round := range 10 {
		copy(out, text(n, c.Rank()+round))
		use := send
		if round%2 == 1 {
			use = sync
		}
		if err := mpi.StartAll(receive, use); err != nil {
			return err
		}
		if err := mpi.WaitAll(use.Request(), receive.Request()); err != nil {
			return err
		}
		if !slices.Equal(in, text(n, 1-c.Rank()+round)) {
			return fmt.Errorf("round %d: wrong data", round)
		}
	}
	return nil
}

func startedTwice(c *mpi.Comm) error {
	p, err := mpi.ReceiveInit(c, 0, 0, make([]byte, 1))
	if err != nil {
		return err
	}
	if _, err := p.Wait(); !errors.Is(err, mpi.ErrRequest) {
		return fmt.Errorf("call of Wait before Start: error %v; expected ErrRequest", err)
	}
	if err := p.Start(); err != nil {
		return err
	}
	if err := p.Start(); !errors.Is(err, mpi.ErrRequest) {
		return fmt.Errorf("second Start: error %v; expected ErrRequest", err)
	}
	if _, complete, err := p.Test(); complete || err != nil {
		return fmt.Errorf("complete %v, %v", complete, err)
	}
	if err := mpi.Send(c, 0, 0, []byte{5}); err != nil {
		return err
	}
	if _, err := p.Wait(); err != nil {
		return err
	}
	if err := p.Start(); err != nil {
		return fmt.Errorf("call of Start after Wait: %w", err)
	}
	return p.Request().Cancel()
}

// A communicator is not freed while something is under way in it.
func incomplete(c *mpi.Comm) error {
	d, err := c.Dup()
	if err != nil {
		return err
	}
	in, err := mpi.IReceive(d, 1-d.Rank(), 7, make([]byte, short))
	if err != nil {
		return err
	}
	if err := d.Free(); !errors.Is(err, mpi.ErrRequest) {
		return fmt.Errorf("call of Free with a receive under way: error %v; expected ErrRequest", err)
	}
	if err := mpi.Barrier(c); err != nil { // no message comes before the other rank has called Free
		return err
	}
	if err := mpi.Send(d, 1-d.Rank(), 7, make([]byte, short)); err != nil {
		return err
	}
	if _, err := in.Wait(); err != nil {
		return err
	}
	return d.Free()
}
