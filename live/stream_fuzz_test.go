package live

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"

	"musubi/nic"
	"musubi/onesided"
	"musubi/rma"
)

// FuzzStreamPackets hands a rank any bytes as packets of a stream. It may refuse them, and
// it may do what they say; nothing but what it exposes changes.
func FuzzStreamPackets(f *testing.F) {
	id, _ := testIdentity(f, 1)
	wire := func(h nic.Header, data []byte) []byte {
		h.Group, h.From, h.To, h.Data = id.group, 1, 0, len(data)
		return nic.AppendWire(nil, &h, data)
	}
	push := nic.Header{Operation: nic.Push, Flags: whole, Long: true}
	f.Add(wire(push, one))
	f.Add(append(wire(push, one), wire(nic.Header{Operation: nic.Ack, Sequence: 2}, nil)...))
	f.Add(wire(nic.Header{Operation: nic.Answer, Long: true}, make([]byte, 64)))
	f.Add(wire(nic.Header{Operation: nic.Pull, Long: true}, words64(100)))
	f.Add(wire(nic.Header{Operation: nic.Modify, Long: true, Address: 8}, addOne))
	f.Add(append(wire(nic.Header{Operation: nic.Modify, Long: true, Address: 96}, addOne), wire(nic.Header{Operation: nic.Modify, Long: true, Address: 88, Sequence: 1}, words64(0, 1))...))
	accumulate := nic.Header{Operation: nic.Accumulate, Flags: whole, Long: true, Address: 80}
	f.Add(wire(accumulate, words64(16, uint64(onesided.Sum)|wantsBit, 1, 2)))
	accumulate.Flags = nic.StartOfMessage
	accumulateMore := nic.Header{Operation: nic.Accumulate, Flags: nic.EndOfMessage, Sequence: 1}
	f.Add(append(wire(accumulate, words64(24, uint64(onesided.Replace), 1, 2)), wire(accumulateMore, words64(3))...))
	accumulate.Address = 64
	f.Add(append(wire(accumulate, words64(32, uint64(onesided.Xor)|wantsBit, 1, 2)), wire(accumulateMore, words64(3, 4))...))
	f.Add(wire(nic.Header{Operation: nic.Answer, Long: true, Word: 3}, words64(1, 2, 3)))
	f.Add(wire(nic.Header{Operation: nic.Answer, Long: true, Word: 4}, nil))
	f.Add(wire(nic.Header{Operation: nic.Nack, Long: true, Word: uint64(outside), Address: 2}, nil))
	for _, c := range spoiled {
		f.Add(wire(c.packet, c.data))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		changesNothingElse(t, id, func(r *rank, s *stream, _ int) {
			s.packets = b
			r.takePackets(s)
		})
	})
}

