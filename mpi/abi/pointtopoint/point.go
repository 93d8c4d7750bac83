package pointtopoint

import (
	"errors"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
)

// message reads the arguments of a send or a receive from word i on.
func message(c *abi.Call, i int, receive bool) (e abi.Transfer, err error) {
	if e.Comm, err = c.Comm(i + 5); err != nil {
		return e, err
	}
	if e.Rank, err = c.Peer(e.Comm, c.At(i+3), receive); err != nil {
		return e, err
	}
	if c.Words[i+2] == standard.DatatypeNull && (e.Rank == core.None || c.At(i+1) == 0) { // programs that send nothing, or to nobody, give no type
		e.Of = c.TypeAt(standard.Byte)
	} else if e.Count, e.Of, err = c.Counted(i + 1); err != nil {
		return e, err
	}
	e.At = c.Words[i]
	if e.Tag, err = c.Tag(c.At(i+4), receive); err != nil {
		return e, err
	}
	if e.Rank == core.None {
		e.Count = 0
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
		abi.Add(map[string]func(c *abi.Call) error{
			"MPI_" + s.name:           func(c *abi.Call) error { return send(c, s.mode) },
			"MPI_I" + lower(s.name):   func(c *abi.Call) error { return isend(c, s.mode) },
			"MPI_" + s.name + "_init": func(c *abi.Call) error { return sendInit(c, s.mode) },
		})
	}
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Recv":              receive,
		"MPI_Irecv":             ireceive,
		"MPI_Recv_init":         receiveInit,
		"MPI_Sendrecv":          sendReceive,
		"MPI_Sendrecv_replace":  sendReceiveReplace,
		"MPI_Isendrecv":         isendReceive,
		"MPI_Isendrecv_replace": isendReceiveReplace,
		"MPI_Probe":             probe,
		"MPI_Iprobe":            iprobe,
		"MPI_Mprobe":            mprobe,
		"MPI_Improbe":           improbe,
		"MPI_Mrecv":             mreceive,
		"MPI_Imrecv":            imreceive,
	})
}

func lower(s string) string { return string(s[0]|0x20) + s[1:] }

func send(c *abi.Call, by mode) error {
	e, err := message(c, 0, false)
	if err != nil {
		return err
	}
	if by == standardMode || by == ready {
		if memory, of, ok := c.Gaps(e.At, e.Count, e.Of); ok {
			c.Note(e.Comm, e.Rank, e.Tag)
			return e.Comm.Point.SendType(c.Function.Name, e.Rank, e.Tag, memory, of)
		}
	}
	data := c.Outgoing(e.At, e.Count, e.Of)
	if by == buffered {
		c.Note(e.Comm, e.Rank, e.Tag)
		_, err := bufferedSend(c, &e, data)
		return err
	}
	return sendNow(c, &e, data, by == synchronous)
}

// sendNow sends and waits until the data may be changed.
func sendNow(c *abi.Call, e *abi.Transfer, data []byte, sync bool) error {
	c.Note(e.Comm, e.Rank, e.Tag)
	return e.Comm.Point.Send(c.Function.Name, e.Rank, e.Tag, data, sync)
}

// bufferedSend starts to send a copy, which nobody waits for. One to this process itself stays in the buffer until it is
// received. There is no request if the message has gone at once, and no copy.
func bufferedSend(c *abi.Call, e *abi.Transfer, data []byte) (*core.Request, error) {
	if e.Rank == core.None {
		return nil, nil
	}
	b := bufferFor(c.Process, e.Comm)
	collect(b)
	if free := b.Bytes - b.Used; len(data) > free { // MPI_BSEND_OVERHEAD is a bound; Musubi needs nothing beside the data
		return nil, abi.Wrong(standard.ErrBuffer, "%d bytes, and there is room for %d in the buffer that is attached", len(data), free)
	}
	toSelf := int(e.Comm.Point.Process(e.Rank)) == c.Engine.Rank
	if !toSelf && !c.Engine.Records() {
		if gone := e.Comm.Point.SendAtOnce(c.Function.Name, e.Rank, e.Tag, data); gone != nil {
			core.ReleaseAll([]*core.Request{gone})
			return nil, nil
		}
	}
	copied := b.Room(len(data))
	copy(copied, data)
	r, err := e.Comm.Point.ISend(c.Function.Name, e.Rank, e.Tag, copied, toSelf)
	if err != nil {
		return nil, err
	}
	b.Keep(abi.BufferedMessage{Request: r, Data: copied})
	return r, nil
}

