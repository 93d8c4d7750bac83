package rank

import (
	"bytes"
	"crypto/tls"
	"maps"
	"strings"
	"testing"

	"musubi/live/health"
	"musubi/live/livetest"
	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/rma"
)

// target is a rank 0 whose only peer, rank 1, is played by a test that has the key of the
// job but does not keep to what ranks do.
type target struct {
	rank   *Rank
	log    *livetest.Logged
	memory []byte // its segment 0
	conn   *tls.Conn
	keys   *wire.Keys // nil: nothing is encrypted
	result chan error
}

// attacked starts a target whose program waits for 9 in the first byte of its memory.
func attacked(t testing.TB) *target {
	t.Helper()
	return attackedBy(t, wire.Hello{From: 1, To: 0})
}

// attackedBy is attacked with another greeting.
func attackedBy(t testing.TB, greeting wire.Hello) *target {
	t.Helper()
	id, log := livetest.TestIdentity(t, 1, 0)
	id.Protection = greeting.Protection
	g := &target{
		rank: New(variants["spinning"].regionOf(2, []int{0}), 0), log: log,
		memory: make([]byte, 100), result: make(chan error, 1),
	}
	f, err := tcp.New(id, "127.0.0.1:0", 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	g.rank.far = f
	go func() {
		defer f.Close()
		err := g.rank.connect(f, []tcp.Peer{{Group: 0}, {Group: 1, Host: "b"}}, health.UsualBound)
		if err == nil {
			_, err = run(g.rank, func(p rma.Process) ([]byte, error) {
				p.Expose(g.memory)
				return nil, p.WaitUntil(func() bool { return g.memory[0] == 9 })
			})
		}
		g.result <- err
	}()
	attacker, _ := livetest.TestIdentity(t, 1, tcp.Party(greeting.From))
	conn, err := attacker.Dial(t.Context(), f.Acceptor.Address(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.Greet(conn, greeting); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.NetConn().Close() })
	g.conn = conn
	if greeting.Protection == wire.Sealed {
		if g.keys, err = wire.NewKeys(conn, true); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// said is a packet that a test sends.
type said struct {
	header wire.Header
	body   []byte
}

// say returns a packet with fields, unless they are nil, and what follows them.
func say(k wire.Kind, fields interface{ Encode(b []byte) }, data ...byte) said {
	var body []byte
	if fields != nil {
		body = make([]byte, k.FieldBytes())
		fields.Encode(body)
	}
	return said{wire.Header{Kind: k}, append(body, data...)}
}

// numbered returns the packet with a number.
func (p said) numbered(sequence uint16) said {
	p.header.Sequence = sequence
	return p
}

// of returns the packet as one from rank 1 to rank 0 of a job.
func (p said) of(id *tcp.Identity) said {
	p.header.Group, p.header.From, p.header.To = id.Group, 1, 0
	return p
}

// append appends the packet to others of a frame.
func (p said) append(b []byte) []byte { return wire.AppendPacket(b, &p.header, p.body) }

// long returns the packet in a frame of its own that is not encrypted, with more data.
func (p said) long(data []byte) []byte { return frameOf(nil, wire.LongFrame, p.alone(data)) }

// alone returns the packet as it is in a frame of its own, with more data.
func (p said) alone(data []byte) []byte {
	b := make([]byte, wire.HeaderBytes)
	p.header.Encode(b)
	return append(append(b, p.body...), data...)
}

// send sends a packet as it is.
func (g *target) send(p said) { g.sendFrame(wire.PacketsFrame, p.append(nil)) }

// sendFrame sends a frame with anything in it.
func (g *target) sendFrame(kind wire.FrameKind, b []byte) {
	_, _ = g.conn.NetConn().Write(frameOf(g.keys, kind, b)) // the target may be gone
}

func frameOf(keys *wire.Keys, kind wire.FrameKind, b []byte) []byte {
	frame := append(make([]byte, wire.FrameHead), b...)
	if keys != nil {
		frame = append(frame, make([]byte, wire.TagBytes)...)
	}
	wire.PutFrameHead(frame, kind, len(frame)-wire.FrameHead)
	if keys != nil {
		keys.Out.Seal(frame)
	}
	return frame
}

// honest returns a packet that the target expects: a push of one byte to its memory.
func (g *target) honest(sequence uint16, data byte) said {
	return say(wire.Whole, &wire.WholeFields{}, data).numbered(sequence).of(g.rank.far.Identity)
}

// isUnharmed fails if the target has ended or its memory is changed, and lets it end well.
func (g *target) isUnharmed(t *testing.T, sequence uint16) {
	t.Helper()
	g.send(g.honest(sequence, 9))
	if err := <-g.result; err != nil {
		t.Errorf("the target ends with %v; want no error", err)
	}
	if !bytes.Equal(g.memory[1:], make([]byte, 99)) {
		t.Errorf("the memory of the target is %v", g.memory)
	}
}

// hasRefused fails unless the target has refused once, for a reason, and logged it.
func (g *target) hasRefused(t *testing.T, why tcp.Refusal) {
	t.Helper()
	want := map[string]int{why.String(): 1}
	if got := g.rank.far.Acceptor.Refused(); !maps.Equal(got, want) {
		t.Errorf("refused are %v; want %v", got, want)
	}
	if line := g.log.String(); !strings.Contains(line, why.String()) || !strings.Contains(line, "rank 1 on b") {
		t.Errorf("logged is %q; want that %v of rank 1 on b", line, why)
	}
}

// isRejected fails unless the target ends with an error that names rank 1.
func (g *target) isRejected(t *testing.T, why tcp.Refusal) {
	t.Helper()
	if err := <-g.result; err == nil || !strings.Contains(err.Error(), "rank 1 on b: it has sent rank 0 what no rank sends") {
		t.Errorf("the target ends with %v; want that rank 1 on b has sent what no rank sends", err)
	}
	if !bytes.Equal(g.memory, make([]byte, 100)) {
		t.Errorf("the memory of the target is %v", g.memory)
	}
	g.hasRefused(t, why)
}
