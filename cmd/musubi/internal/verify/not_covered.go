package verify

import (
	"fmt"
	"io"

	"musubi/cmd/musubi/internal/cli"
	"musubi/report"
	"musubi/topology"
)

// adaptiveDevices are the device IDs of switches that can route adaptively: Switch-IB and later.
var adaptiveDevices = map[uint32]bool{
	0xcb20: true, // Switch-IB
	0xcf08: true, // Switch-IB 2
	0xd2f0: true, // Quantum
	0xd2f2: true, // Quantum-2
	0xd2f4: true, // Quantum-3
}

const membersNotCovered = "who has joined which group: the tables do not tell"

// otherPackets lists packets of InfiniBand of which a verdict on its forwarding tables says nothing.
func (f *verifyFlags) otherPackets() []string {
	if f.MFTs == "" {
		return []string{"multicast, and management packets, which have a virtual lane of their own"}
	}
	return []string{membersNotCovered, "deadlocks in which packets of multicast take part", "management packets, which have a virtual lane of their own"}
}

func adaptiveRouting(net *topology.Network) string {
	able := 0
	for _, s := range net.Switches {
		if adaptiveDevices[s.DeviceID] {
			able++
		}
	}
	text := "adaptive routing: where it is on, packets also leave by ports that these tables do not name"
	if able > 0 {
		text += fmt.Sprintf(" (%s here can do it)", cli.Plural(able, "switch", "switches"))
	}
	return text
}

// printNotCovered prints what the answer says nothing about.
func printNotCovered(w io.Writer, list []string) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nNot looked at:")
	for _, text := range list {
		if err := report.Paragraph(w, "- "+text+"."); err != nil {
			return err
		}
	}
	return nil
}
