package rank

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/nic/reliable"
	"musubi/onesided"
	"musubi/rma"
)

func TestPacketsForOthersAreDropped(t *testing.T) {
	for _, c := range []struct {
		name   string
		why    tcp.Refusal
		change func(h *wire.Header)
	}{
		{"of another process group", tcp.ForeignGroup, func(h *wire.Header) { h.Group++ }},
		{"for another process", tcp.StrayPacket, func(h *wire.Header) { h.To++ }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := attacked(t)
			p := g.honest(0, 7)
			c.change(&p.header)
			g.send(p)
			g.isUnharmed(t, 0)
			g.hasRefused(t, c.why)
		})
	}
}

// spoiled are packets of the right process group that no rank sends.
var spoiled = []struct {
	name   string
	why    tcp.Refusal
	packet said // but for group and sender
}{
	{"push: not its turn", tcp.OutOfOrder, say(wire.Whole, &wire.WholeFields{}, 1).numbered(1)},
	{"push: taken before", tcp.OutOfOrder, say(wire.Whole, &wire.WholeFields{}, 1).numbered(reliable.MaxSequence)},
	{"push: no place", tcp.Malformed, say(wire.Whole, nil, 1)},
	{"push: no beginning", tcp.Malformed, say(wire.More, nil, 1)},
	{"push: goes on with nothing and without a beginning", tcp.Malformed, say(wire.More, nil)},
	{"push: no length", tcp.Malformed, say(wire.Push, nil, words64(1)...)},
	{"push: layout longer than the data", tcp.Malformed, say(wire.Push, &wire.PushFields{Layout: 16, Total: 8}, words64(1)...)},
	{"push: layout longer than any packet", tcp.Malformed, say(wire.Push, &wire.PushFields{Layout: 1<<32 - 1, Total: 8}, words64(1)...)},
	{"push: length beyond all memory", tcp.Malformed, say(wire.Push, &wire.PushFields{Total: 1 << 63}, words64(1)...)},
	{"push: more data than it says", tcp.Malformed, say(wire.Push, &wire.PushFields{Total: 7}, words64(1)...)},
	{"push: begins with nothing", tcp.Malformed, say(wire.Push, &wire.PushFields{Total: 8})},
	{"push: layout of another length", tcp.Malformed, say(wire.Push, &wire.PushFields{Layout: 24, Total: 16}, words64(8, 1, 8, 1)...)},
	{"message: no beginning", tcp.Malformed, say(wire.Packet, &wire.PacketFields{Last: true, Total: 1}, 1)},
	{"message: no length", tcp.Malformed, say(wire.Packet, nil, 1)},
	{"message: shorter than its first packet", tcp.Malformed, say(wire.Packet, &wire.PacketFields{First: true, Total: 1}, words64(1)...)},
	{"message: ends too early", tcp.Malformed, say(wire.Packet, &wire.PacketFields{First: true, Last: true, Total: 9}, words64(1)...)},
	{"message: does not end", tcp.Malformed, say(wire.Packet, &wire.PacketFields{First: true, Total: 8}, words64(1)...)},
	{"message: packet that is too long", tcp.Malformed, say(wire.Message, nil, make([]byte, wire.Part+1)...)},
	{"message: goes on with nothing", tcp.Malformed, say(wire.Packet, &wire.PacketFields{First: true, Total: 1})},
	{"pull: no place", tcp.Malformed, say(wire.Pull, nil, words64(1)...)},
	{"pull: more than its layout", tcp.Malformed, say(wire.Pull, &wire.PullFields{}, 1)},
	{"pull: less than its layout", tcp.Malformed, say(wire.Pull, &wire.PullFields{Layout: 24}, words64(8, 1)...)},
	{"pull: length beyond all memory", tcp.Malformed, say(wire.Pull, &wire.PullFields{Total: 1 << 63})},
	{"pull: layout of another length", tcp.Malformed, say(wire.Pull, &wire.PullFields{Layout: 24, Total: 16}, words64(8, 1, 8)...)},
	{"modify: no place", tcp.Malformed, say(wire.Modify, nil, addOne...)},
	{"modify: nothing to do", tcp.Malformed, say(wire.Modify, &wire.ModifyFields{})},
	{"modify: operand without reduction", tcp.Malformed, say(wire.Modify, &wire.ModifyFields{}, words64(1)...)},
	{"modify: reduction that there is not", tcp.Malformed, say(wire.Modify, &wire.ModifyFields{}, append(words64(1), byte(rma.Replace)+1, 0)...)},
	{"modify: three words", tcp.Malformed, say(wire.Modify, &wire.ModifyFields{}, words64(1, 2, 3)...)},
	{"accumulate: no place", tcp.Malformed, say(wire.Accumulate, nil, words64(8, 1, 1)...)},
	{"accumulate: no beginning", tcp.Malformed, say(wire.Operands, nil, words64(1)...)},
	{"accumulate: no operands", tcp.Malformed, say(wire.Accumulate, &wire.AccumulateFields{Change: 1})},
	{"accumulate: begins with nothing", tcp.Malformed, say(wire.Accumulate, &wire.AccumulateFields{Total: 8, Change: 1})},
	{"accumulate: part of an operand", tcp.Malformed, say(wire.Accumulate, &wire.AccumulateFields{Total: 16, Change: 1}, append(words64(1), 1)...)},
	{"accumulate: length of no words", tcp.Malformed, say(wire.Accumulate, &wire.AccumulateFields{Total: 9, Change: 1}, words64(1)...)},
	{"accumulate: length beyond all memory", tcp.Malformed, say(wire.Accumulate, &wire.AccumulateFields{Total: 1 << 63, Change: 1}, words64(1)...)},
	{"accumulate: more operands than it says", tcp.Malformed, say(wire.Accumulate, &wire.AccumulateFields{Total: 8, Change: 1}, words64(1, 1)...)},
	{"accumulate: reduction that there is not", tcp.Malformed, say(wire.Accumulate, &wire.AccumulateFields{Total: 8, Change: uint64(rma.Replace) + 1}, words64(1)...)},
	{"accumulate: more to do than there is", tcp.Malformed, say(wire.Accumulate, &wire.AccumulateFields{Total: 8, Change: 1 | 2*wire.WantsBit}, words64(1)...)},
	{"answer: to nothing", tcp.Malformed, say(wire.Answer, &wire.AnswerFields{}, 1)},
	{"answer: to no operation", tcp.Malformed, say(wire.Answer, &wire.AnswerFields{Slot: 1<<32 - 1}, 1)},
	{"result: to nothing", tcp.Malformed, say(wire.Result, &wire.ResultFields{})},
	{"ack: of what was never sent", tcp.Malformed, say(wire.Ack, nil).numbered(1)},
	{"ack: with data", tcp.Malformed, say(wire.Ack, nil, 1)},
	{"nack: of what was never sent", tcp.Malformed, say(wire.Nack, &wire.NackFields{Position: 1, Failed: wire.Report{Code: 1}})},
	{"nack: without a reason", tcp.Malformed, say(wire.Nack, &wire.NackFields{Position: 1})},
	{"kind that is for shared memory", tcp.Malformed, say(wire.FarPush, &wire.FarFields{}, 1)},
	{"kind that there is not", tcp.Malformed, said{wire.Header{Kind: 99}, one}},
}

