package tables

import (
	"cmp"
	"fmt"
	"slices"

	"musubi/routing"
	"musubi/topology"
)

// General is the richest form of routing tables: a switch chooses output
// port and virtual channel by input port, input virtual channel and
// destination.
type General struct {
	Algorithm string
	Net       *topology.Network
	VCs       int
	Initial   PairTable

	entries []Entry // in order of switch, destination, input port, input VC
	// first locates the entries of switch s and destination d: they begin at
	// first[s*endPoints+d] and end where those of the next pair begin.
	first []uint32
}

// Entry is a line of a General: packets to end point Dst that come into a
// switch by port In on virtual channel InVC leave by port Out on OutVC.
type Entry struct {
	Switch, Dst, In, Out int32
	InVC, OutVC          uint8
}

func (e Entry) compare(f Entry) int {
	return cmp.Or(cmp.Compare(e.Switch, f.Switch), cmp.Compare(e.Dst, f.Dst),
		cmp.Compare(e.In, f.In), cmp.Compare(e.InVC, f.InVC))
}

// Entries returns all entries, in order of switch, destination, input port and
// input virtual channel. The caller must not change them.
func (t *General) Entries() []Entry { return t.entries }

// NewGeneral converts routes into the general form. It fails, naming the first conflict, if
// two paths to one destination enter a switch by the same port and virtual channel and leave it
// differently. Pairs without a path get no entries.
func NewGeneral(r *routing.Routes) (*General, error) {
	t := &General{Algorithm: r.Algorithm, Net: r.Net, VCs: r.VCs, Initial: initialVCs(r)}
	for dst := range r.Net.EndPoints {
		if err := t.addDestination(r, dst); err != nil {
			return nil, err
		}
	}
	t.index()
	return t, nil
}

// addDestination adds the entries for one destination.
func (t *General) addDestination(r *routing.Routes, dst int) error {
	type maker struct {
		passage
		src int
	}
	made := make(map[place]maker)
	var err error
	for src := range r.Net.EndPoints {
		id := r.PathID(src, dst)
		if src == dst || id < 0 {
			continue
		}
		steps(r, src, dst, func(p passage) {
			at := place{topology.Port{Switch: p.sw, Number: p.in}, p.inVC}
			first, ok := made[at]
			if !ok {
				made[at] = maker{p, src}
				t.entries = append(t.entries, Entry{int32(p.sw), int32(dst), int32(p.in), int32(p.out), uint8(p.inVC), uint8(p.outVC)})
			} else if first.passage != p && err == nil {
				err = fmt.Errorf("general table of %s: switch %s, input port %d, virtual channel %d, destination %s: "+
					"the path from %s leaves by port %d on virtual channel %d, that from %s by port %d on %d",
					r.Algorithm, r.Net.SwitchName(p.sw), p.in, p.inVC, r.Net.EndPointName(dst),
					r.Net.EndPointName(first.src), first.out, first.outVC, r.Net.EndPointName(src), p.out, p.outVC)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// index sorts the entries and prepares the search for them.
func (t *General) index() {
	slices.SortFunc(t.entries, Entry.compare)
	eps := len(t.Net.EndPoints)
	t.first = make([]uint32, len(t.Net.Switches)*eps+1)
	for _, e := range t.entries {
		t.first[int(e.Switch)*eps+int(e.Dst)+1]++
	}
	for i := range len(t.first) - 1 {
		t.first[i+1] += t.first[i]
	}
}

// Routes follows the table between all end points. Pairs whose packets do not
// arrive are left without a path, and the proof of the routes says why.
func (t *General) Routes() (*routing.Routes, error) { return walk(t.Algorithm, t.Net, t.VCs, t) }

func (t *General) inject(src, dst int) int { return t.Initial.At(src, dst) }

func (t *General) perSource(int) bool { return true }

func (t *General) forward(_, dst int, in topology.Port, inVC int) (out, outVC int) {
	i := in.Switch*len(t.Net.EndPoints) + dst
	for _, e := range t.entries[t.first[i]:t.first[i+1]] {
		if int(e.In) == in.Number && int(e.InVC) == inVC {
			return int(e.Out), int(e.OutVC)
		}
	}
	return noEntry, 0
}
