package run

import (
	"cmp"
	"fmt"
	"slices"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/picture/network"
	"musubi/picture/sheet"
	"musubi/sim/fabric"
)

// checkDrawing refuses to draw a network that there is not, before anything runs.
func checkDrawing(f show.Drawing, system *musubi.System) error {
	if f.Draw == "" || system.Net != nil {
		return nil
	}
	return fmt.Errorf("--draw %s: machine %s has no network to draw; expected --on with one that has, such as ndr", f.Draw, system.Scenario.Machine)
}

// drawTheDeadlock draws what a simulated network has come to.
func drawTheDeadlock(f show.Drawing, s cli.Shared, system *musubi.System, d *fabric.Deadlock) error {
	if f.Draw == "" {
		return nil
	}
	drawing, err := drawDeadlock(system, d)
	if err != nil {
		return err
	}
	return cli.WriteSheet(s, f.Draw, drawing)
}

// drawRun draws the network of a run with the use of its links: of several offered loads the last.
func drawRun(system *musubi.System, result *musubi.Result) (*sheet.Sheet, error) {
	if system.Net == nil {
		return nil, fmt.Errorf("machine %s has no network to draw", result.Machine)
	}
	load := make([]float64, system.Net.Channels())
	for _, l := range lastLinks(result.Links) {
		if l.Channel >= 0 {
			load[l.Channel] = l.Utilisation
		}
	}
	under := fmt.Sprintf("%s on %s, %s, routing %s; colours: part of the time that a link is busy", cmp.Or(result.Workload, "a program"), result.Machine, cli.Plural(result.Ranks, "rank", "ranks"), result.Routing)
	return network.Draw(network.Drawing{Net: system.Net, Title: result.Topology, Under: under, Load: load, Unit: "fraction"})
}

// lastLinks returns the links of the last offered load.
func lastLinks(links []musubi.LinkUse) []musubi.LinkUse {
	if len(links) == 0 {
		return nil
	}
	last := links[len(links)-1].Labels
	return slices.DeleteFunc(slices.Clone(links), func(l musubi.LinkUse) bool { return !slices.Equal(l.Labels, last) })
}

// drawDeadlock draws the cycle that a simulated network has come to, with the ways of the packets
// that are first in their buffers.
func drawDeadlock(system *musubi.System, d *fabric.Deadlock) (*sheet.Sheet, error) {
	var holds []network.Hold
	for _, h := range d.Cycle {
		hold := network.Hold{Channel: h.Channel, VC: h.VC}
		hold.Flow = fmt.Sprintf("%s, the first %s → %s", cli.Plural(h.Packets, "packet", "packets"), d.Net.EndPointName(h.Src), d.Net.EndPointName(h.Dst))
		path, _ := system.Routes.Path(h.Src, h.Dst)
		for _, hop := range path {
			hold.Way = append(hold.Way, hop.Channel())
		}
		holds = append(holds, hold)
	}
	return network.Draw(network.Drawing{
		Net: d.Net, Title: d.Net.Name + ", " + system.RoutingName(), Under: fmt.Sprintf("deadlock at %v, with %s in the network", d.At, cli.Plural(d.Packets, "packet", "packets")), Cycle: holds,
	})
}
