package live

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"musubi/nic"
	"musubi/rma"
)

// target is a rank 0 whose only peer, rank 1, is played by a test that has the key of the
// job but does not keep to what ranks do.
type target struct {
	rank   *rank
	log    *logged
	memory []byte // its segment 0
	conn   *tls.Conn
	keys   *keys // nil: nothing is encrypted
	port   nic.Port
	result chan error
}

// attacked starts a target whose program waits for 9 in the first byte of its memory.
func attacked(t testing.TB) *target {
	t.Helper()
	return attackedBy(t, hello{from: 1, to: 0})
}

// attackedBy is attacked with another greeting.
func attackedBy(t testing.TB, greeting hello) *target {
	t.Helper()
	id, log := testIdentity(t, 1)
	id.plain = greeting.plain
	g := &target{
		rank: newRank(variants["spinning"].regionOf(2, []int{0}), 0), log: log,
		memory: make([]byte, 100), port: nic.NewPort(id.group, 1), result: make(chan error, 1),
	}
	f, err := newFar(id, "127.0.0.1:0", 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	g.rank.far = f
	go func() {
		defer f.close()
		err := g.rank.connect(t.Context(), f, []peer{{Group: 0}, {Group: 1, Host: "b"}}, usualBound)
		if err == nil {
			_, err = g.rank.run(func(p rma.Process) ([]byte, error) {
				p.Expose(g.memory)
				return nil, p.WaitUntil(func() bool { return g.memory[0] == 9 })
			})
		}
		g.result <- err
	}()
	conn, err := id.dial(t.Context(), f.gate.Address())
	if err != nil {
		t.Fatal(err)
	}
	if err := greet(conn, greeting); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.NetConn().Close() })
	g.conn = conn
	if !greeting.plain {
		if g.keys, err = newKeys(conn, true); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// send sends a packet as it is.
func (g *target) send(h nic.Header, data ...byte) {
	h.Data = len(data)
	g.sendFrame(packetsFrame, nic.AppendWire(nil, &h, data))
}

// sendFrame sends a frame with anything in it.
func (g *target) sendFrame(kind frameKind, b []byte) {
	_, _ = g.conn.NetConn().Write(frameOf(g.keys, kind, b)) // the target may be gone
}

func frameOf(keys *keys, kind frameKind, b []byte) []byte {
	frame := append(make([]byte, frameHead), b...)
	if keys != nil {
		frame = append(frame, make([]byte, tagBytes)...)
	}
	putHead(frame, kind, len(frame)-frameHead)
	if keys != nil {
		keys.out.seal(frame)
	}
	return frame
}

// honest returns a packet that the target expects: a push of one byte to its memory.
func (g *target) honest(sequence uint16) nic.Header {
	h := nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage | nic.EndOfMessage, Long: true, Sequence: sequence}
	g.port.Stamp(&h)
	return h
}

// isUnharmed fails if the target has ended or its memory is changed, and lets it end well.
func (g *target) isUnharmed(t *testing.T, sequence uint16) {
	t.Helper()
	g.send(g.honest(sequence), 9)
	if err := <-g.result; err != nil {
		t.Errorf("the target ends with %v; want no error", err)
	}
	if !bytes.Equal(g.memory[1:], make([]byte, 99)) {
		t.Errorf("the memory of the target is %v", g.memory)
	}
}

// hasRefused fails unless the target has refused once, for a reason, and logged it.
func (g *target) hasRefused(t *testing.T, why refusal) {
	t.Helper()
	want := map[string]int{why.String(): 1}
	if got := g.rank.far.gate.Refused(); !maps.Equal(got, want) {
		t.Errorf("refused are %v; want %v", got, want)
	}
	if line := g.log.String(); !strings.Contains(line, why.String()) || !strings.Contains(line, "rank 1 on b") {
		t.Errorf("logged is %q; want that %v of rank 1 on b", line, why)
	}
}