// FuzzStreamFrames lets a rank receive any bytes, in two parts, where nothing is encrypted.
func FuzzStreamFrames(f *testing.F) {
	id, _ := testIdentity(f, 1)
	long := func(h nic.Header, n int) []byte {
		h.Group, h.From, h.To = id.group, 1, 0
		return frameOf(nil, longFrame, append(nic.AppendWire(nil, &h, nil), bytes.Repeat(one, n)...))
	}
	answer := long(nic.Header{Operation: nic.Answer, Long: true}, 64)
	push := nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: headBytes << 32, Group: id.group, From: 1, Data: 16}
	begun := frameOf(nil, packetsFrame, nic.AppendWire(nil, &push, words64(100, 1)))
	f.Add(answer, len(answer)-10)
	f.Add(long(nic.Header{Operation: nic.Answer, Long: true, Word: 1}, 64), len(answer)-10)
	for _, h := range []nic.Header{{Operation: nic.Answer, Long: true}, {Operation: nic.IPush, Flags: whole}, {Operation: nic.Push, Flags: nic.EndOfMessage}} {
		f.Add(long(h, maxLong+1), longFrom)
	}
	f.Add(append(begun, long(nic.Header{Operation: nic.Push, Flags: nic.EndOfMessage, Sequence: 1}, 92)...), len(begun)+50)
	f.Add(append(begun, long(nic.Header{Operation: nic.Push, Flags: nic.EndOfMessage, Sequence: 1}, 93)...), len(begun)+50)
	f.Add(long(nic.Header{Operation: nic.IPush, Flags: whole}, 100), 50)
	f.Add(long(nic.Header{Operation: nic.Accumulate, Flags: whole, Long: true}, 96), 50)
	accumulate := nic.Header{Operation: nic.Accumulate, Flags: nic.StartOfMessage, Long: true, Group: id.group, From: 1, Data: 24}
	begun = frameOf(nil, packetsFrame, nic.AppendWire(nil, &accumulate, words64(96, uint64(onesided.Sum)|wantsBit, 1)))
	f.Add(append(begun, long(nic.Header{Operation: nic.Accumulate, Flags: nic.EndOfMessage, Sequence: 1}, 88)...), len(begun)+50)
	f.Add(append(begun, long(nic.Header{Operation: nic.Accumulate, Flags: nic.EndOfMessage, Sequence: 1}, maxLong+1)...), len(begun)+50)
	for _, c := range spoiled {
		f.Add(long(c.packet, len(c.data)), frameHead+packetHeads)
	}
	f.Fuzz(func(t *testing.T, b []byte, half int) {
		half = min(max(half, 0), len(b))
		changesNothingElse(t, id, func(r *rank, s *stream, other int) {
			for _, part := range [][]byte{b[:half], b[half:]} {
				for len(part) > 0 && s.lost == nil {
					n, err := unix.Write(other, part)
					if err != nil {
						t.Fatal(err)
					}
					part = part[n:]
					r.drainStream(s)
				}
			}
		})
	})
}

// changesNothingElse lets a rank that has a pull and a push under way take something, and
// fails if memory around that which may change does.
func changesNothingElse(t *testing.T, id *identity, take func(r *rank, s *stream, other int)) {
	r, s, other := withStream(t, id)
	memory, into := make([]byte, 300), make([]byte, 300)
	r.Expose(memory[104:204]) // words are aligned there
	if _, err := r.Pull(rma.Address{Rank: 1}, into[100:164]); err != nil {
		t.Fatal(err)
	}
	spread := make([]byte, 200)
	if _, err := r.PullLayout(rma.Address{Rank: 1}, rma.Layout{}, spread[8:], rma.Layout{Element: 8, Stride: 24, Count: 8}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Push(rma.Address{Rank: 1}, one, rma.DMA); err != nil {
		t.Fatal(err)
	}
	found := make([]int64, 9)
	for _, was := range [][]int64{found[3:6], nil} {
		if _, err := r.Accumulate(rma.Address{Rank: 1}, rma.Sum, make([]int64, 3), was); err != nil {
			t.Fatal(err)
		}
	}
	s.own() // as poll does, lest what is held is sent meanwhile
	r.far.taking = true
	take(r, s, other)
	r.far.taking = false
	for i := range spread {
		if (i%24 < 8 || i%24 >= 16) && spread[i] != 0 {
			t.Fatal("memory between the elements of a layout has changed")
		}
	}
	for _, edges := range [][]byte{memory[:104], memory[204:], into[:100], into[164:], bytesOf(found[:3]), bytesOf(found[6:])} {
		if !bytes.Equal(edges, make([]byte, len(edges))) {
			t.Fatal("memory has changed that is not exposed")
		}
	}
}

// withStream returns rank 0 of two with a stream to rank 1, and the other end of it, which
// nobody reads from.
func withStream(t *testing.T, id *identity) (r *rank, s *stream, other int) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	r = newRank(variants["small rings"].regionOf(2, []int{0}), 0)
	r.far = &far{rank: r, id: id, peers: make([]peer, 2), linker: &linker{}}
	s = unconnected(1, nic.NewPort(id.group, 0))
	s.connect(&socket{fd: pair[0]}, nil)
	r.far.add(s)
	r.out[1].stream, r.in[1].stream, r.out[1].pair = s, s, new(pairState)
	t.Cleanup(func() {
		s.own()
		s.socket.close()
		unix.Close(pair[1])
	})
	return r, s, pair[1]
}
