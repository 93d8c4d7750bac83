package reproduce

import (
	"musubi"
	"musubi/sim/machine"
	"musubi/units"
)

// dimmnet2Memory measures the card with faster memory, which the authors expect of an ASIC.
func dimmnet2Memory(b *bench) error {
	for _, memory := range []string{"PC2100", "PC2700", "PC3200"} {
		for _, v := range variants("botf", "push", "ipush") {
			us, err := b.halfTrip("", v.settings("bytes=8", "card.memory="+memory)...)
			if err != nil {
				return err
			}
			b.predict("half a round trip of 8 B with faster memory, "+memory, v.name, "us", us)
		}
		mbps, err := b.peak("", "mechanism=push", "card.memory="+memory)
		if err != nil {
			return err
		}
		b.predict("bandwidth between SO-DIMMs with faster memory, "+memory, "PUSH", "MB/s", mbps)
	}
	return nil
}

// dimmnet2Firmware compares IPUSH with rings that a slow processor on the card manages and with
// rings that the controller manages.
func dimmnet2Firmware(b *bench) error {
	machines := []string{"dimmnet2", "vpush"}
	for _, machine := range machines {
		us, err := b.halfTrip(machine, "mechanism=ipush", "bytes=8")
		if err != nil {
			return err
		}
		b.predict("half a round trip of 8 B by IPUSH, hardware and firmware", machine, "us", us)
	}
	for _, machine := range machines {
		mbps, err := b.peak(machine, "mechanism=ipush")
		if err != nil {
			return err
		}
		b.predict("peak bandwidth of IPUSH, hardware and firmware", machine, "MB/s", mbps)
	}
	return b.vpushPart()
}

// dimmnet2VPUSH is an item. The packets of VPUSH had 2,048 bytes of data; those of machine vpush
// have 496, unless windows are made to hold more, and its processor takes its time for each.
const dimmnet2VPUSH = "VPUSH of 2,048 B, part of the bandwidth of its RDMA ([I])"

// vpushPart sets appending by a processor on the card beside writing without one.
func (b *bench) vpushPart() error {
	for _, packets := range []struct {
		cell     string
		settings []string
	}{
		{"packets of 496 B", nil},
		{"packets of 2,048 B", []string{"card.window=2064B", "packet.payload=2KiB", "switch.buffer=16KiB"}},
	} {
		var mbps []float64
		for _, mechanism := range []string{"ipush", "push"} {
			settings := append([]string{"mechanism=" + mechanism, "bytes=2KiB", "iterations=200"}, packets.settings...)
			rows, err := b.measure("bandwidth", musubi.Scenario{Workload: "stream", Machine: "vpush"}, settings...)
			if err != nil {
				return err
			}
			mbps = append(mbps, rows[0].Value)
		}
		b.add(Predicted, dimmnet2VPUSH, packets.cell, "%", 38, 100*mbps[0]/mbps[1])
	}
	return nil
}

// dimmnet2Split is an item.
const dimmnet2Split = "QsNET II, where the time of 8 B goes ([C])"

// qsnetSplit divides the time of 8 bytes between the interfaces and the hosts, as [C] does. The
// interfaces are given; of the rest the network is assumed, so the hosts are what is left.
func (b *bench) qsnetSplit(us float64) error {
	m, err := machine.Load("qsnet2")
	if err != nil {
		return err
	}
	elan := m.NIC.PIOStart + m.NIC.Receive
	wire := m.Link.Rate.Transfer(units.Bytes(m.PacketFlits(8)) * m.Link.Flit)
	network := 2*m.Link.HostCable + m.Switch.Latency + wire
	b.add(Derived, dimmnet2Split, "both Elan4", "us", 0.240, elan.Microseconds())
	b.add(Predicted, dimmnet2Split, "chipset and bus of both hosts (about)", "us", 1, us-(elan+network).Microseconds())
	return nil
}

// dimmnet2QsNET measures the network with which [C] compares DIMMnet-2. Machine qsnet2 is
// calibrated on its latency.
func dimmnet2QsNET(b *bench) error {
	const item = "8 B in one direction, not copied ([C])"
	us, err := b.halfTrip("qsnet2", "mechanism=botf", "bytes=8")
	if err != nil {
		return err
	}
	b.add(Calibrated, item, "QsNET II", "us", 1.3, us)
	if err := b.qsnetSplit(us); err != nil {
		return err
	}
	us, err = b.halfTrip("", variants("botf")[0].settings("bytes=8")...)
	if err != nil {
		return err
	}
	b.predict(item, "DIMMnet-2 by BOTF", "us", us)
	for _, machine := range []string{"qsnet2", "dimmnet2"} {
		mbps, err := b.peak(machine, "mechanism=push")
		if err != nil {
			return err
		}
		b.predict("peak bandwidth of PUSH, two networks", machine, "MB/s", mbps)
	}
	return nil
}