func isend(c *abi.Call, by mode) error {
	e, err := message(c, 0, false)
	if err != nil {
		return err
	}
	r, err := startSend(c, &e, by)
	if err != nil {
		return err
	}
	c.PutWord(c.Words[6], c.Requests.Add(r))
	return nil
}

func startSend(c *abi.Call, e *abi.Transfer, by mode) (*abi.Request, error) {
	r := c.NewRequest(e.Comm)
	r.Sent = c.Note(e.Comm, e.Rank, e.Tag)
	if by == standardMode || by == ready {
		if memory, of, ok := c.Gaps(e.At, e.Count, e.Of); ok {
			var err error
			r.Core, err = e.Comm.Point.StartSendType(c.Function.Name, e.Rank, e.Tag, memory, of)
			return r, err
		}
	}
	data := c.Outgoing(e.At, e.Count, e.Of)
	if by == buffered {
		var err error
		r.Done = true
		r.Buffered, err = bufferedSend(c, e, data)
		return r, err
	}
	if by == standardMode || by == ready {
		if e.Rank != core.None && int(e.Comm.Point.Process(e.Rank)) != c.Engine.Rank {
			if r.Core = e.Comm.Point.SendAtOnce(c.Function.Name, e.Rank, e.Tag, data); r.Core != nil {
				return r, nil
			}
		}
	}
	var err error
	r.Core, err = e.Comm.Point.ISend(c.Function.Name, e.Rank, e.Tag, data, by == synchronous)
	return r, err
}

func receive(c *abi.Call) error {
	e, err := message(c, 0, true)
	if err != nil {
		return err
	}
	if memory, of, ok := c.Gaps(e.At, e.Count, e.Of); ok {
		l := abi.InPlace(memory, of, e.Of)
		s, err := e.Comm.Point.ReceiveType(c.Function.Name, e.Rank, e.Tag, memory, of)
		return received(c, &l, s, err, c.Words[6])
	}
	l := c.Landing(e.At, e.Count, e.Of)
	s, err := e.Comm.Point.Receive(c.Function.Name, e.Rank, e.Tag, l.Data)
	return received(c, &l, s, err, c.Words[6])
}

// received puts what has been received into place, and tells the status.
func received(c *abi.Call, l *abi.Landing, s core.Status, err error, status int64) error {
	if isOf(err, fault.Truncate) {
		s.Bytes = len(l.Data)
	} else if err != nil {
		return err
	}
	l.Put(c.Process, s.Bytes)
	c.PutStatus(status, &s)
	if err == nil && l.Splits(s.Bytes) {
		return abi.Wrong(standard.ErrType, "%d bytes from rank %d; expected elements of %d", s.Bytes, s.From, l.Of.Element.Bytes)
	}
	return err
}

func isOf(err error, class fault.Class) bool { return err != nil && errors.Is(err, class) }

func ireceive(c *abi.Call) error {
	e, err := message(c, 0, true)
	if err != nil {
		return err
	}
	r, err := startReceive(c, &e)
	if err != nil {
		return err
	}
	c.PutWord(c.Words[6], c.Requests.Add(r))
	return nil
}

func startReceive(c *abi.Call, e *abi.Transfer) (*abi.Request, error) {
	r := c.NewRequest(e.Comm)
	r.IsReceive = true
	var err error
	if memory, of, ok := c.Gaps(e.At, e.Count, e.Of); ok {
		r.Lands = append(r.Lands, abi.InPlace(memory, of, e.Of))
		r.Core, err = e.Comm.Point.StartReceiveType(c.Function.Name, e.Rank, e.Tag, memory, of)
		return r, err
	}
	r.Lands = append(r.Lands, c.Landing(e.At, e.Count, e.Of))
	r.Core, err = e.Comm.Point.IReceive(c.Function.Name, e.Rank, e.Tag, r.Lands[0].Data)
	return r, err
}

func sendInit(c *abi.Call, by mode) error {
	e, err := message(c, 0, false)
	if err != nil {
		return err
	}
	again := func(c *abi.Call) (*abi.Request, error) { return startSend(c, &e, by) }
	if by == standardMode || by == ready {
		c.PutWord(c.Words[6], c.PersistentMessage(e.Comm, inLane(c), again))
	} else {
		c.PutWord(c.Words[6], c.Persistent(e.Comm, again))
	}
	return nil
}