func TestPacketsForOthersAreDropped(t *testing.T) {
	for _, c := range []struct {
		name   string
		why    refusal
		change func(h *nic.Header)
	}{
		{"of another process group", foreignGroup, func(h *nic.Header) { h.Group++ }},
		{"for another process", strayPacket, func(h *nic.Header) { h.To++ }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := attacked(t)
			h := g.honest(0)
			c.change(&h)
			g.send(h, 7)
			g.isUnharmed(t, 0)
			g.hasRefused(t, c.why)
		})
	}
}

// spoiled are packets of the right process group that no rank sends.
var spoiled = []struct {
	name   string
	why    refusal
	packet nic.Header // but for group and sender
	data   []byte
}{
	{"push: not its turn", outOfOrder, nic.Header{Operation: nic.Push, Flags: whole, Long: true, Sequence: 1}, one},
	{"push: taken before", outOfOrder, nic.Header{Operation: nic.Push, Flags: whole, Long: true, Sequence: nic.MaxSequence}, one},
	{"push: no place", malformed, nic.Header{Operation: nic.Push, Flags: whole}, one},
	{"push: no beginning", malformed, nic.Header{Operation: nic.Push, Flags: nic.EndOfMessage}, one},
	{"push: no end and no length", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true}, one},
	{"push: head longer than the data", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 16 << 32}, one},
	{"push: head without length", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 7 << 32}, words64(10)},
	{"push: length beyond all memory", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 8 << 32}, words64(1<<63, 1)},
	{"push: more data than it says", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 8 << 32}, words64(7, 1)},
	{"push: ends too early", malformed, nic.Header{Operation: nic.Push, Flags: whole, Long: true, Word: 8 << 32}, words64(9, 1)},
	{"push: does not end", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 8 << 32}, words64(8, 1)},
	{"push: goes on with nothing", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 8 << 32}, words64(8)},
	{"push: layout of another length", malformed, nic.Header{Operation: nic.Push, Flags: nic.StartOfMessage, Long: true, Word: 32 << 32}, words64(16, 8, 1, 8, 1)},
	{"message: no beginning", malformed, nic.Header{Operation: nic.IPush, Flags: nic.EndOfMessage}, one},
	{"message: no length", malformed, nic.Header{Operation: nic.IPush, Flags: nic.StartOfMessage}, one},
	{"message: shorter than its first packet", malformed, nic.Header{Operation: nic.IPush, Flags: nic.StartOfMessage, Long: true, Word: 1}, words64(1)},
	{"message: packet that is too long", malformed, nic.Header{Operation: nic.IPush, Flags: whole}, make([]byte, Packet+1)},
	{"message: goes on with nothing", malformed, nic.Header{Operation: nic.IPush, Flags: nic.StartOfMessage, Long: true, Word: 1}, nil},
	{"pull: no place", malformed, nic.Header{Operation: nic.Pull, Flags: whole}, words64(1)},
	{"pull: no length", malformed, nic.Header{Operation: nic.Pull, Long: true}, one},
	{"pull: length beyond all memory", malformed, nic.Header{Operation: nic.Pull, Long: true}, words64(1 << 63)},
	{"pull: layout of another length", malformed, nic.Header{Operation: nic.Pull, Long: true}, words64(16, 8, 1, 8)},
	{"modify: no place", malformed, nic.Header{Operation: nic.Modify}, addOne},
	{"modify: nothing to do", malformed, nic.Header{Operation: nic.Modify, Long: true}, nil},
	{"modify: operand without reduction", malformed, nic.Header{Operation: nic.Modify, Long: true}, words64(1)},
	{"modify: reduction that there is not", malformed, nic.Header{Operation: nic.Modify, Long: true}, append(words64(1), byte(rma.Replace)+1, 0)},
	{"modify: three words", malformed, nic.Header{Operation: nic.Modify, Long: true}, words64(1, 2, 3)},
	{"answer: to nothing", malformed, nic.Header{Operation: nic.Answer, Long: true}, one},
	{"answer: to no operation", malformed, nic.Header{Operation: nic.Answer, Long: true, Word: 1<<32 - 1}, one},
	{"ack: of what was never sent", malformed, nic.Header{Operation: nic.Ack, Sequence: 1}, nil},
	{"ack: with data", malformed, nic.Header{Operation: nic.Ack}, one},
	{"nack: of what was never sent", malformed, nic.Header{Operation: nic.Nack, Long: true, Word: 1, Address: 1}, nil},
	{"nack: without a reason", malformed, nic.Header{Operation: nic.Nack, Long: true, Address: 1}, nil},
	{"operation that ranks do not use", malformed, nic.Header{Operation: nic.IPushEntry, Flags: whole, Long: true}, one},
}

