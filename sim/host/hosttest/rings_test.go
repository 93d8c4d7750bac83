package hosttest_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/sim/machine"
	"musubi/units"
)

// TestUsualRings divides the receive area of machines among their ranks.
func TestUsualRings(t *testing.T) {
	for _, c := range []struct {
		name    string
		ranks   int
		set     []string
		private int // bytes of each; 0: one ring for all
	}{
		{"a ring for each", 4, nil, 1 << 20},
		{"the least that is worth it", 4, []string{"ring.area", "28672B"}, 4 * 1792},
		{"less than that", 4, []string{"ring.area", "28671B"}, 0},
		{"what the area is unless a machine says it", 4, []string{"ring.area", "0"}, 1 << 20},
	} {
		rings := hosttest.NewRanks(t, "rhinet2", c.ranks, c.set...).UsualRings().Lists(c.ranks)
		if c.private == 0 {
			if len(rings.Private) > 0 || rings.Other.Status != rma.PerPacket || rings.Other.Bytes != 28671 {
				t.Errorf("%s: %+v, want one ring for all", c.name, rings)
			}
			continue
		}
		for sender, ring := range rings.Private {
			if len(ring.Senders) != 1 || ring.Senders[0] != sender || ring.Bytes != c.private || ring.Status != rma.PerMessage {
				t.Errorf("%s: ring %d is %+v, want %d bytes of its own", c.name, sender, ring, c.private)
			}
		}
		if len(rings.Private) != c.ranks {
			t.Errorf("%s: %d rings, want %d", c.name, len(rings.Private), c.ranks)
		}
	}
}

// TestRingsAreSetOnce also sees that those of the user prevail.
func TestRingsAreSetOnce(t *testing.T) {
	own, users := rma.PrivateRings(2, 4000), []rma.Rings{rma.SharedRing(5000), rma.SharedRing(6000)}
	for _, chosen := range [][]rma.Rings{nil, users} {
		c := hosttest.NewRanks(t, "rhinet2", 2)
		c.Config.Rings = chosen
		hosttest.Run(t, c, func(p rma.Process) error {
			if err := p.Rings(own); err != nil {
				return err
			}
			if _, err := p.Poll(); err != nil {
				return err
			}
			want := own.Private[0].Bytes
			if chosen != nil {
				want = chosen[p.Rank()].Other.Bytes
			}
			if got := firstRing(&c.Ranks[p.Rank()]); got != want {
				t.Errorf("a ring has %d bytes, want %d", got, want)
			}
			if err := p.Rings(own); (err == nil) != (chosen != nil) {
				t.Errorf("rings chosen by the user: %v: setting them again: error %v", chosen != nil, err)
			}
			return nil
		})
	}
}

func TestChosenRingsAreChecked(t *testing.T) {
	for want, rings := range map[string][]rma.Rings{
		"receive rings are given for 1 ranks; there are 2":  {rma.SharedRing(5000)},
		"receive rings of rank 1: rma: the ring for all":    {rma.SharedRing(5000), rma.SharedRing(50)},
		"receive rings of rank 0: rma: ring 2 has rank 2":   {rma.PrivateRings(3, 5000), rma.SharedRing(5000)},
		"receive rings of rank 0: rma: receive rings of mo": {rma.SharedRing(1 << 31), rma.SharedRing(5000)},
	} {
		cfg := hosttest.NewRanks(t, "rhinet2", 2).Config
		cfg.Rings = rings
		if _, err := host.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v; want one that says %q", err, want)
		}
	}
}

// TestARingForTheOnlyOtherRank may tell of messages, as nobody shares it.
func TestARingForTheOnlyOtherRank(t *testing.T) {
	hosttest.Run(t, hosttest.NewRanks(t, "rhinet2", 2), func(p rma.Process) error {
		if p.Rank() == 0 {
			return hosttest.Send(p, 1, make([]byte, 4000))
		}
		err := p.Rings(rma.Rings{
			Private: []rma.Ring{{Bytes: 2000, Senders: []int{1}}}, Other: rma.Ring{Bytes: 5000, Status: rma.PerMessage},
		})
		if err != nil {
			return err
		}
		if got, err := hosttest.Receive(p); err != nil || len(got) != 4000 {
			t.Errorf("a message of 4000 bytes arrives with %d, error %v", len(got), err)
		}
		return nil
	})
}

// TestMessagesOfAllSizes sends messages to oneself and to another through rings of a
// single packet on every machine; those with status per packet may be longer.
func TestMessagesOfAllSizes(t *testing.T) {
	sets := [][]string{{"ndr", "packet.payload", "16KiB"}} // more than headers count
	for _, name := range machine.Names() {
		sets = append(sets, []string{name})
	}
	for _, set := range sets {
		for _, status := range []rma.Status{rma.PerMessage, rma.PerPacket} {
			c := hosttest.NewRanks(t, set[0], 2, set[1:]...)
			packet := c.RingPacket()
			sizes := []int{0, 1, packet - 1, packet}
			if status == rma.PerPacket {
				sizes = append(sizes, packet+1, 10*packet, 10*packet+7)
			}
			hosttest.Run(t, c, func(p rma.Process) error {
				rings := rma.PrivateRings(len(c.Ranks), packet)
				for i := range rings.Private {
					rings.Private[i].Status = status
				}
				if err := p.Rings(rings); err != nil || p.Rank() > 1 {
					return err
				}
				if p.Rank() == 1 {
					return takeSizes(t, p, set, sizes)
				}
				for i, n := range sizes {
					if _, err := p.IPush(1, bytes.Repeat([]byte{byte(i)}, n), rma.DMA); err != nil {
						return err
					}
				}
				_, err := p.IPush(0, make([]byte, sizes[len(sizes)-1]), rma.DMA)
				return errors.Join(err, takeSizes(t, p, set, sizes[len(sizes)-1:]))
			})
		}
	}
}

