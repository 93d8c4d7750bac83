package topology

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// drawNetwork draws a network with parallel links, loops, adapters with several
// ports, all kinds of end points, and texts that are hard to quote.
func drawNetwork(t *rapid.T) *Network {
	d := networkDrawer{T: t}
	for range rapid.IntRange(1, 8).Draw(t, "switches") {
		d.addSwitch()
	}
	for range rapid.IntRange(0, 12).Draw(t, "links") {
		a := d.freePort()
		b := a
		if rapid.IntRange(0, 9).Draw(t, "plug") > 0 {
			b = d.freePort()
		}
		d.net.Links = append(d.net.Links, Link{A: a, B: b, Speed: d.speed()})
	}
	for range rapid.IntRange(0, 8).Draw(t, "adapters") {
		d.addAdapter()
	}
	for s := range d.net.Switches {
		d.net.Switches[s].Ports += rapid.IntRange(0, 2).Draw(t, "free ports")
	}
	n, err := New(d.net)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

type networkDrawer struct {
	*rapid.T
	net  Network
	guid uint64
}

func (d *networkDrawer) nextGUID() uint64 {
	d.guid += rapid.Uint64Range(1, 1<<40).Draw(d.T, "GUID step") << 8
	return d.guid
}

func (d *networkDrawer) name() string {
	return rapid.OneOf(
		rapid.Just(""),
		rapid.SampledFrom([]string{
			"MF0;leaf 1:MQM9701/U1", `a "quoted" # name`, `back\slash\`, "lid 5 4xSDR", "<é> & 'x'", "100%d", "a  b", "{x} lmc 3", "Node 'A' -",
		}),
		rapid.StringMatching(`[A-Za-z]([A-Za-z0-9 _.:;-]{0,12}[a-z])?`),
	).Draw(d.T, "name")
}

func (d *networkDrawer) speed() Speed {
	return rapid.SampledFrom([]Speed{
		{}, {1, "SDR"}, {4, "SDR"}, {4, "DDR"}, {12, "QDR"}, {4, "FDR10"}, {4, "FDR"}, {4, "EDR"}, {2, "HDR"}, {4, "NDR"}, {8, "XDR"},
	}).Draw(d.T, "speed")
}

func (d *networkDrawer) identifier() uint32 {
	return rapid.Uint32Range(0, 0xffff).Draw(d.T, "identifier")
}

func (d *networkDrawer) addSwitch() {
	g := d.nextGUID()
	d.net.Switches = append(d.net.Switches, Switch{
		ID: fmt.Sprintf("S-%016x", g), Name: d.name(), Ports: 1, GUID: g, SystemGUID: rapid.Uint64().Draw(d.T, "system"),
		VendorID: d.identifier(), DeviceID: d.identifier(), LID: rapid.Uint16().Draw(d.T, "LID"),
		LMC: rapid.Uint8Range(0, maxLMC).Draw(d.T, "LMC"), Enhanced: rapid.Bool().Draw(d.T, "enhanced"),
	})
}

func (d *networkDrawer) addAdapter() {
	g := d.nextGUID()
	a := Adapter{
		ID: fmt.Sprintf("H-%016x", g+1), Name: d.name(), Kind: rapid.SampledFrom(Kinds()).Draw(d.T, "kind"),
		Ports: rapid.IntRange(1, 4).Draw(d.T, "ports"), GUID: g, SystemGUID: rapid.Uint64().Draw(d.T, "system"),
		VendorID: d.identifier(), DeviceID: d.identifier(),
	}
	switch a.Kind {
	case Aggregation: // the name is what tells
		a.Name = "Mellanox Technologies Aggregation Node"
	case Router:
		a.ID = fmt.Sprintf("R-%016x", g+1)
	}
	for p := 1; p <= a.Ports; p++ {
		if rapid.Bool().Draw(d.T, "connected") {
			d.net.EndPoints = append(d.net.EndPoints, EndPoint{
				Adapter: len(d.net.Adapters), AdapterPort: p, At: d.freePort(), GUID: g + uint64(p),
				LID: rapid.Uint16().Draw(d.T, "LID"), LMC: rapid.Uint8Range(0, maxLMC).Draw(d.T, "LMC"), Speed: d.speed(),
			})
		}
	}
	d.net.Adapters = append(d.net.Adapters, a)
}

func (d *networkDrawer) freePort() Port {
	s := rapid.IntRange(0, len(d.net.Switches)-1).Draw(d.T, "switch")
	sw := &d.net.Switches[s]
	p := Port{s, sw.Ports}
	sw.Ports += rapid.IntRange(1, 3).Draw(d.T, "gap")
	return p
}

// difference compares all that New does not derive.
func difference(want, got *Network) string {
	return cmp.Diff(want, got, cmpopts.IgnoreUnexported(Network{}), cmpopts.IgnoreFields(Network{}, "Name"), cmpopts.EquateEmpty())
}

func mustGenerate(t testing.TB, name string, hosts int) *Network {
	t.Helper()
	n, err := Generate(name, hosts)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
