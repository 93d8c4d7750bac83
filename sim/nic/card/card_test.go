package card

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// runCards runs a program on cards on one switch.
func runCards(t *testing.T, hosts int, program func(p rma.Process) error, set ...string) *host.Cluster {
	t.Helper()
	c := hosttest.NewCluster(t, "dimmnet2", "fullmesh:1", hosts, set...)
	if err := c.Run(program); err != nil {
		t.Fatal(err)
	}
	return c
}

// streamed returns at how many MB/s a PUSH of 512 KiB goes from one card to another.
func streamed(t *testing.T, set ...string) float64 {
	t.Helper()
	const size = 512 << 10
	var took units.Time
	runCards(t, 2, func(p rma.Process) error {
		data := make([]byte, size)
		segment := p.Expose(data)
		if p.Rank() == 1 {
			return nil
		}
		start := p.Now()
		op, err := p.Push(rma.Address{Rank: 1, Segment: segment}, data, rma.DMA)
		if err != nil {
			return err
		}
		err = p.Wait(op)
		took = p.Now() - start
		return err
	}, append(set, "card.refresh", "0ns")...)
	return size / took.Microseconds()
}

// The peak of PUSH between the memories of two cards is published: 644 MB/s. memory_send.next was
// chosen for it.
func TestPushStreamsAtThePublishedPeak(t *testing.T) {
	if got := streamed(t); math.Abs(got-644) > 0.01*644 {
		t.Errorf("PUSH of 512 KiB at %.1f MB/s, want 644", got)
	}
}

// Where the receiver is the slowest, the Write Unit bounds what arrives: 12 clocks of PUSH and one for
// each further piece of the path to memory. The Receive Controller decodes the next header meanwhile.
func TestDecodingOverlapsWriting(t *testing.T) {
	for _, c := range []struct {
		path   string
		clocks float64
	}{{"8B", 12 + 61}, {"4B", 12 + 123}} {
		got := streamed(t, "card.memory_path", c.path, "memory_send.next", "0", "swif.send", "0ns")
		if want := 496 / (c.clocks * 0.01); math.Abs(got-want) > 0.01*want {
			t.Errorf("with a path of %s PUSH streams at %.1f MB/s, want %.1f: %v clocks for a packet", c.path, got, want, c.clocks)
		}
	}
}

