package mpitest

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"musubi/mpi"
)

var pairedChecks = group{"paired persistent messages", []check{
	{name: "around a ring in both directions, by each protocol", program: pairedRing},
	{name: "to the rank itself", ranks: 1, program: pairedRing},
	{name: "between two ranks, each way by two edges", ranks: 2, program: pairedRing},
	{name: "those started first are paired first", ranks: 2, program: pairedInOrder},
	{name: "a receive has room for more, or for less", ranks: 2, program: pairedLengths},
	{name: "with nobody, and with wrong arguments", ranks: 1, program: pairedRefused},
}}

// pairedProtocols are those that paired messages may use; each rank may choose another one.
var pairedProtocols = []mpi.Protocol{mpi.Auto, mpi.PRDMA, mpi.FAST, mpi.MRC, mpi.Shared, mpi.Eager}

// pairedMessage is a paired send or receive.
type pairedMessage struct {
	p        *mpi.Persistent
	data     []byte
	receives bool
	from     int // sender
	tag      int
}

func (m *pairedMessage) prepare(c *mpi.Comm, peer int, o mpi.ExchangeOptions) (err error) {
	if m.receives {
		m.p, err = mpi.ReceiveInit(c, peer, m.tag, m.data, o)
		return err
	}
	m.p, err = mpi.SendInit(c, peer, m.tag, m.data, o)
	return err
}

// want is the data of a round.
func (m *pairedMessage) want(round int) []byte {
	return text(len(m.data), 1000*m.from+100*m.tag+round)
}

func (m *pairedMessage) start(round int) error {
	if clear(m.data); !m.receives {
		copy(m.data, m.want(round))
	}
	return m.p.Start()
}

func (m *pairedMessage) complete(round int) error {
	status, err := m.p.Wait()
	if err != nil || !m.receives {
		return err
	}
	if want := (mpi.Status{From: m.from, Tag: m.tag, Bytes: len(m.data)}); status != want {
		return fmt.Errorf("status %+v; expected %+v", status, want)
	}
	return same("a paired message", m.data, m.want(round))
}

