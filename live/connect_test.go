package live

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"musubi/live/wire"
	"musubi/rma"
	"musubi/units"
)

// Ranks have connections with those that they exchange something with, whoever begins, and with
// no others: one each.
func TestRanksConnectWithThoseTheyTalkTo(t *testing.T) {
	const ranks = 64
	_, output, err := start(t.Context(), Config{Ranks: ranks, Transport: TransportTCP, Bound: time.Minute}, "exchange with neighbours")
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if want := "2 streams\n"; strings.Count(output, want) != ranks {
		t.Errorf("the output has not %d times %q:\n%s", ranks, want, output)
	}
}

// exchangeWithNeighbours sends both neighbours in a ring something, and waits for what they
// send. In the end it has two connections, one to the hub, and a socket to listen; one more
// only until those that it has dialled while it was dialled have been closed. If there ever
// are more, the test ends by its timeout.
func exchangeWithNeighbours(p rma.Process) ([]byte, error) {
	memory := make([]byte, 2)
	segment, size := p.Expose(memory), p.Size()
	for side, neighbour := range []int{(p.Rank() + 1) % size, (p.Rank() + size - 1) % size} {
		op, err := p.Push(rma.Address{Rank: neighbour, Segment: segment, Offset: side}, one, rma.DMA)
		if err := errors.Join(err, p.Wait(op)); err != nil {
			return nil, err
		}
	}
	if err := p.WaitUntil(func() bool { return bytes.Equal(memory, []byte{1, 1}) }); err != nil {
		return nil, err
	}
	for {
		if n, err := openSockets(); n == 4 || err != nil {
			fmt.Printf("%d streams\n", len(p.(*rank).far.streams))
			return nil, err
		}
		p.Compute(units.Millisecond)
	}
}

// openSockets returns how many sockets this process has.
func openSockets() (n int, err error) {
	const directory = "/proc/self/fd/"
	files, err := os.ReadDir(directory)
	for _, f := range files {
		if to, err := os.Readlink(directory + f.Name()); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n, err
}

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
			if n, wrong := len(r.far.streams), r.far.gate.Refused()[badHello.String()]; n != 1 || wrong != 0 {
				t.Errorf("rank %d has %d connections, and has refused %d greetings; want 1, and none", r.number, n, wrong)
			}
		}
	}
}

// reaching is a rank of two that pushes a byte to the other one, which a test plays.
type reaching struct {
	rank  *rank
	id    *identity
	ended chan error
}

