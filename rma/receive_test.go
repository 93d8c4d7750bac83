package rma_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"musubi/rma"
)

// packet is one arrival of a script.
type packet struct {
	from int
	data []byte
	last bool
}

// script is a process to which packets come in a given order.
type script struct {
	rma.Process // nil: Receiver needs nothing else
	senders     int
	packets     []packet
	next        int
	open        map[uint64]packet // taken off the status ring, but not out of the rings
	as          rma.Caching
}

var errOver = errors.New("over")

func (s *script) Size() int { return s.senders }

func (s *script) Next() (rma.Arrival, error) {
	if s.next == len(s.packets) {
		return rma.Arrival{}, errOver
	}
	p := s.packets[s.next]
	s.next++
	if s.open == nil {
		s.open = map[uint64]packet{}
	}
	s.open[uint64(s.next)] = p
	return rma.Arrival{From: p.from, Bytes: len(p.data), Last: p.last, Record: uint64(s.next)}, nil
}

func (s *script) Take(a rma.Arrival, into []byte, as rma.Caching) error {
	p, ok := s.open[a.Record]
	switch {
	case !ok:
		return fmt.Errorf("arrival %d is not open", a.Record)
	case len(into) != len(p.data):
		return fmt.Errorf("%d bytes into %d", len(p.data), len(into))
	}
	delete(s.open, a.Record)
	copy(into, p.data)
	s.as = as
	return nil
}

// Packets of several senders interleave at random. Each message comes when its last
// packet does, whole.
func TestReceiverSortsPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &script{senders: rapid.IntRange(1, 5).Draw(t, "senders")}
		rest := make([][]byte, s.senders) // of the message that each is sending
		whole := make([][]byte, s.senders)
		var want []rma.Message
		data := rapid.SliceOfN(rapid.Byte(), 0, 40)
		for range rapid.IntRange(0, 60).Draw(t, "packets") {
			from := rapid.IntRange(0, s.senders-1).Draw(t, "from")
			if whole[from] == nil {
				whole[from] = append([]byte{}, data.Draw(t, "message")...)
				rest[from] = whole[from]
			}
			n := rapid.IntRange(min(1, len(rest[from])), len(rest[from])).Draw(t, "bytes")
			p := packet{from, rest[from][:n], n == len(rest[from])}
			s.packets = append(s.packets, p)
			rest[from] = rest[from][n:]
			if p.last {
				want = append(want, rma.Message{From: from, Data: whole[from]})
				whole[from] = nil
			}
		}

		r := rma.NewReceiver(s)
		for i, w := range want {
			got, err := r.Receive()
			if err != nil {
				t.Fatalf("message %d: %v", i, err)
			}
			if got.From != w.From || !bytes.Equal(got.Data, w.Data) {
				t.Fatalf("message %d is %v from %d; want %v from %d", i, got.Data, got.From, w.Data, w.From)
			}
			if len(s.open) > 0 {
				t.Fatalf("message %d leaves %d packets in the rings", i, len(s.open))
			}
		}
		if m, err := r.Receive(); !errors.Is(err, errOver) {
			t.Fatalf("after the last message there is %v, %v", m, err)
		}
	})
}

// A message is good until the next call, and its memory is used again then.
func TestReceiverUsesItsMemoryAgain(t *testing.T) {
	s := &script{senders: 2}
	for i := range 100 {
		s.packets = append(s.packets, packet{0, bytes.Repeat([]byte{byte(i)}, 100), true})
	}
	r := rma.NewReceiver(s)
	first, err := r.Receive()
	if err != nil {
		t.Fatal(err)
	}
	allocated := testing.AllocsPerRun(98, func() {
		if _, err := r.Receive(); err != nil {
			t.Fatal(err)
		}
	})
	// The script itself needs none either, once its map has grown.
	if allocated > 0 {
		t.Errorf("%v allocations per message; want none once one as long has come", allocated)
	}
	if first.Data[0] == 0 {
		t.Error("the memory of the first message was not used for the others")
	}
}

func TestReceiverReadsAsItIsTold(t *testing.T) {
	for _, as := range []rma.Caching{rma.Cached, rma.Uncached} {
		s := &script{senders: 1, packets: []packet{{0, []byte{1}, true}}}
		r := rma.NewReceiver(s)
		r.As = as
		if _, err := r.Receive(); err != nil || s.as != as {
			t.Errorf("read as %v, error %v; want %v", s.as, err, as)
		}
	}
}

func TestReceiverPassesErrorsOn(t *testing.T) {
	s := &takeFails{script{senders: 1, packets: []packet{{0, []byte{1}, true}}}}
	if _, err := rma.NewReceiver(s).Receive(); err == nil || !strings.Contains(err.Error(), "torn") {
		t.Errorf("error %v, want that of Take", err)
	}
}

type takeFails struct{ script }

func (*takeFails) Take(rma.Arrival, []byte, rma.Caching) error { return errors.New("torn") }
