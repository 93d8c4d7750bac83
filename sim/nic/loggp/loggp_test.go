package loggp

import (
	"bytes"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/sim/machine"
	"musubi/units"
)

func TestLogGPClosedForm(t *testing.T) {
	for _, n := range []int{1, 8, 4096} {
		c := hosttest.NewCluster(t, "loggp", "", 2)
		l := c.Machine.Section().(*LogGP)
		_, noticed := hosttest.PushPing(t, c, 1, n, rma.DMA)
		want := l.O + c.Model.(*logGP).perByte(n) + l.L + l.O
		if noticed != want {
			t.Errorf("%d bytes noticed after %v, want o + (n-1)G + L + o = %v", n, noticed, want)
		}
	}
}

// TestLogGPServesMessagesInTurn lets all ranks push to one at once. Its interface
// takes one message after the other, in the order of arrival, at the cost of at
// most two events for each.
func TestLogGPServesMessagesInTurn(t *testing.T) {
	const ranks = 500
	c := hosttest.NewCluster(t, "loggp", "", ranks)
	var last units.Time
	err := c.Run(func(p rma.Process) error {
		inbox := make([]byte, ranks)
		segment := p.Expose(inbox)
		if p.Rank() > 0 {
			_, err := p.Push(rma.Address{Segment: segment, Offset: p.Rank()}, []byte{1}, rma.DMA)
			return err
		}
		arrived := 0
		err := p.WaitUntil(func() bool {
			for ; arrived+1 < ranks && inbox[arrived+1] == 1; arrived++ {
			}
			if i := bytes.LastIndexByte(inbox, 1); i > arrived {
				t.Errorf("the message of rank %d is written before that of rank %d", i, arrived+1)
			}
			return arrived == ranks-1
		})
		last = p.Now()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	l := c.Machine.Section().(*LogGP)
	if want := l.O + l.L + (ranks-2)*l.G + l.O; last != want {
		t.Errorf("the last of %d messages is noticed after %v, want o + L + (messages-1)g + o = %v", ranks-1, last, want)
	}
	if most := int64(8 * ranks); c.Clock.Handled() > most {
		t.Errorf("%d events; want at most %d", c.Clock.Handled(), most)
	}
}

func TestIPushInLogGP(t *testing.T) {
	for _, n := range []int{0, 1, 8, 100_000} {
		for _, manage := range []string{"0ns", "10ns"} {
			c := hosttest.NewRanks(t, "loggp", 2, "ring.manage", manage)
			l := c.Machine.Section().(*LogGP)
			pieces := units.Time(max(1, (n+c.RingPacket()-1)/c.RingPacket()))
			placed := l.O + c.Model.(*logGP).perByte(n) + l.L + pieces*c.Machine.Ring.Manage
			complete, noticed := hosttest.IPushPing(t, c, n)
			if want := placed + l.O; noticed != want {
				t.Errorf("%d bytes noticed after %v, want o + (n-1)G + L + o and the management, %v", n, noticed, want)
			}
			if want := placed + l.L; complete != want {
				t.Errorf("%d bytes complete after %v, want o + (n-1)G + 2L and the management, %v", n, complete, want)
			}
		}
	}
}

func TestLogGPTransfersAByteInItsGap(t *testing.T) {
	m, err := machine.Load("loggp")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Section().(*LogGP).B.Transfer(1), 6*units.Nanosecond; got != want {
		t.Errorf("a byte takes %v, want %v", got, want)
	}
}
