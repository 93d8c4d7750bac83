package abi

import (
	"errors"

	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/match"
)

// peer returns the rank that a word names as package core has it.
func (c *call) peer(m *comm, rank int, wildcard bool) (int, error) {
	switch {
	case uint(rank) < uint(m.peers()):
		return rank, nil
	case rank == standard.ProcNull:
		return core.None, nil
	case rank == standard.AnySource && wildcard:
		return match.AnySource, nil
	}
	return 0, wrong(standard.ErrRank, "rank %d; expected 0 to %d", rank, m.peers()-1)
}

func (c *call) tag(tag int, wildcard bool) (int, error) {
	switch {
	case uint(tag) <= largestTag:
		return tag, nil
	case tag == standard.AnyTag && wildcard:
		return match.AnyTag, nil
	}
	return 0, wrong(standard.ErrTag, "tag %d; expected 0 to %d", tag, largestTag)
}

// message is the arguments of a send or a receive: address, count, type, rank, tag, communicator.
type envelopeOf struct {
	m         *comm
	at        int64
	count     int
	of        *datatype
	rank, tag int
}

// message reads the arguments of a send or a receive from word i on.
func (c *call) message(i int, receive bool) (e envelopeOf, err error) {
	if e.m, err = c.comm(i + 5); err != nil {
		return e, err
	}
	if e.rank, err = c.peer(e.m, c.at(i+3), receive); err != nil {
		return e, err
	}
	if c.a[i+2] == standard.DatatypeNull && (e.rank == core.None || c.at(i+1) == 0) { // programs that send nothing, or to nobody, give no type
		e.of = c.typeAt(standard.Byte)
	} else if e.count, e.of, err = c.counted(i + 1); err != nil {
		return e, err
	}
	e.at = c.a[i]
	if e.tag, err = c.tag(c.at(i+4), receive); err != nil {
		return e, err
	}
	if e.rank == core.None {
		e.count = 0
	}
	return e, nil
}

// mode is a way to send.
type mode int

const (
	standardMode mode = iota
	synchronous
	buffered
	ready
)

func init() {
	for _, s := range []struct {
		name string
		mode
	}{{"Send", standardMode}, {"Ssend", synchronous}, {"Bsend", buffered}, {"Rsend", ready}} {
		add(map[string]func(c *call) error{
			"MPI_" + s.name:           func(c *call) error { return c.send(s.mode) },
			"MPI_I" + lower(s.name):   func(c *call) error { return c.isend(s.mode) },
			"MPI_" + s.name + "_init": func(c *call) error { return c.sendInit(s.mode) },
		})
	}
	add(map[string]func(c *call) error{
		"MPI_Recv":              (*call).receive,
		"MPI_Irecv":             (*call).ireceive,
		"MPI_Recv_init":         (*call).receiveInit,
		"MPI_Sendrecv":          (*call).sendReceive,
		"MPI_Sendrecv_replace":  (*call).sendReceiveReplace,
		"MPI_Isendrecv":         (*call).isendReceive,
		"MPI_Isendrecv_replace": (*call).isendReceiveReplace,
		"MPI_Probe":             (*call).probe,
		"MPI_Iprobe":            (*call).iprobe,
		"MPI_Mprobe":            (*call).mprobe,
		"MPI_Improbe":           (*call).improbe,
		"MPI_Mrecv":             (*call).mreceive,
		"MPI_Imrecv":            (*call).imreceive,
	})
}

func lower(s string) string { return string(s[0]|0x20) + s[1:] }

func (c *call) send(by mode) error {
	e, err := c.message(0, false)
	if err != nil {
		return err
	}
	data := c.outgoing(e.at, e.count, e.of)
	if by == buffered {
		return c.bufferedSend(&e, data)
	}
	return e.m.point.Send(c.function.name, e.rank, e.tag, data, by == synchronous)
}

// bufferedSend starts to send a copy, which nobody waits for.
func (c *call) bufferedSend(e *envelopeOf, data []byte) error {
	if e.rank == core.None {
		return nil
	}
	b := c.bufferFor(e.m)
	b.collect()
	if free := b.bytes - b.used; len(data)+standard.BsendOverhead > free && len(data) > free {
		return wrong(standard.ErrBuffer, "%d bytes, and there is room for %d in the buffer that is attached", len(data), free)
	}
	copied := append([]byte(nil), data...)
	r, err := e.m.point.ISend(c.function.name, e.rank, e.tag, copied, false)
	if err != nil {
		return err
	}
	b.keep(r, len(copied))
	return nil
}

func (c *call) isend(by mode) error {
	e, err := c.message(0, false)
	if err != nil {
		return err
	}
	r, err := c.startSend(&e, by)
	if err != nil {
		return err
	}
	c.putWord(c.a[6], c.requests.Add(r))
	return nil
}

