package tables

import (
	"fmt"

	"musubi/topology"
)

// maxPorts bounds the ports of a switch for the table forms of hardware, whose
// port numbers have one byte; 255 means no port.
const maxPorts = 254

func checkPorts(net *topology.Network) error {
	for s := range net.Switches {
		if net.Switches[s].Ports > maxPorts {
			return fmt.Errorf("switch %s has %d ports; at most %d are possible", net.SwitchName(s), net.Switches[s].Ports, maxPorts)
		}
	}
	return nil
}

// wiring holds what is attached to each port of each switch: 0 for nothing (or a loop-back cable),
// c+1 for channel c, -e-1 for end point e.
type wiring [][]int32

func newWiring(net *topology.Network) wiring {
	w := make(wiring, len(net.Switches))
	for s := range net.Switches {
		w[s] = make([]int32, net.Switches[s].Ports+1)
		for _, c := range net.Out(s) {
			w[s][net.From(int(c)).Number] = c + 1
		}
		for _, e := range net.EndPointsAt(s) {
			w[s][net.EndPoints[e].At.Number] = -e - 1
		}
	}
	return w
}

// at returns the entry of a port, 0 if the switch has no such port.
func (w wiring) at(p topology.Port) int32 {
	if p.Number >= len(w[p.Switch]) {
		return 0
	}
	return w[p.Switch][p.Number]
}
