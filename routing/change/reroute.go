package change

import (
	"fmt"
	"slices"

	"musubi/routing"
	"musubi/routing/tables"
	"musubi/topology"
)

// Result is new tables after a loss.
type Result struct {
	Outcome
	Old, New *Forwarding
	Loss     topology.Loss
	// Entries is the number of entries to end points in the old tables, Changed how many of them
	// lead elsewhere, Added how many there were none of. Entries of switches that are gone, and those
	// to end points that are gone, do not count.
	Entries, Changed, Added int
	// Anew says that no repair was found, so that all entries come from a routing of what is left.
	Anew bool
	// NotAnew says why there is no such routing either, where one was needed: Stuck is left without.
	NotAnew error
}

// Reroute finds new entries where those of f lead to what is gone. Where none can be added to those
// that still work without a deadlock, it replaces all of them by Up*/Down* routing of what is left,
// on service level 0.
func Reroute(f *Forwarding, loss topology.Loss) *Result {
	r := NewRepairer(f)
	r.Thorough = true
	res := &Result{Outcome: r.Repair(loss), Old: f, Loss: loss}
	res.New = f.with(res.Outcome)
	if len(res.Stuck) > 0 && !r.Cyclic {
		res.again()
	}
	if len(res.Stuck) > 0 && !r.Cyclic {
		res.regrow()
	}
	if len(res.Stuck) > 0 || r.Cyclic {
		res.NotAnew = res.anew()
	}
	res.compare()
	return res
}

// Compare is a Result whose new tables come from elsewhere. It fails if they do not have the same
// LIDs as the old ones.
func Compare(old, new *Forwarding, loss topology.Loss) (*Result, error) {
	for i, d := range old.Destinations {
		if i >= len(new.Destinations) || new.Destinations[i] != d {
			return nil, fmt.Errorf("LID %d of %s is not that of the same port in the new tables; expected tables with the same LIDs", d.LID, old.Name(i))
		}
	}
	if extra := len(new.Destinations) - len(old.Destinations); extra > 0 {
		return nil, fmt.Errorf("the new tables have %d more LIDs; expected tables with the same LIDs", extra)
	}
	r := &Result{Old: old, New: new, Loss: loss}
	repair := NewRepairer(old)
	repair.Thorough = true
	r.Outcome = repair.Repair(loss)
	r.Stuck = nil
	r.compare()
	return r, nil
}

// Name is the readable name of a destination.
func (f *Forwarding) Name(d int) string {
	if e := f.Destinations[d].EndPoint; e >= 0 {
		return f.Net.EndPointName(e)
	}
	return "switch " + f.Net.SwitchName(f.Destinations[d].Switch)
}

// with returns a copy with the changes of an outcome.
func (f *Forwarding) with(o Outcome) *Forwarding {
	c := f.clone()
	for _, x := range o.Changes {
		c.next[x.Destination][x.Switch] = x.To
	}
	c.Tables = c.write(f)
	for _, m := range o.Moves {
		to := f.Destinations[m.Destination]
		for _, e := range f.Net.EndPointsAt(m.Switch) {
			if int(e) != to.EndPoint && f.Tables.Level(int(e), to.EndPoint, to.plane) == m.From {
				c.Tables.SetLevel(int(e), to.EndPoint, to.plane, m.To)
			}
		}
	}
	c.lane = newLanes(c.Tables)
	return c
}

// again looks for the entries that are still missing without regard to packets under way with old
// ones.
func (r *Result) again() {
	second := secondRepairer(r.New, r.New, r.Loss)
	o := second.Repair(r.Loss)
	r.New = r.New.with(o)
	r.Stuck, r.Unordered = o.Stuck, true
	r.Moves = append(r.Moves, o.Moves...)
}

// secondRepairer repairs f, whose packets are all that count as far as they follow kept.
func secondRepairer(f, kept *Forwarding, loss topology.Loss) *Repairer {
	g := newGrower(f)
	g.transit = false
	g.graph, _ = graphOf(kept, loss)
	r := &Repairer{f: f, grower: g, load: Load(kept, loss), Thorough: true, noted: make([]int32, len(f.Net.Switches))}
	r.complete(loss)
	return r
}

