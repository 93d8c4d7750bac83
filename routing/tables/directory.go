package tables

import (
	"fmt"

	"musubi/topology"
)

// directory finds switches and end points by the names and GUIDs that InfiniBand's tools print.
// GUIDs that the network knows take precedence, then names (because a simulated fabric has GUIDs of
// its own), then the GUIDs that topology.Network.WithGUIDs assigns.
type directory struct {
	net      *topology.Network
	known    map[uint64]owner
	names    map[string]owner
	assigned map[uint64]owner
}

// ambiguous stands for names that several have.
var ambiguous = owner{index: -1}

func newDirectory(net *topology.Network) *directory {
	d := &directory{net, make(map[uint64]owner), make(map[string]owner), make(map[uint64]owner)}
	assigned := net.WithGUIDs()
	for s := range net.Switches {
		d.add(owner{true, s}, net.Switches[s].GUID, assigned.Switches[s].GUID, net.Switches[s].Name, net.Switches[s].ID)
	}
	for e := range net.EndPoints {
		a := &net.Adapters[net.EndPoints[e].Adapter]
		d.add(owner{false, e}, net.EndPoints[e].GUID, assigned.EndPoints[e].GUID, a.Name, a.ID)
	}
	return d
}

func (d *directory) add(o owner, known, assigned uint64, names ...string) {
	if known != 0 {
		d.known[known] = o
		return
	}
	d.assigned[assigned] = o
	for _, name := range names {
		if other, taken := d.names[name]; taken && other != o {
			d.names[name] = ambiguous
		} else {
			d.names[name] = o
		}
	}
}

// find returns the owner of a GUID or, failing that, of a name.
func (d *directory) find(guid uint64, name string) (owner, bool) {
	if o, ok := d.known[guid]; ok {
		return o, true
	}
	if o, ok := d.names[name]; ok && name != "" && o != ambiguous {
		d.known[guid] = o
		return o, true
	}
	o, ok := d.assigned[guid]
	return o, ok
}

// findSwitch returns the switch with a GUID or, failing that, a name.
func (d *directory) findSwitch(guid uint64, name string) (int, error) {
	o, ok := d.find(guid, name)
	if !ok || !o.isSwitch {
		return 0, fmt.Errorf("no switch of the network has GUID 0x%016x%s", guid, orName(name))
	}
	return o.index, nil
}

func orName(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" or is called %q", name)
}
