package rank

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"musubi/live/livetest"
	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/rma"
)

// A process of the job that says something wrong about itself is refused, and harms nobody; so is one that
// says that it is another rank than it has proved to be, whatever else it says.
func TestWrongGreetingsAreRefused(t *testing.T) {
	for name, b := range map[string][]byte{
		"of another rank":                     wire.Hello{From: 1, To: 0}.Encode(),
		"of another rank, without encryption": wire.Hello{From: 1, To: 0, Protection: wire.Unprotected}.Encode(),
		"of another rank, for queues":         wire.Hello{From: 1, To: 0, Queues: true}.Encode(),

		"another protocol":       {1, 2, 3, 4, 5, 6, 7, 8},
		"for another rank":       wire.Hello{From: 1, To: 1}.Encode(),
		"of the rank itself":     wire.Hello{From: 0, To: 0}.Encode(),
		"of no rank":             wire.Hello{From: 2, To: 0}.Encode(),
		"of one that is there":   wire.Hello{From: 1, To: 0}.Encode(),
		"by records of TLS":      wire.Hello{From: 1, To: 0, Protection: wire.Records}.Encode(),
		"without encryption":     wire.Hello{From: 1, To: 0, Protection: wire.Unprotected}.Encode(),
		"that ends in between":   wire.Hello{From: 1, To: 0}.Encode()[:5],
		"of a rank out of range": wire.Hello{From: 0xffff, To: 0}.Encode(),

		"for queues of another rank":     wire.Hello{From: 1, To: 1, Queues: true}.Encode(),
		"for queues, of the rank itself": wire.Hello{From: 0, To: 0, Queues: true}.Encode(),
	} {
		t.Run(name, func(t *testing.T) {
			g := attacked(t)
			party, why := tcp.Party(1), tcp.BadHello
			if hello, err := wire.DecodeHello(append(b, make([]byte, wire.HelloBytes)...)); err == nil {
				party = tcp.Party(hello.From)
			}
			if strings.HasPrefix(name, "of another rank") {
				party, why = 2, tcp.AnotherParty
			}
			id, _ := livetest.TestIdentity(t, 1, party)
			conn, err := id.Dial(t.Context(), g.rank.far.Acceptor.Address(), 0)
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
			livetest.AwaitRefusals(t, g.rank.far.Acceptor, why, 1)
			g.isUnharmed(t, 0)
		})
	}
}

// UnauthenticatedPeers at the gates of a running job do not disturb it.
func TestUnauthenticatedPeersDoNotDisturbAJob(t *testing.T) {
	j := newTestJob(t, variants["spinning"], 3, mixes["each alone"])
	var tried atomic.Bool
	go func() {
		defer tried.Store(true)
		for _, s := range livetest.UnauthenticatedPeers {
			s.Do(t, j.ranks[0].far.Acceptor.Address())
		}
	}()
	err := j.run(func(p rma.Process) error {
		return exchangeUntil(p, func() bool { return tried.Load() })
	})
	if err != nil {
		t.Error(err)
	}
	refused := 0
	for _, n := range j.ranks[0].far.Acceptor.Refused() {
		refused += n
	}
	if refused != len(livetest.UnauthenticatedPeers) {
		t.Errorf("refused are %v; want %d", j.ranks[0].far.Acceptor.Refused(), len(livetest.UnauthenticatedPeers))
	}
}

// exchanged is how many bytes exchangeUntil pushes at once. They go in two records, of which
// the second has more than half of them.
const exchanged = 20_000

// exchangeUntil pushes to the next rank and waits for the one before, round by round,
// and compares. Rank 0 says when it is enough.
func exchangeUntil(p rma.Process, enough func() bool) error {
	const size = exchanged
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
		const recordHead = 5 // of TLS
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
		why    tcp.Refusal // by rank 1; refusalKinds if it has not refused anything
		told   string
		tamper func(b []byte) ([]byte, bool)
	}{
		{"a bit is flipped", tcp.BrokenStream, "rank 0 on host0: it has sent rank 1 on host1 what no rank sends", func(b []byte) ([]byte, bool) {
			b[len(b)/2] ^= 1
			return b, false
		}},
		{"a record is repeated", tcp.BrokenStream, "rank 0 on host0: it has sent rank 1 on host1 what no rank sends", func(b []byte) ([]byte, bool) {
			return append(b, b...), false
		}},
		{"a record is left out", tcp.BrokenStream, "rank 0 on host0: it has sent rank 1 on host1 what no rank sends", func([]byte) ([]byte, bool) { return nil, false }},
		{"the connection is cut", tcp.RefusalKinds, "lost", func(b []byte) ([]byte, bool) { return b[:len(b)/2], true }},
	} {
		for _, by := range []wire.Protection{wire.Sealed, wire.Records} {
			t.Run(fmt.Sprintf("%s, protection %d", c.name, by), func(t *testing.T) {
				v := variants["spinning"]
				v.by = by
				j := newTestJobVia(t, v, 2, mixes["each alone"], func(address string) string {
					over := false
					return newProxy(t, address, func(record int, b []byte) ([]byte, bool) {
						if over || record < tampered || len(b) > exchanged/2 { // of one that is left out the next one tells
							return b, false
						}
						over = true
						return c.tamper(b)
					}).listener.Addr().String()
				})
				err := j.run(func(p rma.Process) error { return exchangeUntil(p, func() bool { return false }) })
				if err == nil || !strings.Contains(err.Error(), "rank 0: live: ") || !strings.Contains(err.Error(), c.told) {
					t.Errorf("the job ends with %v; want %s", err, c.told)
				}
				want := map[string]int{}
				if c.why < tcp.RefusalKinds {
					want[c.why.String()] = 1
				}
				if got := j.ranks[1].far.Acceptor.Refused(); !maps.Equal(got, want) {
					t.Errorf("rank 1 has refused %v; want %v", got, want)
				}
			})
		}
	}
}

// What was said on one connection is worth nothing on another one.
func TestReplayedConnectionsAreRefused(t *testing.T) {
	var x *proxy
	j := newTestJobVia(t, variants["spinning"], 2, mixes["each alone"], func(address string) string {
		x = newProxy(t, address, func(_ int, b []byte) ([]byte, bool) { return b, false })
		return x.listener.Addr().String() // the last one is that before rank 1, which rank 0 dials
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
	conn, err := net.Dial("tcp", g.rank.far.Acceptor.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(x.said.Bytes()); err != nil {
		t.Fatal(err)
	}
	livetest.AwaitRefusals(t, g.rank.far.Acceptor, tcp.BrokenHandshake, 1)
	g.isUnharmed(t, 0)
}