// The SWIF sends one packet after the other: a short packet behind a full one waits until that is on
// the link.
func TestPacketsWaitForTheSWIF(t *testing.T) {
	c := hosttest.NewCluster(t, "dimmnet2", "fullmesh:1", 2)
	var waits []units.Time
	c.Stages = func(s host.Stage) {
		if s.Step == "wait for SWIF" {
			waits = append(waits, s.Time)
		}
	}
	err := c.Run(func(p rma.Process) error {
		segment, _, err := p.ExposeWindow(496)
		if err != nil || p.Rank() == 1 {
			return err
		}
		for _, size := range []int{496, 8} {
			if _, err := p.Push(rma.Address{Rank: 1, Segment: segment}, make([]byte, size), rma.BOTF); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// 676 ns for the first, and the 9 clocks of the second behind it at the Window Controller.
	if want := []units.Time{(676 - 90) * units.Nanosecond}; !slices.Equal(waits, want) {
		t.Errorf("packets wait %v for the SWIF, want %v", waits, want)
	}
}

// BOTF by one window waits until the window has been read out, which the host sees
// only when it polls; with two it writes one while the other is being sent.
func TestBOTFByTurns(t *testing.T) {
	send := func(windows, messages int) units.Time {
		var took units.Time
		runCards(t, 2, func(p rma.Process) error {
			segment, _, err := p.ExposeWindow(496)
			if err != nil || p.Rank() == 1 {
				return err
			}
			if err := p.Windows(windows); err != nil {
				return err
			}
			start := p.Now()
			for range messages {
				if _, err := p.Push(rma.Address{Rank: 1, Segment: segment}, make([]byte, 496), rma.BOTF); err != nil {
					return err
				}
			}
			took = p.Now() - start
			return nil
		})
		return took
	}
	// Write, command, its way, 70 clocks; polls of 233 ns begin when the command is
	// written, and the fourth is the first whose middle comes after the window is free.
	const first, cycle = 409 + 81, 409 + 81 + 4*233
	if got, want := send(1, 10), (first+9*cycle)*units.Nanosecond; got != want {
		t.Errorf("10 packets by one window take the host %v, want %v", got, want)
	}
	last := units.Time(math.MaxInt64)
	for windows := 1; windows <= 4; windows++ {
		got := send(windows, 100)
		if got >= last {
			t.Errorf("100 packets by %d windows take the host %v, no less than %v by %d", windows, got, last, windows-1)
		}
		if card := 96 * 70 * 10 * units.Nanosecond; got < card {
			t.Errorf("100 packets by %d windows take the host %v; the card cannot send all but 4 before %v", windows, got, card)
		}
		last = got
	}
}

// A network that loses packets delays messages, but none is lost, repeated or
// overtaken, whether rings stall or ask again.
func TestLossAndFullRings(t *testing.T) {
	for _, loss := range []int{0, 1000, 100_000, 400_000} {
		for _, full := range []string{"stall", "nack"} {
			for _, entry := range []string{"false", "true"} {
				t.Run(fmt.Sprintf("loss %d, %s, entry in packet %s", loss, full, entry), func(t *testing.T) {
					manySenders(t, "swif.loss", fmt.Sprint(loss), "ring.full", full, "ring.entry_in_packet", entry)
				})
			}
		}
	}
}

// manySenders lets five ranks send messages of random lengths to one, which has a
// ring of three packets for all of them and takes its time.
func manySenders(t *testing.T, set ...string) {
	const senders, messages = 5, 60
	size := func(sender, i int) int {
		return rand.New(rand.NewPCG(uint64(sender), uint64(i))).IntN(1500)
	}
	runCards(t, senders+1, func(p rma.Process) error {
		if p.Rank() > 0 {
			for i := range messages {
				data := bytes.Repeat([]byte{byte(i)}, size(p.Rank(), i))
				if _, err := p.IPush(0, data, rma.DMA); err != nil {
					return err
				}
			}
			return nil
		}
		if err := p.Rings(rma.SharedRing(3 * 496)); err != nil {
			return err
		}
		next, have := make([]int, senders+1), make([]int, senders+1)
		for got := 0; got < senders*messages; {
			a, err := p.Next()
			if err != nil {
				return err
			}
			data := make([]byte, a.Bytes)
			p.Compute(units.Time(a.Bytes) * units.Nanosecond * 5)
			if err := p.Take(a, data, rma.Cached); err != nil {
				return err
			}
			if !bytes.Equal(data, bytes.Repeat([]byte{byte(next[a.From])}, len(data))) {
				return fmt.Errorf("message %d of rank %d has other data", next[a.From], a.From)
			}
			if have[a.From] += a.Bytes; a.Last {
				if want := size(a.From, next[a.From]); have[a.From] != want {
					return fmt.Errorf("message %d of rank %d has %d bytes, want %d", next[a.From], a.From, have[a.From], want)
				}
				have[a.From] = 0
				next[a.From]++
				got++
			}
		}
		return nil
	}, set...)
}

// A packet of another process group is never delivered, and counted.
func TestForeignPacketsAreNotDelivered(t *testing.T) {
	c := hosttest.NewCluster(t, "dimmnet2", "fullmesh:1", 3)
	cfg := c.Config
	cfg.Groups = []uint16{7, 7, 8}
	c, err := host.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	memory := make([][]byte, 3)
	err = c.Run(func(p rma.Process) error {
		memory[p.Rank()] = make([]byte, 8)
		segment := p.Expose(memory[p.Rank()])
		if p.Rank() == 0 {
			return p.WaitUntil(func() bool { return memory[0][0] == 1 })
		}
		own, err := p.Push(rma.Address{Rank: 0, Segment: segment, Offset: p.Rank() - 1}, []byte{byte(p.Rank())}, rma.BOTF)
		if err != nil {
			return err
		}
		rung, err := p.IPush(0, []byte{3}, rma.DMA)
		if err != nil {
			return err
		}
		asked, err := p.Pull(rma.Address{Rank: 0, Segment: segment}, make([]byte, 8))
		if err != nil {
			return err
		}
		for _, op := range []rma.Op{own, rung, asked} {
			err := p.Wait(op)
			if foreign := p.Rank() == 2; foreign != (err != nil && strings.Contains(err.Error(), "process group 8")) {
				return fmt.Errorf("Wait: %v", err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if memory[0][1] != 0 {
		t.Error("a packet of another process group was written")
	}
	if got := c.Report().Rings.Foreign; got != 3 {
		t.Errorf("%d foreign packets counted, want 3", got)
	}
}

// Two processes on a card share its windows and reach each other without the
// network.
func TestTwoProcessesOnACard(t *testing.T) {
	c := hosttest.NewCluster(t, "dimmnet2", "fullmesh:1", 2)
	cfg := c.Config
	cfg.Hosts = []int{0, 0, 1, 1}
	c, err := host.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	arrived := make([]units.Time, 4)
	err = c.Run(func(p rma.Process) error {
		segment, inbox, err := p.ExposeWindow(8)
		if err != nil {
			return err
		}
		if p.Rank() > 0 {
			err := p.WaitUntil(func() bool { return inbox[0] == 5 })
			arrived[p.Rank()] = p.Now()
			return err
		}
		if err := p.Windows(3); err == nil {
			return fmt.Errorf("a process that shares a card has more than half of the windows")
		}
		for to := 1; to < 4; to++ {
			if _, err := p.Push(rma.Address{Rank: to, Segment: segment}, []byte{5}, rma.BOTF); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if sent := c.Report().Packets; sent != 4 {
		t.Errorf("%d packets in the network; want 2 and their acknowledgements", sent)
	}
	if cfg.Hosts = []int{0, 0, 0}; true {
		if _, err := host.New(cfg); err == nil || !strings.Contains(err.Error(), "3 ranks are placed on host 0") {
			t.Errorf("three ranks on a card: error %v", err)
		}
	}
}

// Faster memory makes what runs at its clock faster in proportion, and nothing else.
func TestFasterMemory(t *testing.T) {
	half := func(memory string) units.Time {
		c := hosttest.NewCluster(t, "dimmnet2", "fullmesh:1", 2, "card.memory", memory, "card.refresh", "0ns")
		_, noticed := hosttest.PushPing(t, c, 1, 8, rma.BOTF)
		return noticed
	}
	slow, fast := half("PC1600"), half("PC3200")
	if !(fast < slow && fast > slow/2) {
		t.Errorf("BOTF of 8 bytes takes %v with PC3200 memory and %v with PC1600", fast, slow)
	}
}

// A target that never takes anything does not keep a run going for ever, though its
// sender asks again and again.
func TestRunEndsWhereNobodyTakes(t *testing.T) {
	c := hosttest.NewCluster(t, "dimmnet2", "fullmesh:1", 2, "ring.full", "nack", "swif.tries", "100")
	err := c.Run(func(p rma.Process) error {
		if p.Rank() == 1 {
			if err := p.Rings(rma.SharedRing(496)); err != nil {
				return err
			}
			return p.WaitUntil(func() bool { return false })
		}
		var last rma.Op
		for range 2 {
			var err error
			if last, err = p.IPush(1, make([]byte, 496), rma.DMA); err != nil {
				return err
			}
		}
		return p.Wait(last)
	})
	if want := "100 times without acknowledgement (swif.tries): a packet of 496 bytes of rank 0 waits for room"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v; want one that says %q", err, want)
	}
}

// A run does not end as long as a program computes: it may take messages later.
func TestRunGoesOnWhileAProgramComputes(t *testing.T) {
	const messages = 3
	runCards(t, 2, func(p rma.Process) error {
		if p.Rank() == 0 {
			for range messages {
				if _, err := p.IPush(1, make([]byte, 496), rma.DMA); err != nil {
					return err
				}
			}
			return nil
		}
		if err := p.Rings(rma.SharedRing(496)); err != nil {
			return err
		}
		p.Compute(5 * units.Millisecond) // more than a thousand times until it is sent again
		for range messages {
			a, err := p.Next()
			if err != nil {
				return err
			}
			if err := p.Take(a, nil, rma.Cached); err != nil {
				return err
			}
		}
		return nil
	}, "ring.full", "nack", "swif.tries", "100")
}
