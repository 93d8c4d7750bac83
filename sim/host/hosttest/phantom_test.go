package hosttest_test

import (
	"bytes"
	"strings"
	"testing"

	"musubi/internal/phantom"
	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
)

// withoutBytes builds two ranks whose memory may be phantom.
func withoutBytes(t *testing.T, machine string) *host.Cluster {
	t.Helper()
	cfg := hosttest.NewRanks(t, machine, 2).Config
	cfg.Phantom = true
	c, err := host.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A message without bytes arrives with its head, its length and in the same time, in whole and in
// packets; a real one beside it arrives as always.
func TestHeadsArrive(t *testing.T) {
	for _, machine := range []string{"ndr", "loggp", "tofu2"} {
		for _, n := range []int{100, 100_000} {
			hosttest.Run(t, withoutBytes(t, machine), func(p rma.Process) error {
				if err := p.Rings(rma.SharedRing(1 << 20)); err != nil {
					return err
				}
				head := []byte("what the protocol says")
				if p.Rank() == 0 {
					message := rma.Memory(p, n)
					phantom.Join(message, head, message[len(head):])
					if _, err := p.IPush(1, message, rma.DMA); err != nil {
						return err
					}
					return hosttest.Send(p, 1, head)
				}
				into := rma.Memory(p, n)
				for at, last := 0, false; !last; {
					a, err := p.Next()
					if err != nil {
						return err
					}
					if first := p.(rma.Payload).Model(a) != nil; first != (at == 0) {
						t.Errorf("%s: of the arrival at byte %d of %d, it is %v that it begins a message without bytes", machine, at, n, first)
					}
					if err := p.Take(a, into[at:], rma.Cached); err != nil {
						return err
					}
					at, last = at+a.Bytes, a.Last
					if last && at != n {
						t.Errorf("%s: %d bytes have come, want %d", machine, at, n)
					}
				}
				if got := phantom.Head(into); !bytes.Equal(got, head) {
					t.Errorf("%s: the head is %q, want %q", machine, got, head)
				}
				real, err := hosttest.Receive(p)
				if !bytes.Equal(real, head) {
					t.Errorf("%s: the real message is %q, want %q", machine, real, head)
				}
				return err
			})
		}
	}
}

// A program that looks at memory without bytes is told so in one line.
func TestValuesThatAreNotThere(t *testing.T) {
	err := withoutBytes(t, "ndr").Run(func(p rma.Process) error {
		memory := rma.Memory(p, 100)
		if memory[7]++; memory[7] == 3 {
			return nil
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "payload none") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v; want a line that names payload none", err)
	}
	hosttest.Run(t, withoutBytes(t, "dimmnet2"), func(p rma.Process) error { // makes packets of bytes
		rma.Memory(p, 100)[7]++
		return nil
	})
}
