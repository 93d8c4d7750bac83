package tables

import (
	"fmt"

	"musubi/routing"
	"musubi/topology"
)

// rhinet2VCs is the number of virtual channels for data packets of
// RHiNET-2/SW. Control packets use as many others, with the same tables.
const rhinet2VCs = 8

// RHiNET2 is the routing table of the switch RHiNET-2/SW (Nishimura et al. 2000): the
// destination gives the output port, and input and output port together give the increase of the
// virtual channel number. The source chooses the first virtual channel, by destination if it must:
// the RHiNET-2 cluster used one per source.
type RHiNET2 struct {
	Algorithm string
	Net       *topology.Network
	VCs       int
	Initial   PairTable

	// Output is the output port by switch and destination end point, 0 where
	// there is none.
	Output [][]int32
	// Change is the increase of the virtual channel number, by switch and pair of ports: see
	// ChangeAt.
	Change [][]uint8
}

func emptyRHiNET2(algorithm string, net *topology.Network, vcs int) *RHiNET2 {
	t := &RHiNET2{Algorithm: algorithm, Net: net, VCs: vcs}
	for _, s := range net.Switches {
		t.Output = append(t.Output, make([]int32, len(net.EndPoints)))
		t.Change = append(t.Change, make([]uint8, (s.Ports+1)*(s.Ports+1)))
	}
	return t
}

// ChangeAt returns a pointer to the increase for packets that go from one port
// of a switch to another.
func (t *RHiNET2) ChangeAt(sw, in, out int) *uint8 {
	return &t.Change[sw][in*(t.Net.Switches[sw].Ports+1)+out]
}

// unsetChange marks a pair of ports that no path has used yet.
const unsetChange = 0xff

// NewRHiNET2 converts routes into the table of RHiNET-2's switch. It fails, naming the first
// conflict, if they need more than the switch can do.
func NewRHiNET2(r *routing.Routes) (*RHiNET2, error) {
	if r.VCs > rhinet2VCs {
		return nil, fmt.Errorf("RHiNET-2 table of %s: %d virtual channels; the switch has %d for data", r.Algorithm, r.VCs, rhinet2VCs)
	}
	if err := checkPorts(r.Net); err != nil {
		return nil, fmt.Errorf("RHiNET-2 table of %s: %w", r.Algorithm, err)
	}
	t := emptyRHiNET2(r.Algorithm, r.Net, r.VCs)
	t.Initial = initialVCs(r)
	t.fillChanges(unsetChange, 0)
	var err error
	allSteps(r, func(q routing.Pair, p passage) bool {
		err = t.add(r, q, p)
		return err == nil
	})
	if err != nil {
		return nil, fmt.Errorf("RHiNET-2 table of %s: %w", r.Algorithm, err)
	}
	t.fillChanges(0, unsetChange)
	return t, nil
}

// fillChanges replaces a value.
func (t *RHiNET2) fillChanges(value, old uint8) {
	for _, changes := range t.Change {
		for i, c := range changes {
			if c == old {
				changes[i] = value
			}
		}
	}
}

// add enters one passage of the path of q.
func (t *RHiNET2) add(r *routing.Routes, q routing.Pair, p passage) error {
	name := t.Net.SwitchName(p.sw)
	if p.outVC < p.inVC {
		return fmt.Errorf("switch %s: the path from %s lowers the virtual channel from %d to %d; the switch can only raise it",
			name, describe(r, q), p.inVC, p.outVC)
	}
	out := &t.Output[p.sw][q.Dst]
	if *out == 0 {
		*out = int32(p.out)
	}
	if int(*out) != p.out {
		return portConflict(r, q, p, int(*out), "the switch")
	}
	change := t.ChangeAt(p.sw, p.in, p.out)
	if *change == unsetChange {
		*change = uint8(p.outVC - p.inVC)
	}
	if int(*change) != p.outVC-p.inVC {
		first := firstWith(r, func(_ routing.Pair, o passage) bool { return o.sw == p.sw && o.in == p.in && o.out == p.out })
		return fmt.Errorf("switch %s, port %d to port %d: the path from %s adds %d to the virtual channel, that from %s adds %d; the switch chooses by ports alone",
			name, p.in, p.out, describe(r, first), *change, describe(r, q), p.outVC-p.inVC)
	}
	return nil
}

// Routes follows the table between all end points. Pairs whose packets do not
// arrive are left without a path, and the proof of the routes says why.
func (t *RHiNET2) Routes() (*routing.Routes, error) { return walk(t.Algorithm, t.Net, t.VCs, t) }

func (t *RHiNET2) inject(src, dst int) int { return t.Initial.At(src, dst) }

// perSource is true because the virtual channel depends on the path so far.
func (t *RHiNET2) perSource(int) bool { return true }

func (t *RHiNET2) forward(_, dst int, in topology.Port, inVC int) (out, outVC int) {
	port := int(t.Output[in.Switch][dst])
	if port < 1 || port > t.Net.Switches[in.Switch].Ports {
		return noEntry, 0
	}
	return port, inVC + int(*t.ChangeAt(in.Switch, in.Number, port))
}
