//go:build linux

package soak

import (
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	networkDelay = 2 * time.Millisecond // in each direction
	networkLoss  = 0.005                // share of packets
	networkQueue = 1000                 // packets under way
)

// The two ends of the link, as files of the carrier.
const (
	firstEnd  = 3
	secondEnd = 4
)

// What a carrier is told.
const (
	wholeNetwork = '+'
	cutNetwork   = '-'
)

// startCarrying starts the carrier of a link, for as long as the test runs: a process beside it,
// as a network is not slow because the hosts at its ends have much to do. What is written to
// what it returns goes there.
func startCarrying(t *testing.T, a, b *os.File) io.Writer {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, carrierRole)
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = []*os.File{a, b}
	to, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		to.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the carrier of the network: %v", err)
		}
	})
	return to
}

// carry carries packets between the ends of a link until it is told no more.
func carry() error {
	// It may not be allowed to; then the network is slow when others compute.
	_ = prioritize(carrierPriority)
	var cut atomic.Bool
	for i, ends := range [][2]int{{firstEnd, secondEnd}, {secondEnd, firstEnd}} {
		if err := unix.SetNonblock(ends[0], true); err != nil {
			return err
		}
		go carryFrom(os.NewFile(uintptr(ends[0]), "one end"), ends[1], uint64(i), &cut)
	}
	for {
		var told [1]byte
		if _, err := os.Stdin.Read(told[:]); err != nil {
			return nil // the test has ended
		}
		cut.Store(told[0] == cutNetwork)
	}
}

// carryFrom takes packets from one end to the other. They take their time, some are lost, and
// if the network is cut all are.
func carryFrom(from *os.File, to int, stream uint64, cut *atomic.Bool) {
	type packet struct {
		due  time.Time
		data []byte
	}
	queue := make(chan packet, networkQueue)
	defer close(queue)
	go func() {
		for p := range queue {
			time.Sleep(time.Until(p.due))
			_, _ = unix.Write(to, p.data) // a packet that cannot be written is lost
		}
	}()
	rng := rand.New(rand.NewPCG(5, stream))
	room := make([]byte, 64<<10)
	for {
		size, err := from.Read(room)
		if err != nil {
			return
		}
		if cut.Load() || rng.Float64() < networkLoss {
			continue
		}
		select {
		case queue <- packet{time.Now().Add(networkDelay), append([]byte(nil), room[:size]...)}:
		default:
		}
	}
}
