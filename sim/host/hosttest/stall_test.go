package hosttest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// TestSlowConsumer lets messages wait for a ring that holds one packet. Each gets
// its place when the one before has been taken, and only then takes the bus.
func TestSlowConsumer(t *testing.T) {
	const n, messages = 1792, 5
	const busy = 100 * units.Microsecond
	c := hosttest.NewRanks(t, "rhinet2", 2, "ring.manage", "0ns")
	var taken []units.Time
	hosttest.Run(t, c, func(p rma.Process) error {
		if p.Rank() == 0 {
			for range messages {
				if _, err := p.IPush(1, make([]byte, n), rma.DMA); err != nil {
					return err
				}
			}
			return nil
		}
		if err := p.Rings(rma.PrivateRings(2, n)); err != nil {
			return err
		}
		for range messages {
			a, err := p.Next()
			if err != nil {
				return err
			}
			p.Compute(busy)
			if err := p.Take(a, make([]byte, n), rma.Cached); err != nil {
				return err
			}
			taken = append(taken, p.Now())
		}
		return nil
	})
	m := c.Machine
	write := m.Bus.Setup + m.Bus.Rate.Transfer(n)
	for i := 1; i < messages; i++ {
		if got, want := taken[i]-taken[i-1], write+m.Host.Poll+busy+m.Host.Copy.Transfer(n); got != want {
			t.Errorf("message %d is taken %v after the one before, want %v", i, got, want)
		}
	}
	got := c.Report()
	if of := got.RingsOf[1]; of != got.Rings || of.Stalls != messages-1 || of.Messages != messages || of.Packets != messages {
		t.Errorf("%+v of all, %+v of rank 1; want %d stalls of %d packets", got.Rings, of, messages-1, messages)
	}
	if shortest := (messages - 1) * (busy - 20*units.Microsecond); got.Rings.StallTime < shortest || got.Rings.StallTime > (messages-1)*busy {
		t.Errorf("packets waited for %v; want %v to %v", got.Rings.StallTime, shortest, (messages-1)*busy)
	}
}

// stallAt1 fills the ring that rank 1 has for rank 0, and one packet more.
func stallAt1(p rma.Process, packet int) error {
	for range 2 {
		if _, err := p.IPush(1, make([]byte, packet), rma.DMA); err != nil {
			return err
		}
	}
	return nil
}

// TestWhatAStallHoldsBack lets a push of another rank, the answer to a pull and the acknowledgement of a push
// come to a rank whose ring is full. The push waits until the ring has room. The others pass where answers
// travel in another class.
func TestWhatAStallHoldsBack(t *testing.T) {
	const late = 200 * units.Microsecond
	for _, m := range []struct {
		name         string
		set          []string
		answersWait  bool
		acknowledges bool
	}{
		{"rhinet2", nil, false, true}, {"rhinet2", []string{"switch.engine", "flow"}, false, true},
		{"ndr", nil, true, true}, {"ndr", []string{"switch.engine", "flow"}, true, true},
		{"loggp", nil, true, false},
	} {
		c := hosttest.NewRanks(t, m.name, 3, m.set...)
		packet := c.RingPacket()
		hosttest.Run(t, c, func(p rma.Process) error {
			flag := make([]byte, 2)
			segment := p.Expose(flag)
			switch p.Rank() {
			case 0:
				return stallAt1(p, packet)
			case 2:
				p.Compute(late / 2)
				_, err := p.Push(rma.Address{Rank: 1, Segment: segment}, []byte{1}, rma.DMA)
				return err
			}
			if err := p.Rings(rma.PrivateRings(3, packet)); err != nil {
				return err
			}
			p.Compute(late / 2)
			pull, err := p.Pull(rma.Address{Rank: 2, Segment: segment}, make([]byte, 1))
			if err != nil {
				return err
			}
			push, err := p.Push(rma.Address{Rank: 2, Segment: segment, Offset: 1}, []byte{1}, rma.DMA)
			if err != nil {
				return err
			}
			p.Compute(late)
			done, err := p.Test(pull)
			pushed, failed := p.Test(push)
			err = errors.Join(err, failed)
			if done == m.answersWait || m.acknowledges && pushed == m.answersWait || flag[0] == 1 {
				t.Errorf("%s %v: before a message is taken, a pull is complete: %v, a push: %v, that of another rank written: %v", m.name, m.set, done, pushed, flag[0] == 1)
			}
			for range 2 {
				if _, err := hosttest.Receive(p); err != nil {
					return err
				}
			}
			if !done {
				err = errors.Join(err, p.Wait(pull))
			}
			if !pushed {
				err = errors.Join(err, p.Wait(push))
			}
			return errors.Join(err, p.WaitUntil(func() bool { return flag[0] == 1 }))
		})
	}
}

