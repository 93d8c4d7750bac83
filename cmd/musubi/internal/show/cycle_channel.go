package show

import (
	"fmt"

	"musubi/report"
	"musubi/routing"
	"musubi/topology"
)

// CycleChannel is a channel of a cycle in JSON: switches by ID.
type CycleChannel struct {
	From     string `json:"from"`
	To       string `json:"to"`
	VC       int    `json:"vc"`
	FromPort int    `json:"from_port"`
	ToPort   int    `json:"to_port"`
}

// NewCycleChannel is a virtual channel as JSON.
func NewCycleChannel(net *topology.Network, channel, vc int) CycleChannel {
	from, to := net.From(channel), net.To(channel)
	return CycleChannel{net.Switches[from.Switch].ID, net.Switches[to.Switch].ID, vc, from.Number, to.Number}
}

// CycleChannels is nil if there is no cycle.
func CycleChannels(p *routing.Proof) []CycleChannel {
	var channels []CycleChannel
	for _, d := range p.Cycle {
		channels = append(channels, NewCycleChannel(p.Net, d.Hop.Channel(), d.Hop.VC()))
	}
	return channels
}

// Verdict is the outcome of a proof in a few words.
func Verdict(p *routing.Proof) report.Cell {
	switch {
	case p.DeadlockFree():
		return report.Text("free").Good()
	case p.HostsDeadlockFree():
		return report.Text("free among hosts").Bad()
	}
	return report.Text(fmt.Sprintf("cycle of %d", len(p.Cycle))).Bad()
}

// EndPointID is the ID of an adapter, with the port if it has several.
func EndPointID(net *topology.Network, endPoint int) string {
	e := &net.EndPoints[endPoint]
	a := &net.Adapters[e.Adapter]
	if a.Ports > 1 {
		return fmt.Sprintf("%s/%d", a.ID, e.AdapterPort)
	}
	return a.ID
}
