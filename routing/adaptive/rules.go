package adaptive

import (
	"fmt"

	"musubi/routing/nexthop"
	"musubi/topology"
)

// Rules returns the moves of a scheme as rules, to be proved. A heading is a switch with end points
// and a state; packets enter with state Entering.
func Rules(s Scheme) nexthop.Rules {
	r := &rules{Scheme: s, net: s.Network()}
	for sw := range r.net.Switches {
		if len(r.net.EndPointsAt(sw)) > 0 {
			r.ends = append(r.ends, sw)
		}
	}
	for _, sw := range r.ends {
		at := r.net.EndPointsAt(sw)
		r.entries = append(r.entries, nexthop.Entry{Switch: sw, Port: r.net.EndPoints[at[0]].At.Number, EndPoints: at})
	}
	return r
}

// Prove proves a scheme: whatever packets choose, they arrive, and no deadlock is possible.
func Prove(s Scheme) *nexthop.Proof { return nexthop.Prove(Rules(s)) }

// rules are the moves of a scheme.
type rules struct {
	Scheme
	net     *topology.Network
	ends    []int // switches with end points
	entries []nexthop.Entry
}

// heading returns the number of the heading of a state and the i-th switch with end points. Those
// that packets enter with come first.
func (r *rules) heading(i int, state int32) int32 { return state*int32(len(r.ends)) + int32(i) }

// of returns the state and the number of the switch of a heading.
func (r *rules) of(heading int32) (i int, state int32) {
	n := int32(len(r.ends))
	return int(heading % n), heading / n
}

func (r *rules) Lanes() int                    { return r.VCs() }
func (r *rules) LaneName(lane int) string      { return fmt.Sprintf("VC %d", lane) }
func (r *rules) Lossless(int, int) bool        { return true }
func (r *rules) Headings() int                 { return len(r.ends) }
func (r *rules) Entries(int32) []nexthop.Entry { return r.entries }
func (r *rules) Uniform(int, int, int32) bool  { return true }
func (r *rules) EscapeLane(lane int) bool      { return r.Escape(lane) }
func (r *rules) Targets(heading int32) []int32 {
	i, _ := r.of(heading)
	return r.net.EndPointsAt(r.ends[i])
}

func (r *rules) HeadingName(heading int32) string {
	i, _ := r.of(heading)
	return r.net.SwitchName(r.ends[i])
}

func (r *rules) Next(steps []nexthop.Step, sw, _, _ int, heading int32) []nexthop.Step {
	i, state := r.of(heading)
	if sw == r.ends[i] {
		return append(steps, nexthop.Delivered.Step())
	}
	for _, m := range r.Moves(nil, sw, r.ends[i], state) {
		steps = append(steps, nexthop.Step{Channel: m.Channel, Heading: r.heading(i, m.State), Lane: m.VC})
	}
	return steps
}
