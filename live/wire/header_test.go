package wire

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// What is appended as a packet is parsed as that, and what follows it is left.
func TestPacketsTravel(t *testing.T) {
	rapid.Check(t, func(c *rapid.T) {
		h := Header{
			Kind: Kind(rapid.IntRange(int(Whole), int(kinds)-1).Draw(c, "kind")), Awaited: rapid.Bool().Draw(c, "awaited"),
			Sequence: rapid.Uint16().Draw(c, "sequence"), Group: rapid.Uint16().Draw(c, "group"), From: rapid.Uint16().Draw(c, "from"), To: rapid.Uint16().Draw(c, "to"),
		}
		body := rapid.SliceOfN(rapid.Byte(), h.Kind.FieldBytes(), 100).Draw(c, "body")
		after := rapid.SliceOf(rapid.Byte()).Draw(c, "after")
		var got Header
		gotBody, rest, err := got.Parse(append(AppendPacket(nil, &h, body), after...), false)
		switch {
		case h.Kind == FarPush || h.Kind == FarPull:
			if err == nil {
				c.Errorf("%v is taken as a packet, and is for shared memory only", h.Kind)
			}
		case err != nil || got != h || !bytes.Equal(gotBody, body) || !bytes.Equal(rest, after):
			c.Errorf("packet %+v with body % x comes back as %+v with % x, % x is left, error %v", h, body, got, gotBody, rest, err)
		}
	})
}

// However bytes are cut, what is no packet is refused, and nothing beyond them is read.
func FuzzParsePacket(f *testing.F) {
	h := Header{Kind: Push, Sequence: 7}
	f.Add(AppendPacket(nil, &h, make([]byte, PushBytes+3)), false)
	f.Add(make([]byte, HeaderBytes), true)
	f.Fuzz(func(t *testing.T, b []byte, long bool) {
		var h Header
		body, rest, err := h.Parse(b[:len(b):len(b)], long)
		if err == nil && (len(body) != h.Body || HeaderBytes+len(body)+len(rest) != len(b) || len(body) < h.Kind.FieldBytes()) {
			t.Errorf("packet %+v with a body of %d bytes and %d left, out of %d", h, len(body), len(rest), len(b))
		}
	})
}

// Fields come back as they were written, each kind of them.
func TestFieldsTravel(t *testing.T) {
	rapid.Check(t, func(c *rapid.T) {
		segment := int(rapid.Int32().Draw(c, "segment"))
		n, offset, total := int(rapid.Uint32().Draw(c, "layout")), rapid.Uint64().Draw(c, "offset"), rapid.Uint64().Draw(c, "total")
		slot, failed := rapid.Uint32().Draw(c, "slot"), Report{Code(rapid.Uint32().Draw(c, "code")), rapid.Uint64().Draw(c, "hint")}
		first, last := rapid.Bool().Draw(c, "first"), rapid.Bool().Draw(c, "last")
		travels(c, Whole, WholeFields{segment, offset}, (*WholeFields).Encode, DecodeWhole)
		travels(c, Push, PushFields{segment, n, offset, total}, (*PushFields).Encode, DecodePush)
		travels(c, FarPush, FarFields{segment, offset, total, failed.Hint}, (*FarFields).Encode, DecodeFar)
		travels(c, Packet, PacketFields{first, last, total}, (*PacketFields).Encode, DecodePacket)
		travels(c, Pull, PullFields{segment, n, offset, total, slot}, (*PullFields).Encode, DecodePull)
		travels(c, Answer, AnswerFields{slot, failed, offset}, (*AnswerFields).Encode, DecodeAnswer)
		travels(c, Modify, ModifyFields{segment, slot, offset}, (*ModifyFields).Encode, DecodeModify)
		travels(c, Result, ResultFields{slot, failed}, (*ResultFields).Encode, DecodeResult)
		travels(c, Accumulate, AccumulateFields{segment, slot, offset, total, failed.Hint}, (*AccumulateFields).Encode, DecodeAccumulate)
		travels(c, Nack, NackFields{offset, failed}, (*NackFields).Encode, DecodeNack)
	})
}

func travels[F comparable](c *rapid.T, k Kind, f F, encode func(*F, []byte), decode func([]byte) F) {
	b := make([]byte, k.FieldBytes())
	encode(&f, b)
	if got := decode(b); got != f {
		c.Errorf("fields of %v come back as %+v; expected %+v", k, got, f)
	}
}
