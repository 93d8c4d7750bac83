package rank

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"

	"musubi/live/livetest"
	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/onesided"
	"musubi/rma"
)

// FuzzStreamPackets hands a rank any bytes as packets of a stream. It may refuse them, and
// it may do what they say; nothing but what it exposes changes.
func FuzzStreamPackets(f *testing.F) {
	id, _ := livetest.TestIdentity(f, 1, 0)
	packets := func(list ...said) (b []byte) {
		for i, p := range list {
			b = p.of(id).numbered(uint16(i)).append(b)
		}
		return b
	}
	push := say(wire.Whole, &wire.WholeFields{}, 1)
	f.Add(packets(push))
	f.Add(append(packets(push), say(wire.Ack, nil).numbered(2).of(id).append(nil)...))
	f.Add(packets(say(wire.Answer, &wire.AnswerFields{}, make([]byte, 64)...)))
	f.Add(packets(say(wire.Pull, &wire.PullFields{Total: 100})))
	f.Add(packets(say(wire.Modify, &wire.ModifyFields{Offset: 8}, addOne...)))
	f.Add(packets(say(wire.Modify, &wire.ModifyFields{Offset: 96}, addOne...), say(wire.Modify, &wire.ModifyFields{Offset: 88}, words64(0, 1)...)))
	accumulate := func(offset, total, change uint64) said {
		return say(wire.Accumulate, &wire.AccumulateFields{Offset: offset, Total: total, Change: change}, words64(1, 2)...)
	}
	f.Add(packets(accumulate(80, 16, uint64(onesided.Sum)|wire.WantsBit)))
	f.Add(packets(accumulate(80, 24, uint64(onesided.Replace)), say(wire.Operands, nil, words64(3)...)))
	f.Add(packets(accumulate(64, 32, uint64(onesided.Xor)|wire.WantsBit), say(wire.Operands, nil, words64(3, 4)...)))
	f.Add(packets(say(wire.Answer, &wire.AnswerFields{Slot: 3}, words64(1, 2, 3)...)))
	f.Add(packets(say(wire.Answer, &wire.AnswerFields{Slot: 4})))
	f.Add(packets(say(wire.Result, &wire.ResultFields{Slot: 3})))
	f.Add(packets(say(wire.Packet, &wire.PacketFields{First: true, Total: 9}, words64(1)...), say(wire.Packet, &wire.PacketFields{Last: true, Total: 9}, 1)))
	f.Add(packets(say(wire.Nack, &wire.NackFields{Position: 2, Failed: wire.Report{Code: wire.Outside}})))
	for _, c := range spoiled {
		f.Add(c.packet.of(id).append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		changesNothingElse(t, id, func(r *Rank, s *tcp.Stream, _ int) {
			s.Packets = b
			s.TakePackets()
		})
	})
}

// FuzzStreamFrames lets a rank receive any bytes, in two parts, where nothing is encrypted.
func FuzzStreamFrames(f *testing.F) {
	id, _ := livetest.TestIdentity(f, 1, 0)
	long := func(p said, n int) []byte { return p.of(id).long(bytes.Repeat(one, n)) }
	frame := func(p said) []byte { return frameOf(nil, wire.PacketsFrame, p.of(id).append(nil)) }
	answer := say(wire.Answer, &wire.AnswerFields{})
	more, operands := say(wire.More, nil), say(wire.Operands, nil)
	f.Add(long(answer, 64), len(long(answer, 54)))
	f.Add(long(say(wire.Answer, &wire.AnswerFields{Slot: 1}), 64), len(long(answer, 54)))
	for _, p := range []said{answer, say(wire.Message, nil), more} {
		f.Add(long(p, wire.MaxLong+1), 4<<10)
	}
	begun := frame(say(wire.Push, &wire.PushFields{Total: 100}, words64(1)...))
	f.Add(append(begun, long(more.numbered(1), 92)...), len(begun)+50)
	f.Add(append(begun, long(more.numbered(1), 93)...), len(begun)+50)
	f.Add(long(say(wire.Message, nil), 100), 50)
	f.Add(long(say(wire.Accumulate, &wire.AccumulateFields{}), 96), 50)
	begun = frame(say(wire.Accumulate, &wire.AccumulateFields{Total: 96, Change: uint64(onesided.Sum) | wire.WantsBit}, words64(1)...))
	f.Add(append(begun, long(operands.numbered(1), 88)...), len(begun)+50)
	f.Add(append(begun, long(operands.numbered(1), wire.MaxLong+1)...), len(begun)+50)
	for _, c := range spoiled {
		f.Add(long(c.packet, 0), wire.FrameHead+wire.MaxHead)
	}
	f.Fuzz(func(t *testing.T, b []byte, half int) {
		half = min(max(half, 0), len(b))
		changesNothingElse(t, id, func(r *Rank, s *tcp.Stream, other int) {
			for _, part := range [][]byte{b[:half], b[half:]} {
				for len(part) > 0 && s.Lost == nil {
					n, err := unix.Write(other, part)
					if err != nil {
						t.Fatal(err)
					}
					part = part[n:]
					s.Drain()
				}
			}
		})
	})
}

// changesNothingElse lets a rank that has a pull and a push under way take something, and
// fails if memory around that which may change does.
func changesNothingElse(t *testing.T, id *tcp.Identity, take func(r *Rank, s *tcp.Stream, other int)) {
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
	s.Own() // as poll does, lest what is held is sent meanwhile
	r.far.Taking = true
	take(r, s, other)
	r.far.Taking = false
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
func withStream(t *testing.T, id *tcp.Identity) (r *Rank, s *tcp.Stream, other int) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	r = New(variants["small rings"].regionOf(2, []int{0}), 0)
	r.far = &tcp.Streams{Owner: (*connector)(r), Identity: id, Peers: make([]tcp.Peer, 2), Linker: &tcp.Linker{}}
	s = tcp.Unconnected(1, r.far, &r.in[1])
	s.Connect(&tcp.Socket{Fd: pair[0]}, wire.Unprotected, nil)
	r.far.Add(s)
	r.out[1].way = s
	t.Cleanup(func() {
		s.Own()
		s.Socket.CloseDetached()
		unix.Close(pair[1])
	})
	return r, s, pair[1]
}
