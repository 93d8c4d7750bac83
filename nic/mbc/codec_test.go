package mbc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/onesided"

	"pgregory.net/rapid"
)

// sameMemoryHeader compares headers; an empty route is none.
func sameMemoryHeader(a, b Header) bool {
	same := slices.Equal(a.Route, b.Route)
	a.Route, b.Route = nil, nil
	return same && a.fields() == b.fields()
}

// fields are those that can be compared.
func (h *Header) fields() [13]uint64 {
	return [...]uint64{
		uint64(h.Type), uint64(h.Flags), uint64(h.To.Process), uint64(h.To.Access), uint64(h.ToNode), uint64(h.At), uint64(h.Size),
		uint64(h.From.Process), uint64(h.From.Access), uint64(h.FromNode), uint64(h.ReplyTo), uint64(h.Sequence), uint64(len(h.Route)),
	}
}

// A remote write of 4 bytes through one switch takes 36 bytes; each further switch 2.
func TestRemoteWriteTakes36Bytes(t *testing.T) {
	h := Header{Type: Write, Size: 4, Route: []uint16{3}}
	if n := len(AppendPacket(nil, &h, make([]byte, 4))); n != 36 || h.Bytes() != 36 {
		t.Errorf("%d bytes, and %d are announced; expected 36", n, h.Bytes())
	}
	for switches := range 10 {
		for _, size := range []int{0, 1, 4, 4096} {
			h := Header{Type: Write, Size: size, Route: make([]uint16, switches)}
			want := 30 + 2*switches + size
			if n := len(AppendPacket(nil, &h, make([]byte, size))); n != want || h.Bytes() != want {
				t.Errorf("%d bytes through %d switches take %d, and %d are announced; expected %d", size, switches, n, h.Bytes(), want)
			}
		}
	}
}

// The layout of the packet format, byte by byte.
func TestAppendMemoryPacket(t *testing.T) {
	h := Header{
		Type: Write, Flags: Confirm | Forwarded, Route: []uint16{0x0102, 0x7fff},
		To: Identity{0x1112, 0x1314}, ToNode: 0x2122, At: 0x31323334, Size: 3,
		From: Identity{0x4142, 0x4344}, FromNode: 0x5152, ReplyTo: 0x61626364, Sequence: 0x7172,
	}
	want := []byte{
		0x01, 0x85, 0x02, 0x81, 0xff, 0x7f,
		0x12, 0x11, 0x34, 0x33, 0x32, 0x31, 0x14, 0x13, 0x22, 0x21, 3, 0,
		0x42, 0x41, 0x44, 0x43, 0x52, 0x51, 0x64, 0x63, 0x62, 0x61, 0x72, 0x71,
		'a', 'b', 'c',
	}
	want = binary.LittleEndian.AppendUint32(want, crc32.ChecksumIEEE(want))
	got := AppendPacket([]byte{0xff}, &h, []byte("abc"))
	if !bytes.Equal(got[1:], want) || got[0] != 0xff {
		t.Errorf("got  %x\nwant %x behind what was there", got, want)
	}
}