// regrow finds all entries anew to the destinations for which some are still missing.
func (r *Result) regrow() {
	torn := make(map[int]bool)
	for _, c := range r.Stuck {
		torn[c.Destination] = true
	}
	rest := r.New.clone()
	for d := range torn {
		for s, c := range rest.next[d] {
			if c != deliver {
				rest.next[d][s] = nowhere
			}
		}
	}
	second := secondRepairer(r.New, rest, r.Loss)
	second.all = torn
	o := second.Repair(r.Loss)
	r.New = r.New.with(o)
	r.Stuck, r.Unordered = o.Stuck, true
	r.Moves = append(r.Moves, o.Moves...)
}

// anew replaces all entries, in each part of the network that is left.
func (r *Result) anew() error {
	c := r.Old.clone()
	part := parts(c.Net, r.Loss)
	done := make(map[int]bool)
	for s := range c.Net.Switches {
		if p := part[s]; !r.Loss.Switches[s] && !done[p] {
			done[p] = true
			if err := r.anewIn(c, part, p); err != nil {
				return err
			}
		}
	}
	c.Tables = c.write(r.Old)
	c.Tables.Levels = []tables.PairTable{tables.NewPairTable(len(c.Net.EndPoints))}
	c.lane = newLanes(c.Tables)
	r.New, r.Anew, r.Stuck, r.Moves = c, true, nil, nil
	return nil
}

// anewIn sets the entries within a part.
func (r *Result) anewIn(c *Forwarding, part []int, p int) error {
	others := topology.Loss{Switches: make(map[int]bool), Links: r.Loss.Links}
	for s := range part {
		others.Switches[s] = part[s] != p || r.Loss.Switches[s]
	}
	net, rest, err := r.Old.Tables.Addresses.Network().Without(others)
	if err != nil || len(net.EndPoints) == 0 {
		return err
	}
	t, err := upDown(net)
	if err != nil {
		return err
	}
	channel := channelsByPort(c.Net)
	first := make(map[Destination]uint16) // the first LID of each port, which the routing has for all of them
	for d, to := range c.Destinations {
		if others.Switches[to.Switch] {
			continue
		}
		port := Destination{EndPoint: to.EndPoint, Switch: to.Switch}
		if first[port] == 0 {
			first[port] = to.LID
		}
		for i, s := range rest.Switches {
			switch port, ok := t.Port(i, first[port]); {
			case !ok:
				c.next[d][s] = nowhere
			case s == to.Switch:
				c.next[d][s] = deliver
			default:
				c.next[d][s] = channel[s][port]
			}
		}
	}
	return nil
}

// upDown routes a network.
func upDown(net *topology.Network) (*tables.InfiniBand, error) {
	a, err := routing.Lookup("updown")
	if err != nil {
		return nil, err
	}
	routes, err := a.Build(net, routing.Options{DestinationOnly: true})
	if err != nil {
		return nil, err
	}
	return tables.NewInfiniBand(routes)
}

// compare lists the entries that differ.
func (r *Result) compare() {
	r.Changes = r.Changes[:0]
	r.Entries, r.Changed, r.Added = 0, 0, 0
	for d, to := range r.Old.Destinations {
		if r.Loss.Switches[to.Switch] {
			continue
		}
		for s, c := range r.Old.next[d] {
			if r.Loss.Switches[s] {
				continue
			}
			now := r.New.next[d][s]
			if now != c {
				r.Changes = append(r.Changes, Change{d, s, c, now})
			}
			switch {
			case to.EndPoint < 0:
			case c == nowhere && now != c:
				r.Added++
			case c != nowhere:
				r.Entries++
				if now != c {
					r.Changed++
				}
			}
		}
	}
	slices.SortStableFunc(r.Changes, func(a, b Change) int { return a.Switch - b.Switch })
}

// Tables returns the new tables, on the network that is left.
func (r *Result) Tables() (*tables.InfiniBand, error) { return r.New.Tables.Without(r.Loss) }

// Ports returns the output ports of a change, -1 for none.
func (r *Result) Ports(c Change) (from, to int) {
	return r.Old.port(c.Destination, c.Switch), r.New.port(c.Destination, c.Switch)
}