func (c *call) startSend(e *envelopeOf, by mode) (*request, error) {
	data := c.outgoing(e.at, e.count, e.of)
	r := c.newRequest(e.m)
	if by == buffered {
		r.done = true
		return r, c.bufferedSend(e, data)
	}
	if by == standardMode || by == ready {
		if e.rank != core.None && int(e.m.point.Process(e.rank)) != c.engine.Rank {
			if r.core = e.m.point.SendAtOnce(c.function.name, e.rank, e.tag, data); r.core != nil {
				return r, nil
			}
		}
	}
	var err error
	r.core, err = e.m.point.ISend(c.function.name, e.rank, e.tag, data, by == synchronous)
	return r, err
}

func (c *call) receive() error {
	e, err := c.message(0, true)
	if err != nil {
		return err
	}
	l := c.landing(e.at, e.count, e.of)
	s, err := e.m.point.Receive(c.function.name, e.rank, e.tag, l.data)
	return c.received(&l, s, err, c.a[6])
}

// received puts what has been received into place, and tells the status.
func (c *call) received(l *landing, s core.Status, err error, status int64) error {
	if isOf(err, fault.Truncate) {
		s.Bytes = len(l.data)
	} else if err != nil {
		return err
	}
	l.put(c.Process, s.Bytes)
	c.putStatus(status, &s)
	if err == nil && l.splits(s.Bytes) {
		return wrong(standard.ErrType, "%d bytes from rank %d; expected elements of %d", s.Bytes, s.From, l.of.Element.Bytes)
	}
	return err
}

func isOf(err error, class fault.Class) bool { return err != nil && errors.Is(err, class) }

func (c *call) ireceive() error {
	e, err := c.message(0, true)
	if err != nil {
		return err
	}
	r, err := c.startReceive(&e)
	if err != nil {
		return err
	}
	c.putWord(c.a[6], c.requests.Add(r))
	return nil
}

func (c *call) startReceive(e *envelopeOf) (*request, error) {
	r := c.newRequest(e.m)
	r.lands = append(r.lands, c.landing(e.at, e.count, e.of))
	var err error
	r.core, err = e.m.point.IReceive(c.function.name, e.rank, e.tag, r.lands[0].data)
	r.isReceive = true
	return r, err
}

func (c *call) sendInit(by mode) error {
	e, err := c.message(0, false)
	if err != nil {
		return err
	}
	c.putWord(c.a[6], c.persistent(e.m, func(c *call) (*request, error) { return c.startSend(&e, by) }))
	return nil
}

func (c *call) receiveInit() error {
	e, err := c.message(0, true)
	if err != nil {
		return err
	}
	c.putWord(c.a[6], c.persistent(e.m, func(c *call) (*request, error) { return c.startReceive(&e) }))
	return nil
}

// exchange reads the arguments of a send and a receive, of which the send comes first.
func (c *call) exchange() (out, in envelopeOf, err error) {
	if out.m, err = c.comm(10); err != nil {
		return out, in, err
	}
	in.m = out.m
	for i, e := range []*envelopeOf{&out, &in} {
		e.at = c.a[5*i]
		if e.count, e.of, err = c.counted(5*i + 1); err != nil {
			return out, in, err
		}
		if e.rank, err = c.peer(e.m, c.at(5*i+3), i == 1); err != nil {
			return out, in, err
		}
		if e.tag, err = c.tag(c.at(5*i+4), i == 1); err != nil {
			return out, in, err
		}
		if e.rank == core.None {
			e.count = 0
		}
	}
	return out, in, nil
}

func (c *call) sendReceive() error {
	out, in, err := c.exchange()
	if err != nil {
		return err
	}
	return c.swapData(&out, &in, c.a[11])
}

func (c *call) swapData(out, in *envelopeOf, status int64) error {
	l := c.landing(in.at, in.count, in.of)
	r, err := in.m.point.IReceive(c.function.name, in.rank, in.tag, l.data)
	if err != nil {
		return err
	}
	sent := out.m.point.Send(c.function.name, out.rank, out.tag, c.outgoing(out.at, out.count, out.of), false)
	s, err := r.Wait()
	if isOf(err, fault.Truncate) {
		s = r.Status
	}
	if err := c.received(&l, s, err, status); err != nil {
		return err
	}
	return sent
}

func (c *call) replace() (out, in envelopeOf, err error) {
	if out.m, err = c.comm(7); err != nil {
		return out, in, err
	}
	if out.count, out.of, err = c.counted(1); err != nil {
		return out, in, err
	}
	out.at = c.a[0]
	in = out
	if out.rank, err = c.peer(out.m, c.at(3), false); err != nil {
		return out, in, err
	}
	if out.tag, err = c.tag(c.at(4), false); err != nil {
		return out, in, err
	}
	if in.rank, err = c.peer(in.m, c.at(5), true); err != nil {
		return out, in, err
	}
	in.tag, err = c.tag(c.at(6), true)
	return out, in, err
}

