package hosttest_test

import (
	"fmt"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// TestIPushIsTheSumOfItsStages compares with the list of stages in the package
// documentation.
func TestIPushIsTheSumOfItsStages(t *testing.T) {
	for _, set := range [][]string{
		{"rhinet2"},
		{"rhinet2", "ring.manage", "0ns", "host.poll", "100ns", "nic.receive", "200ns", "nic.reply", "300ns", "nic.complete", "400ns"},
		{"ndr"},
		{"ndr", "ring.manage", "123ns", "bus.setup", "50ns", "bus.rate", "10GB/s"},
	} {
		for _, n := range []int{0, 1, 8, 100, 1792} {
			c := hosttest.NewRanks(t, set[0], 2, set[1:]...)
			m := c.Machine
			path := 2*m.Link.HostCable + m.Link.Cable + 2*m.Switch.Latency
			serial := func(flits int) units.Time { return m.Link.Rate.Transfer(units.Bytes(flits) * m.Link.Flit) }
			bus, setup := units.Time(0), units.Time(0)
			if n > 0 {
				setup = m.Bus.Setup
				bus = setup + m.Bus.Rate.Transfer(units.Bytes(n))
			}
			fetch := m.Host.Post + m.NIC.Start
			header := fetch + bus
			if m.NIC.Staging == "cut-through" {
				header = fetch + setup
			}
			tail := max(header+serial(m.PacketFlits(units.Bytes(n))), fetch+bus)
			placed := path + m.NIC.Receive + m.Ring.Manage
			written := max(header+placed+bus, tail+placed)
			complete, noticed := hosttest.IPushPing(t, c, n)
			if want := written + m.Host.Poll; noticed != want {
				t.Errorf("%v: %d bytes noticed after %v, want %v", set, n, noticed, want)
			}
			if want := written + m.NIC.Reply + path + serial(m.Packet.Reply) + m.NIC.Complete + m.Host.Poll; complete != want {
				t.Errorf("%v: %d bytes complete after %v, want %v", set, n, complete, want)
			}
		}
	}
}

// TestPlacesAreManagedOneByOne sends messages whose packets come faster than the
// interface finds places for them.
func TestPlacesAreManagedOneByOne(t *testing.T) {
	const packet, rest = 1792, 100
	one := func(n int) units.Time {
		_, noticed := hosttest.IPushPing(t, hosttest.NewRanks(t, "rhinet2", 2), n)
		return noticed
	}
	c := hosttest.NewRanks(t, "rhinet2", 2)
	bus := func(n units.Bytes) units.Time { return c.Machine.Bus.Setup + c.Machine.Bus.Rate.Transfer(n) }
	for packets := 2; packets < 6; packets++ {
		want := one(packet) - bus(packet) + units.Time(packets-1)*c.Machine.Ring.Manage + bus(rest)
		if got := one((packets-1)*packet + rest); got != want {
			t.Errorf("a message of %d packets is noticed after %v, want %v", packets, got, want)
		}
	}
}

// TestCostsOfTheReceiver lists what calls take a processor. A record is paid for by
// the look that finds it, and looked for once.
func TestCostsOfTheReceiver(t *testing.T) {
	const n = 1000
	for _, m := range []struct {
		machine string
		look    units.Time
		copy    units.Time
	}{
		{"rhinet2", 100 * units.Nanosecond, 2500 * units.Nanosecond},
		{"loggp", 1500 * units.Nanosecond, 0},
	} {
		set := []string{"host.poll", "100ns", "host.copy", "400MB/s"}
		if m.machine == "loggp" {
			set = nil
		}
		hosttest.Run(t, hosttest.NewRanks(t, m.machine, 2, set...), func(p rma.Process) error {
			segment := p.Expose(make([]byte, n))
			if p.Rank() == 0 {
				for range 4 {
					if _, err := p.IPush(1, make([]byte, n), rma.DMA); err != nil {
						return err
					}
				}
			}
			if p.Rank() != 1 {
				return nil
			}
			var a rma.Arrival
			p.Compute(units.Millisecond)
			for _, call := range []struct {
				name string
				want units.Time
				do   func() error
			}{
				{"Next", m.look, func() (err error) { a, err = p.Next(); return err }},
				{"Take", m.copy, func() error { return p.Take(a, make([]byte, n), rma.Cached) }},
				{"Poll", m.look, func() error { _, err := p.Poll(); return err }},
				{"Next after Poll", 0, func() (err error) { a, err = p.Next(); return err }},
				{"Take without copy", 0, func() error { return p.Take(a, nil, rma.Cached) }},
				{"Await", m.look, func() error { return p.Await() }},
				{"Next after Await", 0, func() (err error) { a, err = p.Next(); return err }},
				{"Next after Next", m.look, func() (err error) { a, err = p.Next(); return err }},
				{"Poll in vain", m.look, func() error { _, err := p.Poll(); return err }},
				{"Load", m.copy, func() error { return p.Load(segment, 0, rma.Layout{}, make([]byte, n), rma.Cached) }},
				{"Load of scattered data", m.copy / 2, func() error { return p.Load(segment, 0, rma.Strided(1, 2, n/2), make([]byte, n), rma.Cached) }},
			} {
				start := p.Now()
				if err := call.do(); err != nil {
					return fmt.Errorf("%s: %w", call.name, err)
				}
				if got := p.Now() - start; got != call.want {
					t.Errorf("%s: %s takes %v, want %v", m.machine, call.name, got, call.want)
				}
			}
			return nil
		})
	}
}

func TestWhatRingsRefuse(t *testing.T) {
	const ranks = 3
	private := rma.PrivateRings(ranks, 2000)
	for _, c := range []struct {
		name string
		at1  rma.Rings
		n    int
		want string
	}{
		{"a message longer than its ring", private, 2001,
			"IPush of 2001 bytes to rank 1, whose ring for rank 0 has 2000 bytes and tells of whole messages; expected a larger ring, or one with status per packet"},
		{"a sender without ring", rma.Rings{Private: []rma.Ring{{Bytes: 2000, Senders: []int{1, 2}, Status: rma.PerPacket}}}, 8,
			"IPush to rank 1, which has no receive ring for rank 0"},
		{"a shared ring with status per message", rma.Rings{Private: []rma.Ring{{Bytes: 2000, Senders: []int{0, 2}}}}, 8,
			"ring 0 is shared by 2 senders and has status per message; their packets interleave, so it needs status per packet"},
		{"a ring smaller than a packet", rma.PrivateRings(ranks, 100), 8, "ring 0 has 100 bytes; expected at least the 1792 of a packet"},
		{"more memory than sensible", rma.PrivateRings(ranks, 1<<29), 8, "more than 1073741824 bytes"},
		{"more records than sensible", rma.Rings{Records: 1 << 40}, 8, "status ring of 1099511627776 records"},
	} {
		cluster := hosttest.NewRanks(t, "rhinet2", 3)
		err := cluster.Run(func(p rma.Process) error {
			switch p.Rank() {
			case 0:
				return hosttest.Send(p, 1, make([]byte, c.n))
			case 1:
				return p.Rings(c.at1)
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v; want one that says %q", c.name, err, c.want)
		}
	}
}

// TestRefusedMessagesDoNotHoldUpOthers sends messages of which every other one is
// refused.
func TestRefusedMessagesDoNotHoldUpOthers(t *testing.T) {
	for _, machine := range []string{"rhinet2", "loggp"} {
		c := hosttest.NewRanks(t, machine, 2)
		hosttest.Run(t, c, func(p rma.Process) error {
			if p.Rank() == 1 {
				if err := p.Rings(rma.PrivateRings(2, 5000)); err != nil {
					return err
				}
				for _, n := range []int{0, 5000, 1, 2, 3, 4} {
					if got, err := hosttest.Receive(p); err != nil || len(got) != n {
						t.Errorf("a message of %d bytes arrives with %d, error %v", n, len(got), err)
					}
				}
				return nil
			}
			var ops []rma.Op
			for i := range 10 {
				op, err := p.IPush(1, make([]byte, i/2+i%2*5000), rma.DMA)
				if err != nil {
					return err
				}
				ops = append(ops, op)
			}
			for i, op := range ops {
				if err := p.Wait(op); (err != nil) != (i > 1 && i%2 == 1) {
					t.Errorf("message %d: error %v", i, err)
				}
			}
			return nil
		})
		if got := c.Report().Rings; got.TooLong != 4 || got.Messages != 6 {
			t.Errorf("%s: %+v; want 6 messages and 4 too long", machine, got)
		}
	}
}