// pairedRing sends to both neighbours on a ring with several tags, the same ones in both
// directions, while messages that are not paired have these tags, too.
func pairedRing(c *mpi.Comm) error {
	own := rand.New(rand.NewPCG(5, uint64(c.Rank())))
	before, after := (c.Rank()+c.Size()-1)%c.Size(), (c.Rank()+1)%c.Size()
	var all []*pairedMessage
	for i, length := range []int{0, 1, 8, short, large} {
		for way, peers := range [][2]int{{before, after}, {after, before}} {
			tag := 2*i + way
			if c.Size() > 2 {
				tag = i
			}
			o := mpi.ExchangeOptions{Protocol: pairedProtocols[own.IntN(len(pairedProtocols))]}
			receive := &pairedMessage{data: make([]byte, length), receives: true, from: peers[0], tag: tag}
			send := &pairedMessage{data: make([]byte, length), from: c.Rank(), tag: tag}
			if err := first(receive.prepare(c, peers[0], o), send.prepare(c, peers[1], o)); err != nil {
				return err
			}
			all = append(all, receive, send)
		}
	}
	for round := range 5 {
		if err := pairedRound(c, all, round, own); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	for _, m := range all {
		if err := m.p.Free(); err != nil {
			return err
		}
	}
	return nil
}

func pairedRound(c *mpi.Comm, all []*pairedMessage, round int, own *rand.Rand) error {
	for _, i := range own.Perm(len(all)) {
		if err := all[i].start(round); err != nil {
			return err
		}
	}
	other, got := (c.Rank()+1)%c.Size(), []int{-1}
	request, err := mpi.IReceive(c, mpi.AnySource, mpi.AnyTag, got)
	if err == nil {
		err = mpi.Send(c, other, 0, []int{round})
	}
	if err == nil {
		_, err = request.Wait()
	}
	if err != nil || got[0] != round {
		return fmt.Errorf("a message that is not paired: %v, %w", got, err)
	}
	for _, i := range own.Perm(len(all)) {
		if err := all[i].complete(round); err != nil {
			return err
		}
	}
	return nil
}

// pairedInOrder has three pairs of the same tag, which the ranks start first in the same order
// and later in any.
func pairedInOrder(c *mpi.Comm) error {
	own := rand.New(rand.NewPCG(6, uint64(c.Rank())))
	all := make([]*mpi.Persistent, 3)
	values := make([][]int, len(all))
	for i := range all {
		values[i] = []int{-1}
		var err error
		if c.Rank() == 0 {
			all[i], err = mpi.SendInit(c, 1, 7, values[i], mpi.ExchangeOptions{})
		} else {
			all[i], err = mpi.ReceiveInit(c, 0, 7, values[i], mpi.ExchangeOptions{})
		}
		if err != nil {
			return err
		}
	}
	for round := range 4 {
		order := []int{0, 1, 2}
		if round > 0 {
			order = own.Perm(len(all))
		}
		for _, i := range order {
			if c.Rank() == 0 {
				values[i][0] = 10*round + i
			}
			if err := all[i].Start(); err != nil {
				return err
			}
		}
		for i, p := range all {
			if _, err := p.Wait(); err != nil {
				return err
			}
			if values[i][0] != 10*round+i {
				return fmt.Errorf("round %d: pair %d has %d", round, i, values[i][0])
			}
		}
	}
	return first(all[0].Free(), all[1].Free(), all[2].Free())
}

// pairedLengths receives with too much room, and with too little: then what fits has come.
func pairedLengths(c *mpi.Comm) error {
	for _, o := range pairedProtocols {
		for _, room := range []int{100, 50, 20, 0} {
			data, options := text(50, room), mpi.ExchangeOptions{Protocol: o}
			m := &pairedMessage{data: data}
			if c.Rank() == 1 {
				m = &pairedMessage{data: make([]byte, room), receives: true}
			}
			if err := m.prepare(c, 1-c.Rank(), options); err != nil {
				return err
			}
			for range 2 {
				if err := m.p.Start(); err != nil {
					return err
				}
				status, err := m.p.Wait()
				if !m.receives {
					if err != nil {
						return err
					}
					continue
				}
				if fits := min(room, len(data)); errors.Is(err, mpi.ErrTruncate) != (room < len(data)) || status.Bytes != fits || string(m.data[:fits]) != string(data[:fits]) {
					return fmt.Errorf("%v: room for %d: %+v, %w", o, room, status, err)
				}
			}
			if err := m.p.Free(); err != nil {
				return err
			}
		}
	}
	return nil
}

// pairedRefused has no partner, or arguments that no pair can have.
func pairedRefused(c *mpi.Comm) error {
	var o mpi.ExchangeOptions
	data := []int{1}
	send, err1 := mpi.SendInit(c, mpi.None, 0, data, o)
	receive, err2 := mpi.ReceiveInit(c, mpi.None, 0, data, o)
	if err := first(err1, err2, send.Start(), receive.Start()); err != nil {
		return err
	}
	status, err := receive.Wait()
	if want := (mpi.Status{From: mpi.None, Tag: mpi.AnyTag}); err != nil || status != want {
		return fmt.Errorf("from nobody: %+v, %w; expected %+v", status, err, want)
	}
	if _, err := send.Wait(); err != nil {
		return err
	}
	_, anySource := mpi.ReceiveInit(c, mpi.AnySource, 0, data, o)
	_, anyTag := mpi.ReceiveInit(c, 0, mpi.AnyTag, data, o)
	_, large := mpi.SendInit(c, 0, 1<<28, data, o)
	_, protocol := mpi.SendInit(c, 0, 0, data, mpi.ExchangeOptions{Protocol: 99})
	for _, x := range []struct{ got, want error }{
		{anySource, mpi.ErrRank}, {anyTag, mpi.ErrTag}, {large, mpi.ErrTag}, {protocol, mpi.ErrArgument},
	} {
		if !errors.Is(x.got, x.want) {
			return fmt.Errorf("got %w; expected %w", x.got, x.want)
		}
	}
	return first(send.Free(), receive.Free())
}