// drawMemoryPacket draws a packet that passes Check, often one of a size at a limit.
func drawMemoryPacket(t *rapid.T) (Header, []byte) {
	h := Header{
		Type:     Type(rapid.IntRange(int(Write), int(lastType)).Draw(t, "type")),
		Flags:    Flags(rapid.IntRange(0, MaxFlags).Draw(t, "flags")),
		Route:    rapid.SliceOfN(rapid.Uint16Max(MaxRouteStep), 0, 20).Draw(t, "route"),
		To:       Identity{rapid.Uint16().Draw(t, "to"), rapid.Uint16().Draw(t, "access")},
		ToNode:   rapid.Uint16().Draw(t, "to node"),
		From:     Identity{rapid.Uint16().Draw(t, "from"), rapid.Uint16().Draw(t, "from access")},
		FromNode: rapid.Uint16().Draw(t, "from node"),
		At:       rapid.Uint32().Draw(t, "address"),
		ReplyTo:  rapid.Uint32().Draw(t, "reply address"),
		Sequence: rapid.Uint16().Draw(t, "sequence"),
	}
	h.Size = fixedSizes[h.Type]
	if h.Size < 0 {
		h.Size = rapid.OneOf(rapid.SampledFrom([]int{0, 1, MaxData - 1, MaxData}), rapid.IntRange(0, 100)).Draw(t, "size")
	}
	if h.Type == Result && h.Flags&Refused != 0 {
		h.Size = 0
	}
	if h.isAtomic() {
		h.At &^= onesided.WordSize - 1
	}
	if !WithinPage(h.At, h.Reach()) {
		h.At = uint32(PageSize - h.Reach())
	}
	if h.Type == Read && !WithinPage(h.ReplyTo, h.Size) {
		h.ReplyTo = uint32(PageSize - h.Size)
	}
	return h, bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 1, 1).Draw(t, "data"), h.Data())
}

func TestMemoryPacketsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, data := drawMemoryPacket(t)
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
		got := Header{Route: []uint16{1, 2, 3}}
		b := AppendPacket(nil, &h, data)
		brought, err := ParsePacket(b, &got)
		if err != nil || !sameMemoryHeader(got, h) || !bytes.Equal(brought, data) {
			t.Fatalf("%+v came back as %+v, error %v, data equal: %v", h, got, err, bytes.Equal(brought, data))
		}
		if len(b) != h.Bytes() {
			t.Fatalf("%+v takes %d bytes; expected %d", h, len(b), h.Bytes())
		}
		bit := rapid.IntRange(0, 8*len(b)-1).Draw(t, "bit")
		b[bit/8] ^= 1 << (bit % 8)
		if _, err := ParsePacket(b, &got); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("bit %d has changed: error %v; expected ErrCorrupt", bit, err)
		}
	})
}

// sealed appends the CRC, so that what is wrong is something else.
func sealed(b ...byte) []byte { return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)) }

func TestParseMemoryPacketErrors(t *testing.T) {
	packet := func(change func(b []byte)) []byte {
		h := Header{Type: Write, Size: 2}
		b := AppendPacket(nil, &h, []byte("ab"))
		b = b[:len(b)-crcBytes]
		change(b)
		return sealed(b...)
	}
	for _, test := range []struct {
		name string
		b    []byte
		err  string
	}{
		{"nothing", nil, "packet of 0 bytes; expected at least 30"},
		{"short", make([]byte, 29), "packet of 29 bytes; expected at least 30"},
		{"no CRC", make([]byte, 30), "CRC of the packet is wrong"},
		{"no type", packet(func(b []byte) { b[0] = 0 }), "header has type 0; expected 1 (write) to 16 (results)"},
		{"unknown type", packet(func(b []byte) { b[0] = 17 }), "header has type 17"},
		{"unknown flag", packet(func(b []byte) { b[1] = 0x20 }), "header has flags 0x20; expected at most 0x1f"},
		{"route and no more", sealed(append([]byte{1, 0x80}, bytes.Repeat([]byte{0xff}, 24)...)...), "ends inside its route, after 12 switches"},
		{"route that leaves too little", sealed(append([]byte{1, 0x80, 1, 0}, make([]byte, 22)...)...), "packet of 30 bytes with a route of 1 switches; expected at least 32"},
		{"more data than said", packet(func(b []byte) { b[12] = 1 }), "packet of 32 bytes with 1 of data and a route of 0 switches; expected 31"},
		{"less data than said", packet(func(b []byte) { b[12] = 3 }), "packet of 32 bytes with 3 of data and a route of 0 switches; expected 33"},
		{"too long", packet(func(b []byte) { b[12], b[13] = 1, 0x10 }), "write of 4097 bytes; expected 0 to 4096"},
		{"page crossing", packet(func(b []byte) { b[4], b[5] = 0xff, 0x0f }), "write of 2 bytes at address 0xfff crosses a page boundary"},
		{"data of an ack", packet(func(b []byte) { b[0] = byte(Ack) }), "ack of 2 bytes; expected 0"},
		{"result that is no word", packet(func(b []byte) { b[0] = byte(Result) }), "result of 2 bytes; expected 8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var h Header
			data, err := ParsePacket(test.b, &h)
			if err == nil || !strings.Contains(err.Error(), test.err) || data != nil {
				t.Errorf("error %v beside %d bytes of data; expected one with %q and no data", err, len(data), test.err)
			}
		})
	}
}

