package main

import (
	"fmt"
	"slices"
	"strings"

	"musubi"
	"musubi/picture/network"
	"musubi/picture/sheet"
	"musubi/routing"
	"musubi/sim/fabric"
	"musubi/topology"
)

// drawFlags are the options of commands that know what the links of a network carry.
type drawFlags struct {
	Draw string `name:"draw" value:"file" help:"draw the network, its links coloured by what they carry: a .svg, .png or .pdf file"`
}

func (f *drawFlags) check() error {
	if f.Draw != "" {
		return sheet.CheckName(f.Draw)
	}
	return nil
}

// deadlock draws what a simulated network has come to.
func (f *drawFlags) deadlock(s shared, system *musubi.System, d *fabric.Deadlock) error {
	if f.Draw == "" {
		return nil
	}
	drawing, err := drawDeadlock(system, d)
	if err != nil {
		return err
	}
	return writeSheet(s, f.Draw, drawing)
}

// routings draws each routing of a comparison, in the same colours.
func (f *drawFlags) routings(s shared, c *comparison) error {
	if f.Draw == "" {
		return nil
	}
	var drawings []*sheet.Sheet
	for _, r := range c.results {
		drawing, err := drawRouting(r.name, r.routes, r.proof.Cycle, c.mostLoad())
		if err != nil {
			return err
		}
		drawings = append(drawings, drawing)
	}
	return writeSheet(s, f.Draw, beside(drawings))
}

// mostLoad is the largest load of a link under any of the routings.
func (c *comparison) mostLoad() float64 {
	most := int64(0)
	for _, r := range c.results {
		most = max(most, r.statistics.ChannelLoad.Max)
	}
	return float64(most)
}

// drawNetwork draws a network without loads.
func drawNetwork(net *topology.Network) (*sheet.Sheet, error) {
	return network.Draw(network.Drawing{Net: net, Title: net.Name, Under: net.Summary()})
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
	under := fmt.Sprintf("%s on %s, %s, routing %s; colours: part of the time that a link is busy", result.Workload, result.Machine, plural(result.Ranks, "rank", "ranks"), result.Routing)
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

// drawRouting draws a network with the load of links under a routing, and the cycle if there is one.
// The darkest colour stands for most, so that drawings can be compared.
func drawRouting(name string, routes *routing.Routes, cycle []routing.Dependency, most float64) (*sheet.Sheet, error) {
	load := make([]float64, routes.Net.Channels())
	for c, n := range routes.Loads() {
		load[c] = float64(n)
	}
	verdict := "free of deadlock"
	if cycle != nil {
		verdict = "can deadlock"
	}
	return network.Draw(network.Drawing{
		Net: routes.Net, Title: routes.Net.Name + ", " + name, Under: verdict + "; colours: pairs of hosts whose path uses a link",
		Load: load, Unit: "pairs", Most: most, Cycle: holdsOf(routes.Net, cycle),
	})
}

// holdsOf are the channels of a cycle of dependencies.
func holdsOf(net *topology.Network, cycle []routing.Dependency) []network.Hold {
	var holds []network.Hold
	for _, d := range cycle {
		h := network.Hold{Channel: d.Hop.Channel(), VC: d.Hop.VC()}
		h.Flow = fmt.Sprintf("%s → %s by way of %s", net.EndPointName(d.By.Src), net.EndPointName(d.By.Dst), strings.Join(switchNames(net, switchesOf(net, d)), ", "))
		for _, hop := range d.Path {
			h.Way = append(h.Way, hop.Channel())
		}
		holds = append(holds, h)
	}
	return holds
}

// drawDeadlock draws the cycle that a simulated network has come to, with the ways of the packets
// that are first in their buffers.
func drawDeadlock(system *musubi.System, d *fabric.Deadlock) (*sheet.Sheet, error) {
	var holds []network.Hold
	for _, h := range d.Cycle {
		hold := network.Hold{Channel: h.Channel, VC: h.VC}
		hold.Flow = fmt.Sprintf("%s, the first %s → %s", plural(h.Packets, "packet", "packets"), d.Net.EndPointName(h.Src), d.Net.EndPointName(h.Dst))
		path, _ := system.Routes.Path(h.Src, h.Dst)
		for _, hop := range path {
			hold.Way = append(hold.Way, hop.Channel())
		}
		holds = append(holds, hold)
	}
	return network.Draw(network.Drawing{
		Net: d.Net, Title: d.Net.Name + ", " + system.Routes.Algorithm, Under: fmt.Sprintf("deadlock at %v, with %s in the network", d.At, plural(d.Packets, "packet", "packets")), Cycle: holds,
	})
}

// beside puts drawings on one sheet, two in a row.
func beside(drawings []*sheet.Sheet) *sheet.Sheet {
	if len(drawings) == 1 {
		return drawings[0]
	}
	widths := [2]float64{}
	for i, d := range drawings {
		widths[i%2] = max(widths[i%2], d.Width)
	}
	all := sheet.New(widths[0]+widths[1], 0)
	all.Title = drawings[0].Title
	for i := 0; i < len(drawings); i += 2 {
		height := drawings[i].Height
		all.Put(drawings[i], sheet.Point{Y: all.Height})
		if i+1 < len(drawings) {
			all.Put(drawings[i+1], sheet.Point{X: widths[0], Y: all.Height})
			height = max(height, drawings[i+1].Height)
		}
		all.Height += height
	}
	return all
}