// reachFor starts the rank with a number. The other one is at an address.
func reachFor(t *testing.T, number int, address string, bound time.Duration) *reaching {
	t.Helper()
	id, _ := testIdentity(t, 1)
	f, err := newFar(id, "127.0.0.1:0", number, 2)
	if err != nil {
		t.Fatal(err)
	}
	x := &reaching{rank: newRank(variants["sleeping"].regionOf(2, []int{number}), number), id: id, ended: make(chan error, 1)}
	x.rank.bound = bound
	peers := make([]peer, 2)
	peers[1-number] = peer{Group: 1, Host: "b", Address: address}
	if err := x.rank.connect(f, peers, bound); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.close)
	go func() {
		_, err := x.rank.run(func(p rma.Process) ([]byte, error) {
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
	id, _ := testIdentity(t, 1)
	g, err := id.listen("127.0.0.1:0", func(conn net.Conn) error { came <- conn; return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	x := &crossing{reaching: reachFor(t, number, g.Address(), 0)}
	t.Cleanup(func() {
		x.rank.job.fail(failure{cause: died, rank: 1 - number})
		<-x.ended
	})
	x.dialled = (<-came).(*tls.Conn)
	t.Cleanup(func() { x.dialled.Close() })
	var b [helloBytes]byte
	if _, err := io.ReadFull(x.dialled, b[:]); err != nil {
		t.Fatal(err)
	}
	if h, err := decodeHello(b[:]); err != nil || int(h.from) != number || int(h.to) != 1-number {
		t.Fatalf("the rank greets with %v, %v", h, err)
	}
	return x
}

// crosses dials the rank, too, and returns what that says to the greeting.
func (x *crossing) crosses(t *testing.T) (*tls.Conn, error) {
	t.Helper()
	conn, err := x.id.dial(t.Context(), x.rank.far.gate.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn, greet(conn, hello{from: uint16(1 - x.rank.number), to: uint16(x.rank.number)})
}

// carries fails unless the rank sends a frame on a connection.
func carries(t *testing.T, conn *tls.Conn) {
	t.Helper()
	s := conn.NetConn().(*socket)
	for len(s.buffered()) == 0 {
		if err := s.receive(); err != nil {
			t.Fatalf("instead of a frame comes %v", err)
		}
	}
	if first := wire.FrameKind(s.buffered()[0]); first != wire.PacketsFrame {
		t.Errorf("a frame begins with %q; want %q", first, wire.PacketsFrame)
	}
}

// The rank with the larger number takes no connection of one that it dials itself, however often
// that tries, and does not call that a mistake.
func TestTheLargerNumberDecides(t *testing.T) {
	x := newCrossing(t, 1)
	if _, err := x.crosses(t); !errors.Is(err, errCrossed) {
		t.Errorf("the greeting is answered by %v; want that %v", err, errCrossed)
	}
	if _, err := x.dialled.Write([]byte{helloTaken}); err != nil {
		t.Fatal(err)
	}
	carries(t, x.dialled)
	if _, err := x.crosses(t); !errors.Is(err, errCrossed) {
		t.Errorf("a late greeting is answered by %v; want that %v", err, errCrossed)
	}
	if refused := x.rank.far.gate.Refused(); len(refused) > 0 {
		t.Errorf("refused are %v; want none", refused)
	}
}

// The rank with the smaller number takes what the other one dials, whether it hears before or
// after that that the two have crossed.
func TestTheSmallerNumberYields(t *testing.T) {
	for _, early := range []bool{false, true} {
		x := newCrossing(t, 0)
		say := func() {
			if _, err := x.dialled.Write([]byte{helloCrossed}); err != nil {
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
	other, _ := testIdentity(t, 2)
	g, err := other.listen("127.0.0.1:0", func(conn net.Conn) error { return conn.Close() })
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, c := range []struct{ address, want string }{
		{g.Address(), "it belongs to another job"},
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
	for x.rank.job.process(0).Call != "connecting with rank 1 on b" { // if it never is, the test ends by its timeout
		time.Sleep(time.Millisecond)
	}
	x.rank.job.fail(failure{cause: died, rank: 1, status: -int(syscall.SIGKILL)})
	const want = "live: the process of rank 1 on b was ended by a signal (killed)"
	if err := <-x.ended; err == nil || err.Error() != want {
		t.Errorf("the push ends with %v; want %s", err, want)
	}
	if p := x.rank.job.process(0); p.State != Running {
		t.Errorf("in the end the rank %v; want that it %s", p, Running)
	}
}

// Those are told that a rank was killed, too, who have had no connection with it.
func TestWhoTurnsToAKilledRankIsToldThatItWas(t *testing.T) {
	t.Setenv(pidVariable, filepath.Join(t.TempDir(), "pid"))
	for _, name := range []string{"two groups", "each rank alone"} {
		o, err := startKnown(t.Context(), divisions[name], 4, "turn to rank 1", func(of map[int]int) {
			if err := syscall.Kill(of[1], syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		})
		var failed *RankError
		if !errors.As(err, &failed) || failed.Rank != 1 {
			t.Errorf("%s: the job ends with %v; want that rank 1 was ended", name, err)
		}
		const told = "told: live: the process of rank 1 was ended by a signal (killed)\n"
		if got := strings.Count(o.text.String(), told); got != 3 {
			t.Errorf("%s: %d ranks are told; want 3:\n%s", name, got, &o.text)
		}
	}
}

// pidVariable names a file in which rank 1 says which process it is.
const pidVariable = "LIVE_TEST_PID"

// turnToRank1 pushes something to rank 1 when that is gone. Rank 1 computes until then.
func turnToRank1(p rma.Process) ([]byte, error) {
	file := os.Getenv(pidVariable)
	if p.Rank() == 1 {
		if err := os.WriteFile(file, fmt.Append(nil, os.Getpid(), "\n"), 0o600); err != nil {
			return nil, err
		}
	}
	fmt.Println("process", os.Getpid())
	for pid := 0; pid == 0 || !isGone(pid); time.Sleep(time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil && bytes.HasSuffix(text, []byte("\n")) {
			_, _ = fmt.Sscan(string(text), &pid)
		}
	}
	op, err := p.Push(rma.Address{Rank: 1}, one, rma.DMA)
	err = errors.Join(err, p.Wait(op))
	fmt.Println("told:", err)
	return nil, err
}