// takeSizes takes messages of rank 0, of which the i-th consists of bytes i.
func takeSizes(t *testing.T, p rma.Process, set []string, sizes []int) error {
	for i, n := range sizes {
		var message []byte
		for last := false; !last; {
			a, err := p.Next()
			if err != nil {
				return err
			}
			data := make([]byte, a.Bytes)
			if err := p.Take(a, data, rma.Uncached); err != nil {
				return err
			}
			message, last = append(message, data...), a.Last
		}
		if !bytes.Equal(message, bytes.Repeat([]byte{byte(i)}, n)) {
			t.Errorf("%v: message %d of %d bytes arrives with %d, or with wrong ones", set, i, n, len(message))
		}
	}
	return nil
}

// TestTakeOnceAndWithRoom has Take refuse what it cannot do.
func TestTakeOnceAndWithRoom(t *testing.T) {
	hosttest.Run(t, hosttest.NewRanks(t, "loggp", 1), func(p rma.Process) error {
		if err := hosttest.Send(p, 0, make([]byte, 10)); err != nil {
			return err
		}
		a, err := p.Next()
		if err != nil {
			return err
		}
		for _, c := range []struct {
			a    rma.Arrival
			into []byte
			want string
		}{
			{a, make([]byte, 9), "Take of 10 bytes into 9"},
			{rma.Arrival{Record: a.Record + 1}, nil, "has not open"},
			{a, make([]byte, 20), ""},
			{a, make([]byte, 20), "an arrival may be taken once"},
		} {
			if err := p.Take(c.a, c.into, rma.Cached); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("Take of %+v into %d bytes: error %v, want %q", c.a, len(c.into), err, c.want)
			}
		}
		return nil
	})
}

// TestMessagesAndPushesKeepTheirOrder alternates pushes of a number with messages of
// any size, by any mechanism. When a message is there, the push before it is; when a
// push is, the message before it is.
func TestMessagesAndPushesKeepTheirOrder(t *testing.T) {
	const rounds = 40
	for _, set := range [][]string{
		{"rhinet2"}, {"rhinet2", "nic.in_flight", "0"}, {"rhinet2", "nic.in_flight", "0", "ring.manage", "0ns"},
		{"ndr"}, {"ndr", "ring.manage", "2us"}, {"iqrouter"}, {"loggp"}, {"loggp", "ring.manage", "2us"}, {"dimmnet2"},
	} {
		c := hosttest.NewRanks(t, set[0], 2, set[1:]...)
		packet := c.RingPacket()
		hosttest.Run(t, c, func(p rma.Process) error {
			number := make([]byte, 1)
			segment := p.Expose(number)
			if err := p.Rings(rma.PrivateRings(len(c.Ranks), 3*packet)); err != nil || p.Rank() > 1 {
				return err
			}
			if p.Rank() == 1 {
				return countRounds(t, p, set, number, rounds)
			}
			for i := range rounds {
				if _, err := p.Push(rma.Address{Rank: 1, Segment: segment}, []byte{byte(i + 1)}, rma.Mechanism(i/2%2)); err != nil {
					return err
				}
				n, by := []int{0, 1, 100, packet, 3 * packet}[i%5], rma.DMA
				if n <= 100 {
					by = rma.Mechanism(i % 2)
				}
				if _, err := p.IPush(1, make([]byte, n), by); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// countRounds takes messages and looks at the number that is pushed before each.
func countRounds(t *testing.T, p rma.Process, set []string, number []byte, rounds int) error {
	messages := 0
	for messages < rounds {
		p.Compute(100 * units.Nanosecond)
		pushed := int(number[0])
		for {
			arrived, err := p.Poll()
			if err != nil {
				return err
			}
			if !arrived {
				break
			}
			if _, err := hosttest.Receive(p); err != nil {
				return err
			}
			messages++
			if int(number[0]) < messages {
				t.Errorf("%v: %d messages are there, but only %d pushes", set, messages, number[0])
			}
		}
		if messages < pushed-1 {
			t.Errorf("%v: %d pushes are there, but only %d messages", set, pushed, messages)
		}
	}
	return nil
}

// TestFullRingsRefuseOrStall sends more than a ring holds to a rank that takes its time. A
// packet that stalls finds no room once; one that is refused is sent, and counted, again.
func TestFullRingsRefuseOrStall(t *testing.T) {
	for full, again := range map[string]bool{"stall": false, "nack": true} {
		c := hosttest.NewCluster(t, "dimmnet2", "fullmesh:1", 2, "ring.full", full)
		hosttest.Run(t, c, func(p rma.Process) error {
			if p.Rank() == 0 {
				_, first := p.IPush(1, make([]byte, 496), rma.DMA)
				_, second := p.IPush(1, make([]byte, 496), rma.DMA)
				return errors.Join(first, second)
			}
			if err := p.Rings(rma.SharedRing(496)); err != nil {
				return err
			}
			p.Compute(100 * units.Microsecond)
			for range 2 {
				a, err := p.Next()
				if err := errors.Join(err, p.Take(a, nil, rma.Cached)); err != nil {
					return err
				}
			}
			return nil
		})
		if n := counter(&c.Ranks[1], "Full"); n == 0 || n > 1 != again {
			t.Errorf("with ring.full = %q packets found no room %d times; expected several times: %v", full, n, again)
		}
	}
}
