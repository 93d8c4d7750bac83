package show

import (
	"cmp"
	"fmt"
	"strings"

	"musubi/picture/network"
	"musubi/picture/sheet"
	"musubi/report/files"
	"musubi/routing"
	"musubi/topology"
)

// Drawing are the options of commands that know what the links of a network carry.
type Drawing struct {
	Draw string `name:"draw" value:"file" help:"draw the network, its links coloured by what they carry: a .svg, .png or .pdf file"`
}

// Check refuses the name of a file that cannot be written.
func (f *Drawing) Check() error {
	if f.Draw == "" {
		return nil
	}
	return cmp.Or(sheet.CheckName(f.Draw), files.Check(f.Draw))
}

// DrawNetwork draws a network without loads.
func DrawNetwork(net *topology.Network) (*sheet.Sheet, error) {
	return network.Draw(network.Drawing{Net: net, Title: net.Name, Under: net.Summary()})
}

// DrawRouting draws a network with the load of links under a routing, and the cycle if there is one.
// The darkest colour stands for most, so that drawings can be compared.
func DrawRouting(name string, routes *routing.Routes, cycle []routing.Dependency, most float64) (*sheet.Sheet, error) {
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
		h.Flow = fmt.Sprintf("%s → %s by way of %s", net.EndPointName(d.By.Src), net.EndPointName(d.By.Dst), strings.Join(SwitchNames(net, SwitchesOf(net, d)), ", "))
		for _, hop := range d.Path {
			h.Way = append(h.Way, hop.Channel())
		}
		holds = append(holds, h)
	}
	return holds
}

// Beside puts drawings on one sheet, two in a row.
func Beside(drawings []*sheet.Sheet) *sheet.Sheet {
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
