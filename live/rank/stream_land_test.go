package rank

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"musubi/live/livetest"
	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/rma"
)

// numbered returns bytes that tell where they are.
func numbered(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return b
}

// Transfers around the length of the longest frames arrive whole, whatever their layouts are.
func TestHugeTransfersOverStreams(t *testing.T) {
	for _, c := range []struct {
		variant string
		by      wire.Protection
	}{{"spinning", wire.Sealed}, {"spinning", wire.Records}, {"spinning", wire.Unprotected}, {"sleeping", wire.Unprotected}} {
		v := variants[c.variant]
		v.by = c.by
		for _, n := range []int{wire.LongData, wire.HugeData - 8, wire.HugeData, wire.HugeData + 8, 3*wire.HugeData + wire.PacketBody} {
			if livetest.Race && n != wire.HugeData+8 {
				continue
			}
			t.Run(fmt.Sprintf("%s, protection %d/%d bytes", c.variant, c.by, n), func(t *testing.T) {
				if err := newTestJob(t, v, 2, mixes["each alone"]).run(func(p rma.Process) error { return moveAll(p, n) }); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// moveAll lets rank 0 write n bytes to rank 1 and read them back, with and without layouts,
// and write them where nothing is.
func moveAll(p rma.Process, n int) error {
	memory := make([]byte, 2*n+1)
	there := rma.Address{Rank: 1, Segment: p.Expose(memory)}
	if p.Rank() == 1 {
		return p.WaitUntil(func() bool { return memory[2*n] == 1 })
	}
	whole, spread := rma.Layout{}, rma.Layout{Element: 8, Stride: 16, Count: n / 8}
	data := numbered(n)
	for _, c := range []struct{ from, at, into rma.Layout }{
		{whole, whole, whole}, {whole, spread, whole}, {whole, spread, spread}, {whole, whole, spread},
	} {
		op, err := p.PushLayout(there, c.at, data, c.from, rma.DMA)
		if err := errors.Join(err, p.Wait(op)); err != nil {
			return err
		}
		into := make([]byte, 2*n)
		if c.into.IsContiguous() {
			into = into[:n]
		}
		op, err = p.PullLayout(there, c.at, into, c.into)
		if err := errors.Join(err, p.Wait(op)); err != nil {
			return err
		}
		got := into
		if !c.into.IsContiguous() {
			access := c.into
			got = make([]byte, n)
			access.Gather(got, into, 0)
		}
		if !bytes.Equal(got, data) {
			return fmt.Errorf("with layout %+v there and %+v here other bytes come back", c.at, c.into)
		}
	}
	op, err := p.Push(rma.Address{Rank: 1, Segment: 99}, data, rma.DMA)
	if err != nil {
		return err
	}
	if p.Wait(op) == nil {
		return errors.New("a push to what is not exposed succeeds")
	}
	op, err = p.Push(rma.Address{Rank: 1, Segment: there.Segment, Offset: 2 * n}, one, rma.DMA)
	return errors.Join(err, p.Wait(op))
}

// However the network cuts a frame, its data comes to its place, and nothing else changes.
func TestLongPacketsComeInAnyPieces(t *testing.T) {
	id, _ := livetest.TestIdentity(t, 1, 0)
	rapid.Check(t, func(c *rapid.T) {
		r, s, other := withStream(t, id)
		n := rapid.IntRange(4<<10, 3*wire.MaxLong).Draw(c, "bytes")
		into, want := make([]byte, n+2), numbered(n)
		scatter := rma.Layout{}
		if rapid.Bool().Draw(c, "in pieces") {
			n -= n % 8
			scatter, want = rma.Layout{Element: 8, Stride: 8, Count: n / 8}, want[:n]
		}
		if _, err := r.PullLayout(rma.Address{Rank: 1}, rma.Layout{}, into[1:][:n], scatter); err != nil {
			c.Fatal(err)
		}
		ack := say(wire.Ack, nil).numbered(1).of(id)
		sent := append(say(wire.Answer, &wire.AnswerFields{}).of(id).long(want), frameOf(nil, wire.PacketsFrame, ack.append(nil))...)
		for len(sent) > 0 {
			part := sent[:min(len(sent), rapid.IntRange(1, 80<<10).Draw(c, "part"))]
			if _, err := unix.Write(other, part); err != nil {
				c.Fatal(err)
			}
			sent = sent[len(part):]
			s.Own()
			for s.Drain() {
			}
		}
		if s.Lost != nil || s.Received != 2 || !bytes.Equal(into[1:][:n], want) || into[0] != 0 || into[n+1] != 0 {
			c.Errorf("%d packets of 2 have come, the connection ends with %v, or the data is not in its place", s.Received, s.Lost)
		}
	})
}

// Data that the system has no room for waits where it is, and is not withdrawn meanwhile.
func TestDataWaitsWhereItIs(t *testing.T) {
	id, _ := livetest.TestIdentity(t, 1, 0)
	r, s, other := withStream(t, id)
	data := numbered(wire.HugeData)
	segment := r.Expose(data)
	r.answerPull(1, 7, address{segment: segment, total: wire.HugeData})
	if left := len(s.Socket.Rest); left == 0 || &s.Socket.Rest[left-1] != &data[wire.HugeData-1] {
		t.Fatalf("%d bytes wait to be sent; want some of the segment", left)
	}
	s.Owed = 1
	answer, ack := say(wire.Answer, &wire.AnswerFields{Slot: 7}).of(id), say(wire.Ack, nil).of(id)
	for _, p := range []*said{&answer, &ack} {
		p.header.From, p.header.To = 0, 1
	}
	want := append(answer.long(data), frameOf(nil, wire.PacketsFrame, ack.append(nil))...)
	var got []byte
	for part := make([]byte, 100<<10); len(got) < len(want); {
		if len(s.Socket.Rest) > 0 && !r.isUsed(segment) {
			t.Fatal("the segment is not in use though some of it is still to be sent")
		}
		n, err := unix.Read(other, part)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, part[:n]...)
		s.Flush()
	}
	if !bytes.Equal(got, want) {
		t.Error("other bytes are sent than those of the segment and an acknowledgement")
	}
	if err := r.Withdraw(segment); err != nil || len(s.Socket.Rest) > 0 {
		t.Errorf("at the end %d bytes wait, and Withdraw says %v", len(s.Socket.Rest), err)
	}
}

// Nothing is taken of a huge frame that is not in order, and none of one for others.
func TestSpoiledHugeFramesEndTheJob(t *testing.T) {
	for _, c := range spoiled {
		if h := c.packet.header; h.Kind.String() != "unknown" && len(c.packet.body) < h.Kind.FieldBytes() {
			continue // spoiled by being short only
		}
		for _, n := range []int{wire.MaxLong, wire.HugeData} {
			if livetest.Race && n == wire.HugeData {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d bytes", c.name, n), func(t *testing.T) {
				g := attackedBy(t, wire.Hello{From: 1, To: 0, Protection: wire.Unprotected})
				g.sendFrame(wire.LongFrame, c.packet.of(g.rank.far.Identity).alone(make([]byte, n-len(c.packet.body))))
				g.isRejected(t, c.why)
			})
		}
	}
	t.Run("of another process group", func(t *testing.T) {
		g := attackedBy(t, wire.Hello{From: 1, To: 0, Protection: wire.Unprotected})
		p := g.honest(0, 7)
		p.header.Group++
		g.sendFrame(wire.LongFrame, p.alone(bytes.Repeat([]byte{7}, wire.MaxLong)))
		g.isUnharmed(t, 0)
		g.hasRefused(t, tcp.ForeignGroup)
	})
	t.Run("that ends too early", func(t *testing.T) {
		g := attackedBy(t, wire.Hello{From: 1, To: 0, Protection: wire.Unprotected})
		p := g.honest(0, 7)
		p.header.Group++
		frame := p.long(make([]byte, wire.MaxLong))
		if _, err := io.Copy(g.conn.NetConn(), bytes.NewReader(frame[:len(frame)-1])); err != nil {
			t.Fatal(err)
		}
		g.conn.NetConn().Close()
		if err := <-g.result; err == nil {
			t.Error("the target ends well though its only peer is gone")
		}
	})
}