func (c *call) sendReceiveReplace() error {
	out, in, err := c.replace()
	if err != nil {
		return err
	}
	data := append([]byte(nil), c.outgoing(out.at, out.count, out.of)...)
	if in.rank == core.None {
		in.count = 0
	}
	l := c.landing(in.at, in.count, in.of)
	r, err := in.m.point.IReceive(c.function.name, in.rank, in.tag, l.data)
	if err != nil {
		return err
	}
	sent := out.m.point.Send(c.function.name, out.rank, out.tag, data, false)
	s, err := r.Wait()
	if err := c.received(&l, s, err, c.a[8]); err != nil {
		return err
	}
	return sent
}

// isendReceive starts a receive, whose request stands for both, and a send of a copy.
func (c *call) isendReceive() error {
	out, in, err := c.exchange()
	if err != nil {
		return err
	}
	return c.startExchange(&out, &in, 11)
}

func (c *call) isendReceiveReplace() error {
	out, in, err := c.replace()
	if err != nil {
		return err
	}
	return c.startExchange(&out, &in, 8)
}

func (c *call) startExchange(out, in *envelopeOf, request int) error {
	data := append([]byte(nil), c.outgoing(out.at, out.count, out.of)...)
	r, err := c.startReceive(in)
	if err != nil {
		return err
	}
	if r.also, err = out.m.point.ISend(c.function.name, out.rank, out.tag, data, false); err != nil {
		return err
	}
	c.putWord(c.a[request], c.requests.Add(r))
	return nil
}

// sought reads the arguments of a probe: rank, tag, communicator.
func (c *call) sought() (m *comm, rank, tag int, err error) {
	if m, err = c.comm(2); err != nil {
		return m, 0, 0, err
	}
	if rank, err = c.peer(m, c.at(0), true); err != nil {
		return m, 0, 0, err
	}
	tag, err = c.tag(c.at(1), true)
	return m, rank, tag, err
}

func (c *call) probe() error {
	m, rank, tag, err := c.sought()
	if err != nil {
		return err
	}
	s, err := m.point.Probe(c.function.name, rank, tag)
	if err == nil {
		c.putStatus(c.a[3], &s)
	}
	return err
}

func (c *call) iprobe() error {
	m, rank, tag, err := c.sought()
	if err != nil {
		return err
	}
	s, ok, err := m.point.IProbe(c.function.name, rank, tag)
	if err != nil {
		return err
	}
	c.putBool(c.a[3], ok)
	if ok {
		c.putStatus(c.a[4], &s)
	}
	return nil
}

// message is a message that a matched probe has taken.
type message struct {
	*core.Message
	m *comm
}

func (c *call) putMessage(at int64, m *comm, msg *core.Message, rank int, status int64) {
	if rank == core.None {
		c.putWord(at, standard.MessageNoProc)
		c.putStatus(status, &core.Nothing)
		return
	}
	c.putWord(at, c.messages.Add(&message{msg, m}))
	c.putStatus(status, &msg.Status)
}

func (c *call) mprobe() error {
	m, rank, tag, err := c.sought()
	if err != nil {
		return err
	}
	msg, err := m.point.Claim(c.function.name, rank, tag)
	if err == nil {
		c.putMessage(c.a[3], m, msg, rank, c.a[4])
	}
	return err
}

func (c *call) improbe() error {
	m, rank, tag, err := c.sought()
	if err != nil {
		return err
	}
	msg, err := m.point.IClaim(c.function.name, rank, tag)
	if err != nil {
		return err
	}
	c.putBool(c.a[3], msg != nil)
	if msg == nil {
		c.putWord(c.a[4], standard.MessageNull)
		return nil
	}
	c.putMessage(c.a[4], m, msg, rank, c.a[5])
	return nil
}

// matched receives a message that has been matched.
func (c *call) matched() (l landing, s core.Status, m *comm, err error) {
	count, t, err := c.counted(1)
	if err != nil {
		return l, s, nil, err
	}
	h := c.word(c.a[3])
	if h == standard.MessageNoProc {
		c.putWord(c.a[3], standard.MessageNull)
		return l, core.Nothing, c.worldComm, nil
	}
	msg := c.messages.Get(h)
	if msg == nil {
		return l, s, nil, wrong(standard.ErrRequest, "%#x is no message", h)
	}
	c.on = &msg.m.handled
	c.messages.Remove(h)
	c.putWord(c.a[3], standard.MessageNull)
	l = c.landing(c.a[0], count, t)
	s, err = msg.Receive(c.function.name, l.data)
	return l, s, msg.m, err
}

func (c *call) mreceive() error {
	l, s, _, err := c.matched()
	return c.received(&l, s, err, c.a[4])
}

func (c *call) imreceive() error {
	l, s, m, err := c.matched()
	if err != nil && !isOf(err, fault.Truncate) {
		return err
	}
	if isOf(err, fault.Truncate) {
		s.Bytes = len(l.data)
	}
	l.put(c.Process, s.Bytes)
	r := c.newRequest(m)
	r.done, r.status, r.failed = true, s, err
	c.putWord(c.a[4], c.requests.Add(r))
	return nil
}
