package onesided

import (
	"bytes"
	"encoding/binary"
	"musubi/internal/check"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func lineBytes(lines ...uint64) []byte {
	var b []byte
	for _, l := range lines {
		b = binary.LittleEndian.AppendUint64(b, l)
	}
	return b
}

func TestAccessEncode(t *testing.T) {
	for _, test := range []struct {
		name   string
		layout Layout
		want   []byte
	}{
		{"contiguous", Layout{}, nil},
		{"strided", Layout{Element: 8, Stride: 64, Count: 3}, lineBytes(8, 3, 64)},
		{"list", Layout{Element: 8, Count: 2, Offsets: []int{70, 5}}, lineBytes(8|1<<63, 70, 5)},
		{"empty list", Layout{Element: 8, Offsets: []int{}}, lineBytes(8 | 1<<63)},
		{"stride of a list is not sent", Layout{Element: 8, Stride: 9, Count: 1, Offsets: []int{5}}, lineBytes(8|1<<63, 5)},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.layout.Encode([]byte("ab")); !bytes.Equal(got, append([]byte("ab"), test.want...)) {
				t.Errorf("got %x; expected %x behind 6162", got, test.want)
			}
		})
	}
}

func TestAccessRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, _ := drawLayout(t)
		if a.Offsets != nil {
			a.Stride = 0 // not sent
		}
		got, err := DecodeLayout(a.Encode(nil))
		if err != nil || !reflect.DeepEqual(got, a) {
			t.Fatalf("%+v came back as %+v, error %v", a, got, err)
		}
	})
}

func TestDecodeLayoutErrors(t *testing.T) {
	const huge = 1 << 62
	for _, test := range []struct {
		name  string
		bytes []byte
		err   string
	}{
		{"broken line", lineBytes(8, 3, 64)[:23], "encoded in 23 bytes; expected lines of 8"},
		{"line missing", lineBytes(8, 3), "strided layout encoded in 16 bytes; expected 24"},
		{"line too many", lineBytes(8, 3, 64, 0), "strided layout encoded in 32 bytes; expected 24"},
		{"elements of no bytes", lineBytes(0, 0, 0), "elements of 0 bytes"},
		{"list of elements of no bytes", lineBytes(1<<63, 5), "elements of 0 bytes"},
		{"more bytes than an int counts", lineBytes(8, huge, 0), "elements of 8 bytes"},
		{"list of more bytes than an int counts", lineBytes(huge|1<<63, 0, 0, 0), "3 elements"},
		{"reach that overflows", lineBytes(8, 4, huge), "reach beyond"},
		{"count that would be negative", lineBytes(8, 1<<63, 0), "expected elements"},
		{"stride that would be negative", lineBytes(8, 1, 1<<63), "stride"},
		{"offset that would be negative", lineBytes(8|1<<63, 1<<63), "at offset -1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := DecodeLayout(test.bytes)
			check.Error(t, err, test.err)
			if !reflect.DeepEqual(a, Layout{}) {
				t.Errorf("%+v beside an error; expected nothing", a)
			}
		})
	}
}