func TestMemoryHeaderCheck(t *testing.T) {
	for _, test := range []struct {
		name   string
		header Header
		err    string
	}{
		{"write of a page", Header{Type: Write, At: 8192, Size: 4096}, ""},
		{"nothing at the end of a page", Header{Type: Write, At: 4095, Size: 0}, ""},
		{"last byte of the last page", Header{Type: Write, At: 1<<32 - 1, Size: 1}, ""},
		{"beyond the last page", Header{Type: Write, At: 1<<32 - 1, Size: 2}, "crosses a page boundary"},
		{"negative size", Header{Type: Write, Size: -1}, "write of -1 bytes; expected 0 to 4096"},
		{"read into two pages", Header{Type: Read, Size: 2, ReplyTo: 4095}, "answer of 2 bytes at address 0xfff crosses a page boundary"},
		{"write whose flag is anywhere", Header{Type: Write, Size: 2, ReplyTo: 4095}, ""},
		{"atomic in the last word of a page", Header{Type: FetchOp, At: 4088, Size: 10}, ""},
		{"atomic that is not aligned", Header{Type: FetchOp, At: 4, Size: 10}, "fetch-and-op at address 0x4; expected a multiple of 8"},
		{"atomic across pages", Header{Type: CompareSwap, At: 4092, Size: 16}, "compare-and-swap of 8 bytes at address 0xffc crosses a page boundary"},
		{"operands of another", Header{Type: CompareSwap, Size: 10}, "compare-and-swap of 10 bytes; expected 16"},
		{"refused result", Header{Type: Result, Flags: Refused}, ""},
		{"refused result with a word", Header{Type: Result, Flags: Refused, Size: 8}, "result of 8 bytes; expected 0"},
		{"large element of a route", Header{Type: Ack, Route: []uint16{0, 1 << 15}}, "element 1 of a route is 32768; expected at most 32767"},
	} {
		t.Run(test.name, func(t *testing.T) { check.Error(t, test.header.Check(), test.err) })
	}
}

// Whatever values the fields have, none reaches into another: not even into those that the
// interface stamps.
func TestAppendMemoryPacketKeepsFieldsApart(t *testing.T) {
	sent := Header{Type: Write, Flags: 0xff, Route: []uint16{0xffff, 0xfffe}, From: Identity{1, 2}, FromNode: 3}
	want := sent
	want.Flags, want.Route = MaxFlags, []uint16{0x7fff, 0x7ffe}
	var got Header
	if _, err := ParsePacket(AppendPacket(nil, &sent, nil), &got); err != nil || !sameMemoryHeader(got, want) {
		t.Errorf("%+v arrives as %+v, error %v; expected %+v", sent, got, err, want)
	}
}

