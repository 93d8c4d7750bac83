package nettest

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"musubi/topology"
)

// Draw makes a network with parallel links, loops, adapters with several
// ports, all kinds of end points, and texts that are hard to quote.
func Draw(t *rapid.T) *topology.Network {
	d := drawer{T: t}
	for range rapid.IntRange(1, 8).Draw(t, "switches") {
		d.addSwitch()
	}
	for range rapid.IntRange(0, 12).Draw(t, "links") {
		a := d.freePort()
		b := a
		if rapid.IntRange(0, 9).Draw(t, "plug") > 0 {
			b = d.freePort()
		}
		d.net.Links = append(d.net.Links, topology.Link{A: a, B: b, Speed: d.speed()})
	}
	for range rapid.IntRange(0, 8).Draw(t, "adapters") {
		d.addAdapter()
	}
	for s := range d.net.Switches {
		d.net.Switches[s].Ports += rapid.IntRange(0, 2).Draw(t, "free ports")
	}
	n, err := topology.New(d.net)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// maxLMC is the largest LID mask control: the field has three bits.
const maxLMC = 7

type drawer struct {
	*rapid.T
	net  topology.Network
	guid uint64
}

func (d *drawer) nextGUID() uint64 {
	d.guid += rapid.Uint64Range(1, 1<<40).Draw(d.T, "GUID step") << 8
	return d.guid
}

func (d *drawer) name() string {
	return rapid.OneOf(
		rapid.Just(""),
		rapid.SampledFrom([]string{
			"MF0;leaf 1:MQM9701/U1", `a "quoted" # name`, `back\slash\`, "lid 5 4xSDR", "<é> & 'x'", "100%d", "a  b", "{x} lmc 3", "Node 'A' -",
		}),
		rapid.StringMatching(`[A-Za-z]([A-Za-z0-9 _.:;-]{0,12}[a-z])?`),
	).Draw(d.T, "name")
}

func (d *drawer) speed() topology.Speed {
	return rapid.SampledFrom([]topology.Speed{
		{}, {Width: 1, Lane: "SDR"}, {Width: 4, Lane: "SDR"}, {Width: 4, Lane: "DDR"}, {Width: 12, Lane: "QDR"}, {Width: 4, Lane: "FDR10"}, {Width: 4, Lane: "FDR"}, {Width: 4, Lane: "EDR"}, {Width: 2, Lane: "HDR"}, {Width: 4, Lane: "NDR"}, {Width: 8, Lane: "XDR"},
	}).Draw(d.T, "speed")
}

func (d *drawer) identifier() uint32 {
	return rapid.Uint32Range(0, 0xffff).Draw(d.T, "identifier")
}

func (d *drawer) addSwitch() {
	g := d.nextGUID()
	d.net.Switches = append(d.net.Switches, topology.Switch{
		ID: fmt.Sprintf("S-%016x", g), Name: d.name(), Ports: 1, GUID: g, SystemGUID: rapid.Uint64().Draw(d.T, "system"),
		VendorID: d.identifier(), DeviceID: d.identifier(), LID: rapid.Uint16().Draw(d.T, "LID"),
		LMC: rapid.Uint8Range(0, maxLMC).Draw(d.T, "LMC"), Enhanced: rapid.Bool().Draw(d.T, "enhanced"),
	})
}

func (d *drawer) addAdapter() {
	g := d.nextGUID()
	a := topology.Adapter{
		ID: fmt.Sprintf("H-%016x", g+1), Name: d.name(), Kind: rapid.SampledFrom(topology.Kinds()).Draw(d.T, "kind"),
		Ports: rapid.IntRange(1, 4).Draw(d.T, "ports"), GUID: g, SystemGUID: rapid.Uint64().Draw(d.T, "system"),
		VendorID: d.identifier(), DeviceID: d.identifier(),
	}
	switch a.Kind {
	case topology.Aggregation: // the name is what tells
		a.Name = "Mellanox Technologies Aggregation Node"
	case topology.Router:
		a.ID = fmt.Sprintf("R-%016x", g+1)
	}
	for p := 1; p <= a.Ports; p++ {
		if rapid.Bool().Draw(d.T, "connected") {
			d.net.EndPoints = append(d.net.EndPoints, topology.EndPoint{
				Adapter: len(d.net.Adapters), AdapterPort: p, At: d.freePort(), GUID: g + uint64(p),
				LID: rapid.Uint16().Draw(d.T, "LID"), LMC: rapid.Uint8Range(0, maxLMC).Draw(d.T, "LMC"), Speed: d.speed(),
			})
		}
	}
	d.net.Adapters = append(d.net.Adapters, a)
}

func (d *drawer) freePort() topology.Port {
	s := rapid.IntRange(0, len(d.net.Switches)-1).Draw(d.T, "switch")
	sw := &d.net.Switches[s]
	p := topology.Port{Switch: s, Number: sw.Ports}
	sw.Ports += rapid.IntRange(1, 3).Draw(d.T, "gap")
	return p
}

// uncompared are the exported fields that Difference leaves out.
var uncompared = []string{"Name", "Notes", "LeftOut", "Leaves"}

// Difference compares all that New does not derive. To find out that nothing differs takes package cmp
// several times as long as package reflect, so that comes first.
func Difference(want, got *topology.Network) string {
	if isSame(want, got) {
		return ""
	}
	return cmp.Diff(want, got, cmpopts.IgnoreUnexported(topology.Network{}), cmpopts.IgnoreFields(topology.Network{}, uncompared...), cmpopts.EquateEmpty())
}

func isSame(want, got *topology.Network) bool {
	a, b := reflect.ValueOf(want).Elem(), reflect.ValueOf(got).Elem()
	for i := range a.NumField() {
		field := a.Type().Field(i)
		if field.IsExported() && !slices.Contains(uncompared, field.Name) && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return false
		}
	}
	return true
}
