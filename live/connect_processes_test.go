package live

import (
	"bytes"
	"errors"
	"fmt"
	"musubi/rma"
	"musubi/units"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Ranks have connections with those that they exchange something with, whoever begins, and with
// no others: one each. With -long there are many.
func TestRanksConnectWithThoseTheyTalkTo(t *testing.T) {
	ranks := 12
	if *long {
		ranks = 64
	}
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
		op, err := p.Push(rma.Address{Rank: neighbour, Segment: segment, Offset: side}, []byte{1}, rma.DMA)
		if err := errors.Join(err, p.Wait(op)); err != nil {
			return nil, err
		}
	}
	if err := p.WaitUntil(func() bool { return bytes.Equal(memory, []byte{1, 1}) }); err != nil {
		return nil, err
	}
	for {
		if n, err := openSockets(); n == 4 || err != nil {
			fmt.Printf("%d streams\n", n-2)
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
	op, err := p.Push(rma.Address{Rank: 1}, []byte{1}, rma.DMA)
	err = errors.Join(err, p.Wait(op))
	fmt.Println("told:", err)
	return nil, err
}
