package mpi

import (
	"bytes"
	"testing"
)

func TestEnvelopesAreLittleEndian(t *testing.T) {
	v := envelope{kind: request, context: 0x10203, tag: 0x4050607, id: 0x8090a0b, segment: 0xc0d0e0f, bytes: 0x1112131415}
	want := []byte{3, 0, 0, 0, 3, 2, 1, 0, 7, 6, 5, 4, 0xb, 0xa, 9, 8, 0xf, 0xe, 0xd, 0xc, 0, 0, 0, 0, 0x15, 0x14, 0x13, 0x12, 0x11, 0, 0, 0}
	got := make([]byte, envelopeBytes)
	v.encode(got)
	if !bytes.Equal(got, want) {
		t.Errorf("encoded as\n%v; expected\n%v", got, want)
	}
	if back, err := decodeLong(got); err != nil || back != v {
		t.Errorf("decoded as %+v, %v; expected %+v", back, err, v)
	}
}

func TestMalformedEnvelopesAreRefused(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(b []byte) []byte
	}{
		{"short", func(b []byte) []byte { return b[:envelopeBytes-1] }},
		{"without data", func(b []byte) []byte { return b[:envelopeBytes] }},
		{"with too much data", func(b []byte) []byte { return append(b, 0) }},
		{"kind 0", func(b []byte) []byte { b[0] = 0; return b }},
		{"kind beyond the last", func(b []byte) []byte { b[0] = byte(remote) + 1; return b }},
		{"kind of three bytes", func(b []byte) []byte { b[2] = 1; return b }},
		{"context too large", func(b []byte) []byte { b[7] = 1; return b }},
		{"tag below zero", func(b []byte) []byte { b[11] = 0x80; return b }},
		{"bytes below zero", func(b []byte) []byte { b[31] = 0x80; return b }},
		{"a reserved word", func(b []byte) []byte { b[20] = 1; return b }},
	} {
		b := make([]byte, envelopeBytes+4)
		(&envelope{kind: eagerSync, context: 1, tag: 2, bytes: 4}).encode(b)
		if _, _, err := decode(b); err != nil {
			t.Fatal(err)
		}
		if v, _, err := decode(test.do(b)); err == nil {
			t.Errorf("%s: decoded as %+v; expected an error", test.name, v)
		}
	}
}

// Messages that nobody answers have a short envelope.
func TestShortEnvelopes(t *testing.T) {
	want := []byte{byte(eager), 3, 2, 1, 7, 6, 5, 4, 9, 9}
	got := append(shortEnvelopeOf(0x10203, 0x4050607), 9, 9)
	if !bytes.Equal(got, want) {
		t.Errorf("encoded as\n%v; expected\n%v", got, want)
	}
	v, data, err := decode(got)
	if expected := (envelope{kind: eager, context: 0x10203, tag: 0x4050607, bytes: 2}); err != nil || v != expected || !bytes.Equal(data, want[shortBytes:]) {
		t.Errorf("decoded as %+v with %v, %v; expected %+v with %v", v, data, err, expected, want[shortBytes:])
	}
	for _, at := range []int{0, 3, 7} { // kind, context and tag
		wrong := bytes.Clone(got)
		wrong[at] |= 0x80
		if v, _, err := decode(wrong); err == nil {
			t.Errorf("%v is decoded as %+v; expected an error", wrong, v)
		}
	}
}

func shortEnvelopeOf(context uint32, tag int32) []byte {
	b := make([]byte, shortBytes)
	shortOf(context, tag).encode(b)
	return b
}

// Whatever arrives is either refused, or is what its envelope encodes to again.
func FuzzDecode(f *testing.F) {
	b := make([]byte, envelopeBytes+4)
	(&envelope{kind: eagerSync, context: 1, tag: 2, bytes: 4}).encode(b)
	f.Add(b)
	f.Add(b[:envelopeBytes])
	f.Add(shortEnvelopeOf(1, 2))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, data, err := decode(b)
		if err != nil {
			return
		}
		var again []byte
		if kind(b[0]) == eager {
			again = shortEnvelopeOf(v.context, v.tag)
		} else {
			again = make([]byte, envelopeBytes)
			v.encode(again)
		}
		if again = append(again, data...); !bytes.Equal(again, b) {
			t.Errorf("%v is decoded as %+v, which is %v", b, v, again)
		}
	})
}

func TestShortEnvelopesAreForTheirContextAndTag(t *testing.T) {
	const context, tag = 3, 7
	for _, c := range []struct {
		v    shortEnvelope
		tag  int32
		want bool
	}{
		{shortOf(context, tag), tag, true},
		{shortOf(context, tag), AnyTag, true},
		{shortOf(context, tag), tag + 1, false},
		{shortOf(context+1, tag), tag, false},
		{shortOf(context+1, tag), AnyTag, false},
	} {
		if got := isFor(c.v.message(), context, c.tag); got != c.want {
			t.Errorf("%#x is for context %d and tag %d: %v; expected %v", uint64(c.v), context, c.tag, got, c.want)
		}
	}
	for _, b := range [][]byte{nil, shortEnvelope(0).message(), shortOf(0, 0).message()[:shortBytes-1]} {
		if isFor(b, 0, 0) || isFor(b, 0, AnyTag) {
			t.Errorf("% x is for context 0; expected that it is no envelope", b)
		}
	}
}

// message returns a message that ends behind the envelope.
func (v shortEnvelope) message() []byte {
	b := make([]byte, shortBytes)
	v.encode(b)
	return b
}