const whole = nic.StartOfMessage | nic.EndOfMessage

var (
	one    = []byte{1}
	addOne = (&nic.Atomic{Reduction: nic.ReduceSum, Operand: 1}).Append(nil)
)

func words64(list ...uint64) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// isRejected fails unless the target ends with an error that names rank 1.
func (g *target) isRejected(t *testing.T, why refusal) {
	t.Helper()
	if err := <-g.result; err == nil || !strings.Contains(err.Error(), "rank 1 on b: it has sent rank 0 what no rank sends") {
		t.Errorf("the target ends with %v; want that rank 1 on b has sent what no rank sends", err)
	}
	if !bytes.Equal(g.memory, make([]byte, 100)) {
		t.Errorf("the memory of the target is %v", g.memory)
	}
	g.hasRefused(t, why)
}

func TestSpoiledPacketsEndTheJob(t *testing.T) {
	for _, c := range spoiled {
		t.Run(c.name, func(t *testing.T) {
			g := attacked(t)
			g.port.Stamp(&c.packet)
			g.send(c.packet, c.data...)
			g.isRejected(t, c.why)
		})
	}
	t.Run("sender that it is not", func(t *testing.T) {
		g := attacked(t)
		h := g.honest(0)
		h.From = 0
		g.send(h, 7)
		g.isRejected(t, malformed)
	})
}

func TestFramesThatAreNoPacketsEndTheJob(t *testing.T) {
	push := func(g *target) []byte {
		h := g.honest(0)
		h.Data = 1
		return nic.AppendWire(nil, &h, []byte{7})
	}
	for name, spoil := range map[string]func(packet []byte) []byte{
		"noise":                      func([]byte) []byte { return bytes.Repeat([]byte{0xa5}, 100) },
		"zeros":                      func([]byte) []byte { return make([]byte, 64) },
		"packet without its end":     func(p []byte) []byte { return p[:len(p)-1] },
		"packet with something left": func(p []byte) []byte { return append(bytes.Clone(p[:16]), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			g := attacked(t)
			g.sendFrame(packetsFrame, spoil(push(g)))
			g.isRejected(t, malformed)
		})
	}
}

// What is no frame, or too long for one, ends the job too, as soon as its head is there.
func TestBytesThatAreNoFramesEndTheJob(t *testing.T) {
	head := func(kind frameKind, n int) []byte {
		b := make([]byte, frameHead)
		putHead(b, kind, n)
		return b
	}
	for _, plain := range []bool{false, true} {
		more := tagBytes
		if plain {
			more = 0
		}
		noises := map[string][]byte{
			"frame that is too long":      head(packetsFrame, maxPackets+more+1),
			"long frame that is too long": head(longFrame, maxLong+more+1),
			"length beyond all memory":    head(longFrame, 1<<32-1),
			"noise":                       bytes.Repeat([]byte{0xa5}, 1000),
			"alert of TLS":                {21, 3, 3, 0, 2, 1, 0},
		}
		if !plain {
			noises["forged frame"] = append(head(packetsFrame, 32), make([]byte, 32)...)
			noises["frame without a tag"] = append(head(packetsFrame, 8), make([]byte, 8)...)
		}
		for name, noise := range noises {
			t.Run(fmt.Sprintf("%s, plain: %v", name, plain), func(t *testing.T) {
				g := attackedBy(t, hello{from: 1, to: 0, plain: plain})
				if _, err := g.conn.NetConn().Write(noise); err != nil {
					t.Fatal(err)
				}
				g.isRejected(t, brokenStream)
			})
		}
	}
}

