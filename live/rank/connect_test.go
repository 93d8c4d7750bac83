package rank

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"musubi/live/health"
	"musubi/live/livetest"
	"musubi/live/shm"
	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/rma"
)

// Where both ranks dial at once there is one connection, whoever is let in first.
func TestRanksThatDialEachOtherHaveOneConnection(t *testing.T) {
	for range 50 {
		j := newTestJob(t, variants["sleeping"], 2, mixes["each alone"])
		var ready sync.WaitGroup
		ready.Add(2)
		err := j.run(func(p rma.Process) error {
			memory := make([]byte, 1)
			to := rma.Address{Rank: 1 - p.Rank(), Segment: p.Expose(memory)}
			ready.Done()
			ready.Wait()
			op, err := p.Push(to, one, rma.DMA)
			return errors.Join(err, p.Wait(op), p.WaitUntil(func() bool { return memory[0] == 1 }))
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range j.ranks {
			if n, wrong := len(r.far.Streams), r.far.Acceptor.Refused()[tcp.BadHello.String()]; n != 1 || wrong != 0 {
				t.Errorf("rank %d has %d connections, and has refused %d greetings; want 1, and none", r.number, n, wrong)
			}
		}
	}
}

// reaching is a rank of two that pushes a byte to the other one, which a test plays.
type reaching struct {
	rank  *Rank
	id    *tcp.Identity // of the other one
	ended chan error
}

// reachFor starts the rank with a number. The other one is at an address.
func reachFor(t *testing.T, number int, address string, bound time.Duration) *reaching {
	t.Helper()
	id, _ := livetest.TestIdentity(t, 1, tcp.Party(number))
	other, _ := livetest.TestIdentity(t, 1, tcp.Party(1-number))
	f, err := tcp.New(id, "127.0.0.1:0", number, 2)
	if err != nil {
		t.Fatal(err)
	}
	x := &reaching{rank: New(variants["sleeping"].regionOf(2, []int{number}), number), id: other, ended: make(chan error, 1)}
	x.rank.Bound = bound
	peers := make([]tcp.Peer, 2)
	peers[1-number] = tcp.Peer{Group: 1, Host: "b", Address: address}
	if err := x.rank.connect(f, peers, bound); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	go func() {
		_, err := run(x.rank, func(p rma.Process) ([]byte, error) {
			op, err := p.Push(rma.Address{Rank: 1 - number}, one, rma.DMA)
			return nil, errors.Join(err, p.Wait(op))
		})
		x.ended <- err
	}()
	return x
}

// crossing is a rank that has dialled the other one.
type crossing struct {
	*reaching
	dialled *tls.Conn // the other end of that
}

// newCrossing starts the rank with a number. It has greeted, and waits for the answer.
func newCrossing(t *testing.T, number int) *crossing {
	t.Helper()
	came := make(chan net.Conn, 1)
	id, _ := livetest.TestIdentity(t, 1, tcp.Party(1-number))
	g, err := id.Listen("127.0.0.1:0", func(conn net.Conn) error { came <- conn; return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	x := &crossing{reaching: reachFor(t, number, g.Address(), 0)}
	t.Cleanup(func() {
		x.rank.job.Fail(health.Failure{Cause: health.Died, Rank: 1 - number}.Encode())
		<-x.ended
	})
	x.dialled = (<-came).(*tls.Conn)
	t.Cleanup(func() { x.dialled.Close() })
	var b [wire.HelloBytes]byte
	if _, err := io.ReadFull(x.dialled, b[:]); err != nil {
		t.Fatal(err)
	}
	if h, err := wire.DecodeHello(b[:]); err != nil || int(h.From) != number || int(h.To) != 1-number {
		t.Fatalf("the rank greets with %v, %v", h, err)
	}
	return x
}

// crosses dials the rank, too, and returns what that says to the greeting.
func (x *crossing) crosses(t *testing.T) (*tls.Conn, error) {
	t.Helper()
	conn, err := x.id.Dial(t.Context(), x.rank.far.Acceptor.Address(), tcp.Party(x.rank.number))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn, wire.Greet(conn, wire.Hello{From: uint16(1 - x.rank.number), To: uint16(x.rank.number)})
}

// carries fails unless the rank sends a frame on a connection.
func carries(t *testing.T, conn *tls.Conn) {
	t.Helper()
	s := conn.NetConn().(*tcp.Socket)
	for len(s.Buffered()) == 0 {
		if err := s.Receive(); err != nil {
			t.Fatalf("instead of a frame comes %v", err)
		}
	}
	if first := wire.FrameKind(s.Buffered()[0]); first != wire.PacketsFrame {
		t.Errorf("a frame begins with %q; want %q", first, wire.PacketsFrame)
	}
}

// The rank with the larger number takes no connection of one that it dials itself, however often
// that tries, and does not call that a mistake.
func TestTheLargerNumberDecides(t *testing.T) {
	x := newCrossing(t, 1)
	if _, err := x.crosses(t); !errors.Is(err, wire.ErrCrossed) {
		t.Errorf("the greeting is answered by %v; want that %v", err, wire.ErrCrossed)
	}
	if _, err := x.dialled.Write([]byte{wire.HelloTaken}); err != nil {
		t.Fatal(err)
	}
	carries(t, x.dialled)
	if _, err := x.crosses(t); !errors.Is(err, wire.ErrCrossed) {
		t.Errorf("a late greeting is answered by %v; want that %v", err, wire.ErrCrossed)
	}
	if refused := x.rank.far.Acceptor.Refused(); len(refused) > 0 {
		t.Errorf("refused are %v; want none", refused)
	}
}

// The rank with the smaller number takes what the other one dials, whether it hears before or
// after that that the two have crossed.
func TestTheSmallerNumberYields(t *testing.T) {
	for _, early := range []bool{false, true} {
		x := newCrossing(t, 0)
		say := func() {
			if _, err := x.dialled.Write([]byte{wire.HelloCrossed}); err != nil {
				t.Fatal(err)
			}
		}
		if early {
			say()
		}
		conn, err := x.crosses(t)
		if err != nil {
			t.Fatal(err)
		}
		carries(t, conn)
		if !early {
			say()
		}
	}
}

// A rank that cannot be reached is named, with what is there instead.
func TestRanksThatCannotBeReached(t *testing.T) {
	other, _ := livetest.TestIdentity(t, 2, 0)
	g, err := other.Listen("127.0.0.1:0", func(conn net.Conn) error { return conn.Close() })
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	impostor, _ := livetest.TestIdentity(t, 1, 2)
	posing, err := impostor.Listen("127.0.0.1:0", func(conn net.Conn) error { return conn.Close() })
	if err != nil {
		t.Fatal(err)
	}
	defer posing.Close()
	for _, c := range []struct{ address, want string }{
		{g.Address(), "it belongs to another job"},
		{posing.Address(), "it has proved to be rank 2; expected rank 1"},
		{"127.0.0.1:1", "context deadline exceeded"},
	} {
		err := <-reachFor(t, 0, c.address, 20*time.Millisecond).ended
		begin := "live: rank 0 cannot reach rank 1 on b: live: connecting to " + c.address + ": "
		if err == nil || !strings.HasPrefix(err.Error(), begin) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the push ends with %v; want %s%s", err, begin, c.want)
		}
	}
}

// Why a rank cannot be reached others may know better. As long as they do not say so, it tells
// who asks what it waits for.
func TestWhoCannotReachARankIsToldWhy(t *testing.T) {
	x := reachFor(t, 0, "127.0.0.1:1", 0)
	for x.rank.job.Ranks[0].Statement.Read() != "connecting with rank 1 on b" { // if it never is, the test ends by its timeout
		time.Sleep(time.Millisecond)
	}
	x.rank.job.Fail(health.Failure{Cause: health.Died, Rank: 1, Status: -int(syscall.SIGKILL)}.Encode())
	const want = "live: the process of rank 1 on b was ended by a signal (killed)"
	if err := <-x.ended; err == nil || err.Error() != want {
		t.Errorf("the push ends with %v; want %s", err, want)
	}
	if why := shm.Reason(x.rank.job.Ranks[0].Waiting.Load()); why != 0 {
		t.Errorf("in the end the rank %v; want that it runs", why)
	}
}