func receiveInit(c *abi.Call) error {
	e, err := message(c, 0, true)
	if err != nil {
		return err
	}
	l := inLane(c)
	l.Receives = 1
	c.PutWord(c.Words[6], c.PersistentMessage(e.Comm, l, func(c *abi.Call) (*abi.Request, error) { return startReceive(c, &e) }))
	return nil
}

// inLane returns the arguments of a persistent send or receive.
func inLane(c *abi.Call) abi.LanePersistent {
	return abi.LanePersistent{At: c.Words[0], Count: int64(c.At(1)), Type: c.Words[2], Rank: int64(c.At(3)), Tag: int64(c.At(4)), Comm: c.Words[5]}
}

// exchange reads the arguments of a send and a receive, of which the send comes first.
func exchange(c *abi.Call) (out, in abi.Transfer, err error) {
	if out.Comm, err = c.Comm(10); err != nil {
		return out, in, err
	}
	in.Comm = out.Comm
	for i, e := range []*abi.Transfer{&out, &in} {
		e.At = c.Words[5*i]
		if e.Count, e.Of, err = c.Counted(5*i + 1); err != nil {
			return out, in, err
		}
		if e.Rank, err = c.Peer(e.Comm, c.At(5*i+3), i == 1); err != nil {
			return out, in, err
		}
		if e.Tag, err = c.Tag(c.At(5*i+4), i == 1); err != nil {
			return out, in, err
		}
		if e.Rank == core.None {
			e.Count = 0
		}
	}
	return out, in, nil
}

func sendReceive(c *abi.Call) error {
	hasSent := c.DoneAlready() == 1
	out, in, err := exchange(c)
	if err != nil {
		return err
	}
	return swapData(c, &out, &in, hasSent, c.Words[11])
}

func swapData(c *abi.Call, out, in *abi.Transfer, hasSent bool, status int64) error {
	l := c.Landing(in.At, in.Count, in.Of)
	r, err := in.Comm.Point.IReceive(c.Function.Name, in.Rank, in.Tag, l.Data)
	if err != nil {
		return err
	}
	var sent error
	if !hasSent {
		sent = sendNow(c, out, c.Outgoing(out.At, out.Count, out.Of), false)
	}
	s, err := r.Wait()
	if isOf(err, fault.Truncate) {
		s = r.Status
	}
	core.ReleaseAll([]*core.Request{r})
	if err := received(c, &l, s, err, status); err != nil {
		return err
	}
	return sent
}

func replace(c *abi.Call) (out, in abi.Transfer, err error) {
	if out.Comm, err = c.Comm(7); err != nil {
		return out, in, err
	}
	if out.Count, out.Of, err = c.Counted(1); err != nil {
		return out, in, err
	}
	out.At = c.Words[0]
	in = out
	if out.Rank, err = c.Peer(out.Comm, c.At(3), false); err != nil {
		return out, in, err
	}
	if out.Tag, err = c.Tag(c.At(4), false); err != nil {
		return out, in, err
	}
	if in.Rank, err = c.Peer(in.Comm, c.At(5), true); err != nil {
		return out, in, err
	}
	in.Tag, err = c.Tag(c.At(6), true)
	return out, in, err
}

func sendReceiveReplace(c *abi.Call) error {
	hasSent := c.DoneAlready() == 1
	out, in, err := replace(c)
	if err != nil {
		return err
	}
	data := append([]byte(nil), c.Outgoing(out.At, out.Count, out.Of)...)
	if in.Rank == core.None {
		in.Count = 0
	}
	l := c.Landing(in.At, in.Count, in.Of)
	r, err := in.Comm.Point.IReceive(c.Function.Name, in.Rank, in.Tag, l.Data)
	if err != nil {
		return err
	}
	var sent error
	if !hasSent {
		sent = sendNow(c, &out, data, false)
	}
	s, err := r.Wait()
	if err := received(c, &l, s, err, c.Words[8]); err != nil {
		return err
	}
	return sent
}

// isendReceive starts a receive, whose request stands for both, and a send of a copy.
func isendReceive(c *abi.Call) error {
	out, in, err := exchange(c)
	if err != nil {
		return err
	}
	return startExchange(c, &out, &in, 11)
}

func isendReceiveReplace(c *abi.Call) error {
	out, in, err := replace(c)
	if err != nil {
		return err
	}
	return startExchange(c, &out, &in, 8)
}