var (
	one    = []byte{1}
	addOne = (&onesided.Atomic{Reduction: onesided.Sum, Operand: 1}).Append(nil)
)

func words64(list ...uint64) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

func TestSpoiledPacketsEndTheJob(t *testing.T) {
	for _, c := range spoiled {
		t.Run(c.name, func(t *testing.T) {
			g := attacked(t)
			g.send(c.packet.of(g.rank.far.Identity))
			g.isRejected(t, c.why)
		})
	}
	t.Run("sender that it is not", func(t *testing.T) {
		g := attacked(t)
		p := g.honest(0, 7)
		p.header.From = 0
		g.send(p)
		g.isRejected(t, tcp.Malformed)
	})
}

func TestFramesThatAreNoPacketsEndTheJob(t *testing.T) {
	for name, spoil := range map[string]func(packet []byte) []byte{
		"noise":                      func([]byte) []byte { return bytes.Repeat([]byte{0xa5}, 100) },
		"zeros":                      func([]byte) []byte { return make([]byte, 64) },
		"packet without its end":     func(p []byte) []byte { return p[:len(p)-1] },
		"packet with something left": func(p []byte) []byte { return append(bytes.Clone(p[:16]), 1) },
		"flags that there are not":   func(p []byte) []byte { p[1] = 2; return p },
	} {
		t.Run(name, func(t *testing.T) {
			g := attacked(t)
			g.sendFrame(wire.PacketsFrame, spoil(g.honest(0, 7).append(nil)))
			g.isRejected(t, tcp.Malformed)
		})
	}
}

// What is no frame, or too long for one, ends the job too, as soon as its head is there.
func TestBytesThatAreNoFramesEndTheJob(t *testing.T) {
	head := func(kind wire.FrameKind, n int) []byte {
		b := make([]byte, wire.FrameHead)
		wire.PutFrameHead(b, kind, n)
		return b
	}
	for _, by := range []wire.Protection{wire.Sealed, wire.Unprotected} {
		more, longest := wire.TagBytes, wire.MaxLong+wire.TagBytes
		if by == wire.Unprotected {
			more, longest = 0, wire.MaxHuge
		}
		noises := map[string][]byte{
			"frame that is too long":      head(wire.PacketsFrame, wire.MaxPackets+more+1),
			"long frame that is too long": head(wire.LongFrame, longest+1),
			"length beyond all memory":    head(wire.LongFrame, 1<<32-1),
			"noise":                       bytes.Repeat([]byte{0xa5}, 1000),
			"alert of TLS":                {21, 3, 3, 0, 2, 1, 0},
		}
		if by == wire.Sealed {
			noises["forged frame"] = append(head(wire.PacketsFrame, 32), make([]byte, 32)...)
			noises["frame without a tag"] = append(head(wire.PacketsFrame, 8), make([]byte, 8)...)
		}
		for name, noise := range noises {
			t.Run(fmt.Sprintf("%s, protection %d", name, by), func(t *testing.T) {
				g := attackedBy(t, wire.Hello{From: 1, To: 0, Protection: by})
				if _, err := g.conn.NetConn().Write(noise); err != nil {
					t.Fatal(err)
				}
				g.isRejected(t, tcp.BrokenStream)
			})
		}
	}
}
