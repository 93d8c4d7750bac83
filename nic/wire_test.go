package nic

import (
	"bytes"
	"errors"
	"musubi/internal/check"
	"testing"

	"pgregory.net/rapid"
)

func TestAppendWire(t *testing.T) {
	h := Header{Operation: IPush, Data: 3, Group: 0x0a0b, From: 1, To: 2, Address: 5, Long: true, Word: 7}
	want := []byte{
		0xff,                                     // what was there
		0x02, 0x00, 0x0b, 0x0a, 0x01, 0, 0x02, 0, // first line
		5, 0, 0, 0, 0, 0xc0, 0x00, 0x08, // second line: 3 << 46 | 1 << 59
		7, 0, 0, 0, 0, 0, 0, 0, // word
		'a', 'b', 'c', 0, 0, 0, 0, 0,
	}
	if got := AppendWire([]byte{0xff}, &h, []byte("abc")); !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

// Packets leave a stream as they entered it, and until all bytes of one are there
// it is short.
func TestWireRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		var headers []Header
		var contents [][]byte
		for range rapid.IntRange(1, 4).Draw(t, "packets") {
			h, data := drawPacket(t)
			before := len(stream)
			stream = AppendWire(stream, &h, data)
			if got, want := len(stream)-before, h.Lines()*LineSize; got != want {
				t.Fatalf("%+v takes %d bytes; expected %d", h, got, want)
			}
			headers, contents = append(headers, h), append(contents, data)
		}
		for i, want := range headers {
			h, data, rest, err := ParseWire(stream)
			if err != nil || h != want || !bytes.Equal(data, contents[i]) {
				t.Fatalf("packet %d: %+v, error %v, data equal: %v; expected %+v", i, h, err, bytes.Equal(data, contents[i]), want)
			}
			checkShort(t, stream[:len(stream)-len(rest)])
			stream = rest
		}
		if len(stream) != 0 {
			t.Errorf("%d bytes are left; expected none", len(stream))
		}
	})
}

// checkShort wants ErrShort for every beginning of a packet, and nothing consumed.
func checkShort(t interface{ Fatalf(string, ...any) }, packet []byte) {
	for n := range packet {
		_, _, rest, err := ParseWire(packet[:n])
		if !errors.Is(err, ErrShort) || len(rest) != n {
			t.Fatalf("%d of %d bytes: error %v, rest of %d bytes; expected ErrShort and all of them", n, len(packet), err, len(rest))
		}
	}
}

// Appending to the data of a packet does not overwrite the packet behind it.
func TestParseWireLimitsData(t *testing.T) {
	h := Header{Operation: Push, Data: 1}
	stream := AppendWire(nil, &h, []byte{42})
	_, data, _, err := ParseWire(stream)
	if err != nil {
		t.Fatal(err)
	}
	if cap(data) != 1 {
		t.Errorf("data has room for %d bytes; expected 1", cap(data))
	}
}

func TestParseWireErrors(t *testing.T) {
	h := Header{Operation: Push, Data: 9}
	good := AppendWire(nil, &h, make([]byte, 9))
	change := func(at int, value byte) []byte {
		b := bytes.Clone(good)
		b[at] = value
		return b
	}
	for _, test := range []struct {
		name  string
		bytes []byte
		err   string
	}{
		{"as it should be", good, ""},
		{"nothing", nil, "expected more"},
		{"no operation", change(0, 0), "has operation 0; expected 1 (push) to 9 (accumulate)"},
		{"no operation in a first line alone", make([]byte, LineSize), "has operation 0"},
		{"padding that is not zero", change(len(good)-1, 1), "last line 0x0100000000000000 of a packet has 1 bytes of data; expected zeros above"},
		{"long, and so a line short", change(LineSize+7, 0x08), "expected more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, data, rest, err := ParseWire(test.bytes)
			check.Error(t, err, test.err)
			if err != nil && (h != Header{} || data != nil || len(rest) != len(test.bytes)) {
				t.Errorf("%+v, %d bytes of data and a rest of %d beside an error; expected the rest only", h, len(data), len(rest))
			}
		})
	}
}

func TestAppendWirePanicsIfDataAndHeaderDiffer(t *testing.T) {
	for _, test := range []struct{ says, has int }{{8, 7}, {7, 8}, {-1, 0}, {MaxData + 1, MaxData + 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("header says %d bytes, there are %d: no panic", test.says, test.has)
				}
			}()
			AppendWire(nil, &Header{Operation: Push, Data: test.says}, make([]byte, test.has))
		}()
	}
}
