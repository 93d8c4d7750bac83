package tables

import (
	"fmt"
	"slices"

	"musubi/routing/nexthop"
	"musubi/topology"
)

// adaptiveRules are what switches do with packets. A heading is a LID and a service level.
type adaptiveRules struct {
	t        *Adaptive
	channel  [][]int32 // by switch and port: the channel that leaves by it, or -1 - end point, or noLink
	headings []levelledLID
	entries  [][]nexthop.Entry
	lanes    int
}

// levelledLID is a LID of an end point and the service level of packets to it.
type levelledLID struct {
	lid      uint16
	level    uint8
	endPoint int32
}

const noLink = -1 << 31

// Rules returns what the tables let switches do, once service levels and lanes have been read.
func (t *Adaptive) Rules() nexthop.Rules {
	r := &adaptiveRules{t: t, lanes: t.VLs(), channel: make([][]int32, len(t.Net.Switches))}
	for s := range t.Net.Switches {
		list := make([]int32, t.Net.Switches[s].Ports+1)
		for p := range list {
			list[p] = noLink
		}
		for _, c := range t.Net.Out(s) {
			list[t.Net.From(int(c)).Number] = c
		}
		for _, e := range t.Net.EndPointsAt(s) {
			list[t.Net.EndPoints[e].At.Number] = -1 - e
		}
		r.channel[s] = list
	}
	shared := make([][][]nexthop.Entry, len(t.Levels))
	for e := range t.Net.EndPoints {
		for i, lid := range t.Addresses.LIDs(e) {
			r.addLID(lid, e, &shared[i%len(t.Levels)], t.levels(i))
		}
	}
	return r
}

// addLID adds the headings of a LID: one for each service level that packets to it have. If the levels
// do not depend on the destination, all share their entries.
func (r *adaptiveRules) addLID(lid uint16, e int, shared *[][]nexthop.Entry, levels PairTable) {
	entries := *shared
	if entries == nil {
		entries = r.entriesTo(e, levels)
		if !slices.ContainsFunc(levels, func(row []uint8) bool { return len(row) > 1 }) {
			*shared = entries
		}
	}
	for sl, list := range entries {
		if len(list) > 0 {
			r.headings = append(r.headings, levelledLID{lid, uint8(sl), int32(e)})
			r.entries = append(r.entries, list)
		}
	}
}

// entriesTo returns by service level where packets to an end point enter: one entry for the end points of
// a switch, unless lanes depend on the port.
func (r *adaptiveRules) entriesTo(dst int, levels PairTable) [][]nexthop.Entry {
	entries := make([][]nexthop.Entry, numSLs)
	for s := range r.t.Net.Switches {
		var of [numSLs]int // 1 + index of the entry of this switch
		for _, e := range r.t.Net.EndPointsAt(s) {
			sl := levels.At(int(e), dst)
			if i := of[sl]; i > 0 && r.t.Lanes == nil {
				entries[sl][i-1].EndPoints = append(entries[sl][i-1].EndPoints, e)
				continue
			}
			entries[sl] = append(entries[sl], nexthop.Entry{Switch: s, Port: r.t.Net.EndPoints[e].At.Number, EndPoints: []int32{e}})
			of[sl] = len(entries[sl])
		}
	}
	return entries
}

func (r *adaptiveRules) Network() *topology.Network      { return r.t.Net }
func (r *adaptiveRules) Lanes() int                      { return r.lanes }
func (r *adaptiveRules) LaneName(lane int) string        { return fmt.Sprintf("VL %d", lane) }
func (r *adaptiveRules) Lossless(channel, lane int) bool { return true }
func (r *adaptiveRules) Headings() int                   { return len(r.headings) }

func (r *adaptiveRules) HeadingName(h int32) string {
	d := r.headings[h]
	name := r.t.Net.EndPointName(int(d.endPoint))
	if len(r.t.Addresses.LIDs(int(d.endPoint))) > 1 {
		name += fmt.Sprintf(" (LID %d)", d.lid)
	}
	return name
}

func (r *adaptiveRules) Targets(h int32) []int32 { return []int32{r.headings[h].endPoint} }

func (r *adaptiveRules) Entries(h int32) []nexthop.Entry { return r.entries[h] }

func (r *adaptiveRules) Uniform(int, int, int32) bool { return r.t.Lanes == nil }

func (r *adaptiveRules) Next(steps []nexthop.Step, sw, port, _ int, h int32) []nexthop.Step {
	d := r.headings[h]
	row := r.t.ports[sw]
	if int(d.lid) >= len(row) || row[d.lid] == 0 {
		return append(steps, nexthop.NoEntry.Step())
	}
	for _, out := range r.t.sets[row[d.lid]] {
		switch c := r.channel[sw][out]; {
		case c == -1-d.endPoint:
			steps = append(steps, nexthop.Delivered.Step())
		case c == noLink:
			steps = append(steps, nexthop.NoLink.Step())
		case c < 0:
			steps = append(steps, nexthop.WrongEndPoint.Step())
		default:
			lane := r.t.Lane(sw, port, int(out), int(d.level))
			if lane >= maxDataVLs { // no such lane for data
				steps = append(steps, nexthop.Dropped.Step())
				continue
			}
			steps = append(steps, nexthop.Step{Channel: c, Heading: h, Lane: uint8(lane)})
		}
	}
	return steps
}
