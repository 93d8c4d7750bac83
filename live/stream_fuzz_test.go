package live

import (
	"bytes"
	"crypto/tls"
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"musubi/nic"
	"musubi/rma"
)

// FuzzStreamPackets hands a rank any bytes as packets of a stream. It may refuse them, and
// it may do what they say; nothing but what it exposes changes.
func FuzzStreamPackets(f *testing.F) {
	id, _ := testIdentity(f, 1)
	conn := handshake(f, id)
	wire := func(h nic.Header, data []byte) []byte {
		h.Group, h.From, h.To, h.Data = id.group, 1, 0, len(data)
		return nic.AppendWire(nil, &h, data)
	}
	push := nic.Header{Operation: nic.Push, Flags: whole, Long: true}
	f.Add(wire(push, one))
	f.Add(append(wire(push, one), wire(nic.Header{Operation: nic.Ack, Sequence: 2}, nil)...))
	f.Add(wire(nic.Header{Operation: nic.Answer, Long: true}, make([]byte, 64)))
	f.Add(wire(nic.Header{Operation: nic.Pull, Long: true}, words64(100)))
	f.Add(wire(nic.Header{Operation: nic.Nack, Long: true, Word: uint64(outside), Address: 2}, nil))
	for _, c := range spoiled {
		f.Add(wire(c.packet, c.data))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, s := withStream(t, id, conn)
		memory := make([]byte, 300)
		r.Expose(memory[100:200])
		into := make([]byte, 300)
		if _, err := r.Pull(rma.Address{Rank: 1}, into[100:164]); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Push(rma.Address{Rank: 1}, one, rma.DMA); err != nil {
			t.Fatal(err)
		}
		s.packets = b
		r.takePackets(s)
		for _, edges := range [][]byte{memory[:100], memory[200:], into[:100], into[164:]} {
			if !bytes.Equal(edges, make([]byte, len(edges))) {
				t.Fatal("memory has changed that is not exposed")
			}
		}
	})
}

// handshake returns one end of a connection of TLS.
func handshake(f *testing.F, id *identity) *tls.Conn {
	here, there := net.Pipe()
	f.Cleanup(func() { here.Close(); there.Close() })
	other := make(chan error)
	go func() { other <- tls.Client(newSocket(there), id.config).Handshake() }()
	conn := tls.Server(newSocket(here), id.config)
	if err := conn.Handshake(); err != nil {
		f.Fatal(err)
	}
	if err := <-other; err != nil {
		f.Fatal(err)
	}
	return conn
}

// withStream returns rank 0 of two with a stream to rank 1, which nobody reads from.
func withStream(t *testing.T, id *identity, conn *tls.Conn) (*rank, *stream) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	socket := conn.NetConn().(*socket)
	socket.fd, socket.out, socket.sent = pair[0], nil, 0
	r := newRank(variants["small rings"].regionOf(2, []int{0}), 0)
	r.far = &far{rank: r, id: id, peers: make([]peer, 2)}
	s := newStream(1, socket, conn, nic.NewPort(id.group, 0))
	r.far.streams = []*stream{s}
	r.out[1].stream, r.in[1].stream, r.out[1].pair = s, s, new(pairState)
	t.Cleanup(func() {
		s.own()
		socket.close()
		unix.Close(pair[1])
	})
	return r, s
}