// Whoever has the key of the job but says something wrong about itself is refused, and
// harms nobody.
func TestWrongGreetingsAreRefused(t *testing.T) {
	for name, b := range map[string][]byte{
		"another protocol":       {1, 2, 3, 4, 5, 6, 7, 8},
		"for another rank":       hello{from: 1, to: 1}.encode(),
		"of the rank itself":     hello{from: 0, to: 0}.encode(),
		"of no rank":             hello{from: 2, to: 0}.encode(),
		"of one that is there":   hello{from: 1, to: 0}.encode(),
		"without encryption":     hello{from: 1, to: 0, plain: true}.encode(),
		"that ends in between":   hello{from: 1, to: 0}.encode()[:5],
		"of a rank out of range": hello{from: 0xffff, to: 0}.encode(),

		"for queues of another rank":     hello{from: 1, to: 1, queues: true}.encode(),
		"for queues, of the rank itself": hello{from: 0, to: 0, queues: true}.encode(),
	} {
		t.Run(name, func(t *testing.T) {
			g := attacked(t)
			id, _ := testIdentity(t, 1)
			conn, err := id.dial(t.Context(), g.rank.far.gate.Address())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := conn.Write(b); err != nil {
				t.Fatal(err)
			}
			if err := conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if answer, _ := io.ReadAll(conn); len(answer) > 0 {
				t.Errorf("the answer is % x; want none", answer)
			}
			awaitRefusals(t, g.rank.far.gate, badHello, 1)
			g.isUnharmed(t, 0)
		})
	}
}

// Strangers at the gates of a running job do not disturb it.
func TestStrangersDoNotDisturbAJob(t *testing.T) {
	j := newTestJob(t, variants["spinning"], 3, mixes["each alone"])
	var tried atomic.Bool
	go func() {
		defer tried.Store(true)
		for _, s := range strangers {
			s.do(t, j.ranks[0].far.gate.Address())
		}
	}()
	err := j.run(func(p rma.Process) error {
		return exchangeUntil(p, func() bool { return tried.Load() })
	})
	if err != nil {
		t.Error(err)
	}
	refused := 0
	for _, n := range j.ranks[0].far.gate.Refused() {
		refused += n
	}
	if refused != len(strangers) {
		t.Errorf("refused are %v; want %d", j.ranks[0].far.gate.Refused(), len(strangers))
	}
}

// exchangeUntil pushes to the next rank and waits for the one before, round by round,
// and compares. Rank 0 says when it is enough.
func exchangeUntil(p rma.Process, enough func() bool) error {
	const size = 20_000
	memory, data := make([]byte, size), make([]byte, size)
	to := rma.Address{Rank: (p.Rank() + 1) % p.Size(), Segment: p.Expose(memory)}
	for round := 1; ; round++ {
		mark := byte(1 + round%200)
		take := func() error {
			if err := p.WaitUntil(func() bool { return memory[size-1] == mark }); err != nil {
				return err
			}
			if !bytes.Equal(memory[1:], bytes.Repeat([]byte{mark}, size-1)) {
				return fmt.Errorf("round %d: what has come is not what was pushed", round)
			}
			return nil
		}
		last := p.Rank() == 0 && enough()
		if p.Rank() > 0 {
			if err := take(); err != nil {
				return err
			}
			last = memory[0] == 0xff
		}
		for i := range data {
			data[i] = mark
		}
		if last {
			data[0] = 0xff
		}
		op, err := p.Push(to, data, rma.DMA)
		if err := errors.Join(err, p.Wait(op)); err != nil {
			return err
		}
		if p.Rank() == 0 {
			if err := take(); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
	}
}

// A proxy is between the ranks of a job and does something to what they send.
type proxy struct {
	listener net.Listener
	to       string
	tamper   func(record int, b []byte) (out []byte, end bool) // of who has dialled, record by record
	said     bytes.Buffer                                      // by who has dialled first
	done     chan struct{}
}

// newProxy starts a proxy for one connection.
func newProxy(t *testing.T, to string, tamper func(int, []byte) ([]byte, bool)) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	x := &proxy{listener: listener, to: to, tamper: tamper, done: make(chan struct{})}
	t.Cleanup(func() { listener.Close() })
	go func() {
		defer close(x.done)
		x.serve()
	}()
	return x
}

