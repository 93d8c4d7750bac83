package reproduce

import (
	"fmt"

	"musubi"
	"musubi/sim/machine"
	"musubi/units"
	"musubi/workload"
)

// ssscoreWrite is the item of Kunisawa, Matsumoto and Hiraki: Gigabit Network with Cooperative
// Functions for General Purpose Massively Parallel OS (1997), on short writes.
const ssscoreWrite = "remote write of 4 B through one switch"

// A short write, and its packet, in bytes, as published.
const (
	ssscoreWord   = 4
	ssscorePacket = 36
)

// ssscoreConstants are the published values from which the machine's parameters were taken or
// derived.
func ssscoreConstants(b *bench) error {
	m, err := machine.Load(b.source)
	if err != nil {
		return err
	}
	const mega = 1e6
	const long = 1 << 20 // bytes; times are whole picoseconds
	b.add(Derived, "rates of data", "link", "Mbit/s", 850, 8*long/m.Link.Rate.Transfer(long).Seconds()/mega)
	burst := m.Bus.Setup + m.Bus.Rate.Transfer(m.Bus.Burst)
	b.add(Derived, "rates of data", "SBus, bursts of 32 B, with what they cost", "MB/s", 67, float64(m.Bus.Burst)/burst.Seconds()/mega)
	rows, err := b.measure("bytes_per_level", musubi.Scenario{Workload: "multicast", Topology: "tree:arity=2,levels=1"}, "method=unicast", fmt.Sprint("bytes=", ssscoreWord), "iterations=1", "warmup=0")
	if err != nil {
		return err
	}
	// The link of either node carries the write one way and its acknowledgement the other.
	const switches = 1
	ack := units.Bytes(m.Packet.Reply+switches) * m.Link.Flit
	packet := statisticOf(rows, "max") - float64(ack)
	b.add(Derived, ssscoreWrite, "on each link", "B", ssscorePacket, packet)
	b.derive(ssscoreWrite, "data in it", "%", 100.0*ssscoreWord/ssscorePacket, 100*ssscoreWord/packet)
	// The paper says 24 M/s, which is its 850 Mbit/s over 36: a slip of bits for bytes.
	perPacket := m.Link.Rate.Transfer(units.Bytes(packet)).Seconds()
	b.derive(ssscoreWrite, "packets that fill a link", "M/s", 850.0/8/ssscorePacket, 1/perPacket/mega)
	return nil
}

// statisticOf returns the first value of a statistic.
func statisticOf(rows []workload.Row, name string) float64 {
	for _, r := range rows {
		if r.Label("statistic") == name {
			return r.Value
		}
	}
	return 0
}