func TestFullRingsAreNamed(t *testing.T) {
	returns := func(p rma.Process, packet int) error {
		if p.Rank() == 0 {
			return stallAt1(p, packet)
		}
		return nil
	}
	waits := func(p rma.Process, packet int) error {
		if p.Rank() == 1 {
			return p.WaitUntil(func() bool { return false })
		}
		return errors.Join(stallAt1(p, packet), hosttest.Send(p, 1, make([]byte, packet)))
	}
	shared := func(bytes, records int) rma.Rings {
		return rma.Rings{Other: rma.Ring{Bytes: bytes, Status: rma.PerPacket}, Records: records}
	}
	for _, name := range []string{"rhinet2", "loggp"} {
		packet := hosttest.NewRanks(t, name, 2).RingPacket()
		for _, c := range []struct {
			name    string
			rings   rma.Rings
			program func(p rma.Process, packet int) error
			want    string
		}{
			{"ranks wait", rma.PrivateRings(2, packet), waits, fmt.Sprintf(
				"nothing is under way, but these wait for ever: rank 0 in Wait, rank 1 in WaitUntil; a packet of %[1]d bytes of rank 0 waits for room in the ring of rank 1 for rank 0, which has not taken %[1]d of its %[1]d bytes", packet)},
			{"ranks have returned", rma.PrivateRings(2, packet+1), returns, fmt.Sprintf(
				"all ranks have returned, but a packet of %[1]d bytes of rank 0 waits for room in the ring of rank 1 for rank 0, which has not taken %[1]d of its %d bytes", packet, packet+1)},
			{"the status ring is full", shared(2*packet, 1), returns,
				"a packet of rank 0 waits for room in the status ring of rank 1, which takes no arrivals"},
			{"a shared ring is full", shared(packet, 0), returns,
				"waits for room in the ring of rank 1 for ranks 0 and 1, which has not taken"},
		} {
			err := hosttest.NewRanks(t, name, 2).Run(func(p rma.Process) error {
				if p.Rank() == 1 {
					if err := p.Rings(c.rings); err != nil {
						return err
					}
				}
				return c.program(p, packet)
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %s:\ngot error %v\nwant one that says %q", name, c.name, err, c.want)
			}
		}
	}
}

// TestUnheardFailureIsNamed lets a rank wait for the answer to a message that was
// refused, which nobody has noticed.
func TestUnheardFailureIsNamed(t *testing.T) {
	for _, name := range []string{"dimmnet2", "rhinet2", "loggp"} {
		for _, c := range []struct {
			rings rma.Rings
			want  string
		}{
			{rma.Rings{}, "IPush to rank 1, which has no receive ring for rank 0"},
			{rma.PrivateRings(2, 4096), "IPush of 4097 bytes to rank 1, whose ring for rank 0 has 4096 bytes"},
		} {
			err := hosttest.NewRanks(t, name, 2).Run(func(p rma.Process) error {
				if err := p.Rings(c.rings); err != nil {
					return err
				}
				if p.Rank() == 0 {
					if _, err := p.IPush(1, make([]byte, 4097), rma.DMA); err != nil {
						return err
					}
				}
				_, err := p.Next()
				return err
			})
			want := "wait for ever: rank 0 in Next, rank 1 in Next; rank 0 has not waited for an operation that failed: rma: " + c.want
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s:\ngot error %v\nwant one that says %q", name, err, want)
			}
		}
	}
}

// TestProgramsSayWhatTheyWaitFor lets ranks wait for ever that say for what, or have nothing to say.
func TestProgramsSayWhatTheyWaitFor(t *testing.T) {
	for _, name := range []string{"loggp", "ndr", "rhinet2", "dimmnet2", "dimmnet2-match", "vpush", "qsnet2", "tofu2", "ssscore"} {
		err := hosttest.NewRanks(t, name, 3).Run(func(p rma.Process) error {
			if p.Rank() > 0 {
				what := [...]string{1: "", 2: "an eclipse"}[p.Rank()]
				p.(rma.Explainer).Explain(func() string { return what })
			}
			_, err := p.Next()
			return err
		})
		if want := "wait for ever: rank 0 in Next, rank 1 in Next, rank 2 in an eclipse"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot error %v\nwant one that says %q", name, err, want)
		}
	}
}