func (x *proxy) serve() {
	from, err := x.listener.Accept()
	if err != nil {
		return
	}
	defer from.Close()
	to, err := net.Dial("tcp", x.to)
	if err != nil {
		return
	}
	defer to.Close()
	go func() { _, _ = io.Copy(from, to) }()
	for record := 0; ; record++ {
		var head [recordHead]byte
		if _, err := io.ReadFull(from, head[:]); err != nil {
			return
		}
		b := append(head[:], make([]byte, binary.BigEndian.Uint16(head[3:]))...)
		if _, err := io.ReadFull(from, b[recordHead:]); err != nil {
			return
		}
		x.said.Write(b)
		out, end := x.tamper(record, b)
		if _, err := to.Write(out); err != nil || end {
			return
		}
	}
}

// tampered is from which record on a proxy tampers: behind the handshake and the greeting.
const tampered = 20

func TestWhatIsDoneToAConnectionEndsTheJob(t *testing.T) {
	for _, c := range []struct {
		name   string
		why    refusal // by rank 0; refusalKinds if it has not refused anything
		told   string
		tamper func(b []byte) ([]byte, bool)
	}{
		{"a bit is flipped", brokenStream, "rank 1 on host1: it has sent rank 0 on host0 what no rank sends", func(b []byte) ([]byte, bool) {
			b[len(b)/2] ^= 1
			return b, false
		}},
		{"a record is repeated", brokenStream, "rank 1 on host1: it has sent rank 0 on host0 what no rank sends", func(b []byte) ([]byte, bool) {
			return append(b, b...), false
		}},
		{"a record is left out", brokenStream, "rank 1 on host1: it has sent rank 0 on host0 what no rank sends", func([]byte) ([]byte, bool) { return nil, false }},
		{"the connection is cut", refusalKinds, "lost", func(b []byte) ([]byte, bool) { return b[:len(b)/2], true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newTestJobVia(t, variants["spinning"], 2, mixes["each alone"], func(address string) string {
				return newProxy(t, address, func(record int, b []byte) ([]byte, bool) {
					if record != tampered {
						return b, false
					}
					return c.tamper(b)
				}).listener.Addr().String()
			})
			err := j.run(func(p rma.Process) error { return exchangeUntil(p, func() bool { return false }) })
			if err == nil || !strings.Contains(err.Error(), "rank 0: live: ") || !strings.Contains(err.Error(), c.told) {
				t.Errorf("the job ends with %v; want %s", err, c.told)
			}
			want := map[string]int{}
			if c.why < refusalKinds {
				want[c.why.String()] = 1
			}
			if got := j.ranks[0].far.gate.Refused(); !maps.Equal(got, want) {
				t.Errorf("rank 0 has refused %v; want %v", got, want)
			}
		})
	}
}

// What was said on one connection is worth nothing on another one.
func TestReplayedConnectionsAreRefused(t *testing.T) {
	var x *proxy
	j := newTestJobVia(t, variants["spinning"], 2, mixes["each alone"], func(address string) string {
		p := newProxy(t, address, func(_ int, b []byte) ([]byte, bool) { return b, false })
		if x == nil { // that before rank 0, which rank 1 dials
			x = p
		}
		return p.listener.Addr().String()
	})
	rounds := 0
	err := j.run(func(p rma.Process) error {
		return exchangeUntil(p, func() bool { rounds++; return rounds > 10 })
	})
	if err != nil {
		t.Fatal(err)
	}
	<-x.done
	g := attacked(t)
	conn, err := net.Dial("tcp", g.rank.far.gate.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(x.said.Bytes()); err != nil {
		t.Fatal(err)
	}
	awaitRefusals(t, g.rank.far.gate, brokenHandshake, 1)
	g.isUnharmed(t, 0)
}
