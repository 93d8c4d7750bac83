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
	if back, err := decode(got); err != nil || back != v {
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
		(&envelope{kind: eager, context: 1, tag: 2, bytes: 4}).encode(b)
		if _, err := decode(b); err != nil {
			t.Fatal(err)
		}
		if v, err := decode(test.do(b)); err == nil {
			t.Errorf("%s: decoded as %+v; expected an error", test.name, v)
		}
	}
}

// Whatever arrives is either refused, or is what its envelope encodes to again.
func FuzzDecode(f *testing.F) {
	b := make([]byte, envelopeBytes+4)
	(&envelope{kind: eager, context: 1, tag: 2, bytes: 4}).encode(b)
	f.Add(b)
	f.Add(b[:envelopeBytes])
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := decode(b)
		if err != nil {
			return
		}
		again := make([]byte, envelopeBytes)
		v.encode(again)
		if !bytes.Equal(again, b[:envelopeBytes]) {
			t.Errorf("%v is decoded as %+v, which is %v", b[:envelopeBytes], v, again)
		}
	})
}