// FuzzMemoryPacket reads any bytes as a packet, as they are and with a CRC that fits. What
// parses passes Check and gives the same bytes again; a chain or an atomic operation in it
// is read or refused.
func FuzzMemoryPacket(f *testing.F) {
	for _, h := range []Header{
		{Type: Write, Size: 4, Route: []uint16{1}},
		{Type: Read, Size: 4096, Flags: Confirm},
		{Type: FetchOp, Size: onesided.FetchOpBytes, At: 16},
		{Type: CompareSwap, Size: onesided.CompareSwapBytes, Route: []uint16{1, 2, 3}},
		{Type: CombinedAck, Size: tallyBytes},
	} {
		b := AppendPacket(nil, &h, make([]byte, h.Data()))
		f.Add(b[:len(b)-crcBytes])
		f.Add(b)
	}
	var h Header
	chain := AppendChain(nil, &h, []ChainMember{{Node: 1}, {Node: 2}, {Node: 3}}, []byte("data"))
	b := AppendPacket(nil, &h, chain)
	f.Add(b[:len(b)-crcBytes])
	var sequence Header
	steps, err := AppendSequence(nil, &sequence, []Step{{At: 64}, {At: 64, Atomic: onesided.Atomic{Compare: true, Operand: 3}}, {At: 8}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(AppendPacket(nil, &sequence, steps))
	copied := Header{Type: Multicast, ToNode: 2}
	lists := AppendListed(nil, &copied, NodeLists{}.Add(1, 3).Add(2, 4, 5), []byte("data"))
	b = AppendPacket(nil, &copied, lists)
	f.Add(b[:len(b)-crcBytes])
	f.Fuzz(func(t *testing.T, b []byte) {
		readMemoryPacket(t, b)
		readMemoryPacket(t, sealed(bytes.Clone(b)...))
	})
}

func readMemoryPacket(t *testing.T, b []byte) {
	var h Header
	data, err := ParsePacket(b, &h)
	if err != nil {
		return
	}
	if err := h.Check(); err != nil {
		t.Fatalf("parsed a header that fails: %v", err)
	}
	if again := AppendPacket(nil, &h, data); !bytes.Equal(again, b) {
		t.Fatalf("%+v encodes to %x; it was parsed from %x", h, again, b)
	}
	if a, err := ParseAtomic(h.Type, data); err == nil && !bytes.Equal(a.Append(nil), data) {
		t.Fatalf("%+v encodes to %x; it was parsed from %x", a, a.Append(nil), data)
	}
	if steps, err := ParseSequence(nil, &h, data); err == nil {
		same := h
		if again, err := AppendSequence(nil, &same, steps); err != nil || !bytes.Equal(again, data) || same.At != h.At || same.Size != h.Size {
			t.Fatalf("steps %+v encode to %x, error %v; they were parsed from %x", steps, again, err, data)
		}
	}
	if tally, err := ParseTally(data); err == nil && !bytes.Equal(tally.Append(nil), data) {
		t.Fatalf("%+v encodes to %x; it was parsed from %x", tally, tally.Append(nil), data)
	}
	if write, payload, err := ChainWrite(&h, data); err == nil && (write.Check() != nil || len(payload) != write.Size) {
		t.Fatalf("%+v became %+v with %d bytes", h, write, len(payload))
	}
	if write, payload, err := CopyWrite(&h, data); err == nil && (write.Check() != nil || len(payload) != write.Size) {
		t.Fatalf("%+v became %+v with %d bytes", h, write, len(payload))
	}
	chain := h
	if rest, ok, err := ChainForm(nil, &chain, data, 0); err == nil && ok && len(rest) <= MaxData {
		passAlong(t, chain, rest)
	}
	passAlong(t, h, bytes.Clone(data))
}

// passAlong passes a chain to its end; each packet on the way can be sent.
func passAlong(t *testing.T, h Header, data []byte) {
	for h.Type == Chain {
		before := len(data)
		rest, _, err := PassChain(&h, data, len(data)%2 == 0)
		if err != nil {
			return
		}
		if len(rest) >= before && h.Type == Chain {
			t.Fatalf("a chain of %d bytes became one of %d", before, len(rest))
		}
		if err := h.Check(); err != nil || len(rest) != h.Data() {
			t.Fatalf("%+v is passed on with %d bytes of data, error %v", h, len(rest), err)
		}
		data = rest
	}
}
