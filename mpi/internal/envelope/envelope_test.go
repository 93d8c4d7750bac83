package envelope

import (
	"bytes"
	"testing"
)

func TestEnvelopesAreLittleEndian(t *testing.T) {
	v := Fields{Kind: Request, Context: 0x10203, Tag: 0x4050607, ID: 0x8090a0b, Segment: 0xc0d0e0f, Bytes: 0x1112131415}
	want := []byte{3, 0, 0, 0, 3, 2, 1, 0, 7, 6, 5, 4, 0xb, 0xa, 9, 8, 0xf, 0xe, 0xd, 0xc, 0, 0, 0, 0, 0x15, 0x14, 0x13, 0x12, 0x11, 0, 0, 0}
	got := make([]byte, Bytes)
	v.Encode(got)
	if !bytes.Equal(got, want) {
		t.Errorf("encoded as\n%v; expected\n%v", got, want)
	}
	if back, err := decodeLong(got, len(got)); err != nil || back != v {
		t.Errorf("decoded as %+v, %v; expected %+v", back, err, v)
	}
}

func TestMalformedEnvelopesAreRefused(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(b []byte) []byte
	}{
		{"short", func(b []byte) []byte { return b[:Bytes-1] }},
		{"without data", func(b []byte) []byte { return b[:Bytes] }},
		{"with too much data", func(b []byte) []byte { return append(b, 0) }},
		{"kind 0", func(b []byte) []byte { b[0] = 0; return b }},
		{"kind beyond the last", func(b []byte) []byte { b[0] = byte(ForWindow) + 1; return b }},
		{"kind of three bytes", func(b []byte) []byte { b[2] = 1; return b }},
		{"context too large", func(b []byte) []byte { b[7] = 1; return b }},
		{"tag below zero", func(b []byte) []byte { b[11] = 0x80; return b }},
		{"bytes below zero", func(b []byte) []byte { b[31] = 0x80; return b }},
		{"a reserved word", func(b []byte) []byte { b[20] = 1; return b }},
	} {
		b := make([]byte, Bytes+4)
		(&Fields{Kind: EagerSync, Context: 1, Tag: 2, Bytes: 4}).Encode(b)
		if _, _, err := Decode(b); err != nil {
			t.Fatal(err)
		}
		if v, _, err := Decode(test.do(b)); err == nil {
			t.Errorf("%s: decoded as %+v; expected an error", test.name, v)
		}
	}
}

// Messages that nobody answers have a short envelope.
func TestShortEnvelopes(t *testing.T) {
	want := []byte{byte(Eager), 3, 2, 1, 7, 6, 5, 4, 9, 9}
	got := append(shortEnvelopeOf(0x10203, 0x4050607), 9, 9)
	if !bytes.Equal(got, want) {
		t.Errorf("encoded as\n%v; expected\n%v", got, want)
	}
	v, data, err := Decode(got)
	if expected := (Fields{Kind: Eager, Context: 0x10203, Tag: 0x4050607, Bytes: 2}); err != nil || v != expected || !bytes.Equal(data, want[ShortBytes:]) {
		t.Errorf("decoded as %+v with %v, %v; expected %+v with %v", v, data, err, expected, want[ShortBytes:])
	}
	for _, at := range []int{0, 3, 7} { // kind, context and tag
		wrong := bytes.Clone(got)
		wrong[at] |= 0x80
		if v, _, err := Decode(wrong); err == nil {
			t.Errorf("%v is decoded as %+v; expected an error", wrong, v)
		}
	}
}

func shortEnvelopeOf(context uint32, tag int32) []byte {
	b := make([]byte, ShortBytes)
	ShortOf(context, tag).Encode(b)
	return b
}

// Whatever arrives is either refused, or is what its envelope encodes to again.
func FuzzDecode(f *testing.F) {
	b := make([]byte, Bytes+4)
	(&Fields{Kind: EagerSync, Context: 1, Tag: 2, Bytes: 4}).Encode(b)
	f.Add(b)
	f.Add(b[:Bytes])
	f.Add(shortEnvelopeOf(1, 2))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, data, err := Decode(b)
		if err != nil {
			return
		}
		var again []byte
		if Kind(b[0]) == Eager {
			again = shortEnvelopeOf(v.Context, v.Tag)
		} else {
			again = make([]byte, Bytes)
			v.Encode(again)
		}
		if again = append(again, data...); !bytes.Equal(again, b) {
			t.Errorf("%v is decoded as %+v, which is %v", b, v, again)
		}
	})
}

func TestShortEnvelopesAreForTheirContextAndTag(t *testing.T) {
	const context, tag = 3, 7
	for _, c := range []struct {
		v    Short
		tag  int32
		want bool
	}{
		{ShortOf(context, tag), tag, true},
		{ShortOf(context, tag), anyTag, true},
		{ShortOf(context, tag), tag + 1, false},
		{ShortOf(context+1, tag), tag, false},
		{ShortOf(context+1, tag), anyTag, false},
	} {
		if got := IsFor(c.v.message(), context, c.tag); got != c.want {
			t.Errorf("%#x is for context %d and tag %d: %v; expected %v", uint64(c.v), context, c.tag, got, c.want)
		}
	}
	for _, b := range [][]byte{nil, Short(0).message(), ShortOf(0, 0).message()[:ShortBytes-1]} {
		if IsFor(b, 0, 0) || IsFor(b, 0, anyTag) {
			t.Errorf("% x is for context 0; expected that it is no envelope", b)
		}
	}
}

// message returns a message that ends behind the envelope.
func (v Short) message() []byte {
	b := make([]byte, ShortBytes)
	v.Encode(b)
	return b
}