func startExchange(c *abi.Call, out, in *abi.Transfer, request int) error {
	data := append([]byte(nil), c.Outgoing(out.At, out.Count, out.Of)...)
	r, err := startReceive(c, in)
	if err != nil {
		return err
	}
	c.Note(out.Comm, out.Rank, out.Tag)
	if r.Also, err = out.Comm.Point.ISend(c.Function.Name, out.Rank, out.Tag, data, false); err != nil {
		return err
	}
	c.PutWord(c.Words[request], c.Requests.Add(r))
	return nil
}

// sought reads the arguments of a probe: rank, tag, communicator.
func sought(c *abi.Call) (m *abi.Comm, rank, tag int, err error) {
	if m, err = c.Comm(2); err != nil {
		return m, 0, 0, err
	}
	if rank, err = c.Peer(m, c.At(0), true); err != nil {
		return m, 0, 0, err
	}
	tag, err = c.Tag(c.At(1), true)
	return m, rank, tag, err
}

func probe(c *abi.Call) error {
	m, rank, tag, err := sought(c)
	if err != nil {
		return err
	}
	s, err := m.Point.Probe(c.Function.Name, rank, tag)
	if err == nil {
		c.PutStatus(c.Words[3], &s)
	}
	return err
}

func iprobe(c *abi.Call) error {
	m, rank, tag, err := sought(c)
	if err != nil {
		return err
	}
	s, ok, err := m.Point.IProbe(c.Function.Name, rank, tag)
	if err != nil {
		return err
	}
	c.PutBool(c.Words[3], ok)
	if ok {
		c.PutStatus(c.Words[4], &s)
	}
	return nil
}

func putMessage(c *abi.Call, at int64, m *abi.Comm, msg *core.Message, rank int, status int64) {
	if rank == core.None {
		c.PutWord(at, standard.MessageNoProc)
		c.PutStatus(status, &core.Nothing)
		return
	}
	c.PutWord(at, c.Messages.Add(&abi.Message{Message: msg, Comm: m}))
	c.PutStatus(status, &msg.Status)
}

func mprobe(c *abi.Call) error {
	m, rank, tag, err := sought(c)
	if err != nil {
		return err
	}
	msg, err := m.Point.Claim(c.Function.Name, rank, tag)
	if err == nil {
		putMessage(c, c.Words[3], m, msg, rank, c.Words[4])
	}
	return err
}

func improbe(c *abi.Call) error {
	m, rank, tag, err := sought(c)
	if err != nil {
		return err
	}
	msg, err := m.Point.IClaim(c.Function.Name, rank, tag)
	if err != nil {
		return err
	}
	c.PutBool(c.Words[3], msg != nil)
	if msg == nil {
		c.PutWord(c.Words[4], standard.MessageNull)
		return nil
	}
	putMessage(c, c.Words[4], m, msg, rank, c.Words[5])
	return nil
}

// matched receives a message that has been matched.
func matched(c *abi.Call) (l abi.Landing, s core.Status, m *abi.Comm, err error) {
	count, t, err := c.Counted(1)
	if err != nil {
		return l, s, nil, err
	}
	h := c.Word(c.Words[3])
	if h == standard.MessageNoProc {
		c.PutWord(c.Words[3], standard.MessageNull)
		return l, core.Nothing, c.WorldComm, nil
	}
	msg := c.Messages.Get(h)
	if msg == nil || msg.Message == nil {
		return l, s, nil, abi.Wrong(standard.ErrRequest, "%#x is no message", h)
	}
	c.On = &msg.Comm.Handled
	c.Messages.Remove(h)
	c.PutWord(c.Words[3], standard.MessageNull)
	l = c.Landing(c.Words[0], count, t)
	s, err = msg.Receive(c.Function.Name, l.Data)
	return l, s, msg.Comm, err
}

func mreceive(c *abi.Call) error {
	l, s, _, err := matched(c)
	return received(c, &l, s, err, c.Words[4])
}

func imreceive(c *abi.Call) error {
	l, s, m, err := matched(c)
	if err != nil && !isOf(err, fault.Truncate) {
		return err
	}
	if isOf(err, fault.Truncate) {
		s.Bytes = len(l.Data)
	}
	l.Put(c.Process, s.Bytes)
	r := c.NewRequest(m)
	r.Done, r.Status, r.Failed = true, s, err
	c.PutWord(c.Words[4], c.Requests.Add(r))
	return nil
}
