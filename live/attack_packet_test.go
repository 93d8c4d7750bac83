package live

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"musubi/nic"
	"musubi/onesided"
	"musubi/rma"
)

func TestPacketsForOthersAreDropped(t *testing.T) {
	for _, c := range []struct {
		name   string
		why    refusal
		change func(h *nic.Header)
	}{
		{"of another process group", foreignGroup, func(h *nic.Header) { h.Group++ }},
		{"for another process", strayPacket, func(h *nic.Header) { h.To++ }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := attacked(t)
			h := g.honest(0)
			c.change(&h)
			g.send(h, 7)
			g.isUnharmed(t, 0)
			g.hasRefused(t, c.why)
		})
	}
}

// spoiled are packets of the right process group that no rank sends.
var spoiled = []struct {
	name   string
	why    refusal
	packet nic.Header // but for group and sender
	data   []byte
}{
	{"push: not its turn", outOfOrder, nic.Header{Operation: nic.Push, Flags: whole, Long: true, Sequence: 1}, one},
	{"push: taken before", outOfOrder, nic.Header{Operation: nic.Push, Flags: whole, Long: true, Sequence: nic.MaxSequence}, one},
	{"push: no place", malformed, nic.Header{Operation: nic.Push, Flags: whole}, one},
	{"push: no beginning", malformed, nic.Header{Operation: nic.Push, Flags: nic.EndOfMessage}, one},
	{"push: no end and no length", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true}, one},
	{"push: head longer than the data", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 16 << 32}, one},
	{"push: head without length", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 7 << 32}, words64(10)},
	{"push: length beyond all memory", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 8 << 32}, words64(1<<63, 1)},
	{"push: more data than it says", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 8 << 32}, words64(7, 1)},
	{"push: ends too early", malformed, nic.Header{Operation: nic.Push, Flags: whole, Long: true, Word: 8 << 32}, words64(9, 1)},
	{"push: does not end", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 8 << 32}, words64(8, 1)},
	{"push: goes on with nothing", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 8 << 32}, words64(8)},
	{"push: layout of another length", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 32 << 32}, words64(16, 8, 1, 8, 1)},
	{"message: no beginning", malformed, nic.Header{Operation: nic.IPush, Flags: nic.EndOfMessage}, one},
	{"message: no length", malformed, nic.Header{Operation: nic.IPush, Flags: nic.StartOfMessage}, one},
	{"message: shorter than its first packet", malformed, nic.Header{Operation: nic.IPush, Flags: nic.StartOfMessage, Long: true, Word: 1}, words64(1)},
	{"message: packet that is too long", malformed, nic.Header{Operation: nic.IPush, Flags: whole}, make([]byte, Packet+1)},
	{"message: has an address", malformed, nic.Header{Operation: nic.IPush, Flags: whole, Address: waitedFor + 1}, one},
	{"message: goes on with nothing", malformed, nic.Header{Operation: nic.IPush, Flags: nic.StartOfMessage, Long: true, Word: 1}, nil},
	{"pull: no place", malformed, nic.Header{Operation: nic.Pull, Flags: whole}, words64(1)},
	{"pull: no length", malformed, nic.Header{Operation: nic.Pull, Long: true}, one},
	{"pull: length beyond all memory", malformed, nic.Header{Operation: nic.Pull, Long: true}, words64(1 << 63)},
	{"pull: layout of another length", malformed, nic.Header{Operation: nic.Pull, Long: true}, words64(16, 8, 1, 8)},
	{"modify: no place", malformed, nic.Header{Operation: nic.Modify}, addOne},
	{"modify: nothing to do", malformed, nic.Header{Operation: nic.Modify, Long: true}, nil},
	{"modify: operand without reduction", malformed, nic.Header{Operation: nic.Modify, Long: true}, words64(1)},
	{"modify: reduction that there is not", malformed, nic.Header{Operation: nic.Modify, Long: true}, append(words64(1), byte(rma.Replace)+1, 0)},
	{"modify: three words", malformed, nic.Header{Operation: nic.Modify, Long: true}, words64(1, 2, 3)},
	{"accumulate: no place", malformed, nic.Header{Operation: nic.Accumulate, Flags: whole}, words64(8, 1, 1)},
	{"accumulate: no beginning", malformed, nic.Header{Operation: nic.Accumulate, Flags: nic.EndOfMessage}, words64(1)},
	{"accumulate: no head", malformed, nic.Header{Operation: nic.Accumulate, Flags: whole, Long: true}, words64(8)},
	{"accumulate: no operands", malformed, nic.Header{Operation: nic.Accumulate, Flags: whole, Long: true}, words64(0, 1)},
	{"accumulate: goes on with nothing", malformed, nic.Header{Operation: nic.Accumulate, Flags: nic.StartOfMessage, Long: true}, words64(8, 1)},
	{"accumulate: part of an operand", malformed, nic.Header{Operation: nic.Accumulate, Flags: nic.StartOfMessage, Long: true}, append(words64(16, 1), 1)},
	{"accumulate: length of no words", malformed, nic.Header{Operation: nic.Accumulate, Flags: whole, Long: true}, append(words64(9, 1, 1), 1)},
	{"accumulate: length beyond all memory", malformed, nic.Header{Operation: nic.Accumulate, Flags: nic.StartOfMessage, Long: true}, words64(1<<63, 1, 1)},
	{"accumulate: more operands than it says", malformed, nic.Header{Operation: nic.Accumulate, Flags: whole, Long: true}, words64(8, 1, 1, 1)},
	{"accumulate: ends too early", malformed, nic.Header{Operation: nic.Accumulate, Flags: whole, Long: true}, words64(16, 1, 1)},
	{"accumulate: does not end", malformed, nic.Header{Operation: nic.Accumulate, Flags: nic.StartOfMessage, Long: true}, words64(8, 1, 1)},
	{"accumulate: reduction that there is not", malformed, nic.Header{Operation: nic.Accumulate, Flags: whole, Long: true}, words64(8, uint64(rma.Replace)+1, 1)},
	{"accumulate: more to do than there is", malformed, nic.Header{Operation: nic.Accumulate, Flags: whole, Long: true}, words64(8, 1|2*wantsBit, 1)},
	{"answer: to nothing", malformed, nic.Header{Operation: nic.Answer, Long: true}, one},
	{"answer: to no operation", malformed, nic.Header{Operation: nic.Answer, Long: true, Word: 1<<32 - 1}, one},
	{"ack: of what was never sent", malformed, nic.Header{Operation: nic.Ack, Sequence: 1}, nil},
	{"ack: with data", malformed, nic.Header{Operation: nic.Ack}, one},
	{"nack: of what was never sent", malformed, nic.Header{Operation: nic.Nack, Long: true, Word: 1, Address: 1}, nil},
	{"nack: without a reason", malformed, nic.Header{Operation: nic.Nack, Long: true, Address: 1}, nil},
	{"operation that ranks do not use", malformed, nic.Header{Operation: nic.IPushEntry, Flags: whole, Long: true}, one},
}

const whole = nic.StartOfMessage | nic.EndOfMessage

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
			g.port.Stamp(&c.packet)
			g.send(c.packet, c.data...)
			g.isRejected(t, c.why)
		})
	}
	t.Run("sender that it is not", func(t *testing.T) {
		g := attacked(t)
		h := g.honest(0)
		h.From = 0
		g.send(h, 7)
		g.isRejected(t, malformed)
	})
}

func TestFramesThatAreNoPacketsEndTheJob(t *testing.T) {
	push := func(g *target) []byte {
		h := g.honest(0)
		h.Data = 1
		return nic.AppendWire(nil, &h, []byte{7})
	}
	for name, spoil := range map[string]func(packet []byte) []byte{
		"noise":                      func([]byte) []byte { return bytes.Repeat([]byte{0xa5}, 100) },
		"zeros":                      func([]byte) []byte { return make([]byte, 64) },
		"packet without its end":     func(p []byte) []byte { return p[:len(p)-1] },
		"packet with something left": func(p []byte) []byte { return append(bytes.Clone(p[:16]), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			g := attacked(t)
			g.sendFrame(packetsFrame, spoil(push(g)))
			g.isRejected(t, malformed)
		})
	}
}

// What is no frame, or too long for one, ends the job too, as soon as its head is there.
func TestBytesThatAreNoFramesEndTheJob(t *testing.T) {
	head := func(kind frameKind, n int) []byte {
		b := make([]byte, frameHead)
		putHead(b, kind, n)
		return b
	}
	for _, plain := range []bool{false, true} {
		more, longest := tagBytes, maxLong+tagBytes
		if plain {
			more, longest = 0, maxHuge
		}
		noises := map[string][]byte{
			"frame that is too long":      head(packetsFrame, maxPackets+more+1),
			"long frame that is too long": head(longFrame, longest+1),
			"length beyond all memory":    head(longFrame, 1<<32-1),
			"noise":                       bytes.Repeat([]byte{0xa5}, 1000),
			"alert of TLS":                {21, 3, 3, 0, 2, 1, 0},
		}
		if !plain {
			noises["forged frame"] = append(head(packetsFrame, 32), make([]byte, 32)...)
			noises["frame without a tag"] = append(head(packetsFrame, 8), make([]byte, 8)...)
		}
		for name, noise := range noises {
			t.Run(fmt.Sprintf("%s, plain: %v", name, plain), func(t *testing.T) {
				g := attackedBy(t, hello{from: 1, to: 0, plain: plain})
				if _, err := g.conn.NetConn().Write(noise); err != nil {
					t.Fatal(err)
				}
				g.isRejected(t, brokenStream)
			})
		}
	}
}
