package change

import (
	"fmt"

	"musubi/routing"
	"musubi/routing/tables"
	"musubi/topology"
)

// Rerouter repairs routes after losses, as Reroute does tables. It starts from the same routes each
// time, so that what heals is used again.
type Rerouter struct {
	routes *routing.Routes
	fits   func(*routing.Routes) error
	tables []*Forwarding // the routes as tables, if they can be; then Up*/Down*
	err    error         // why there are none
}

// NewRerouter prepares for repairs of routes that switches can hold if fits returns nil.
func NewRerouter(r *routing.Routes, fits func(*routing.Routes) error) *Rerouter {
	return &Rerouter{routes: r, fits: fits}
}

// After returns routes after a loss, on the network with what is gone. They have a path for all pairs
// of end points that are left and joined, and none for others.
//
// Routes that do not fit into tables by destination cannot be repaired. Then all pairs take repaired
// Up*/Down* routes on one virtual channel, and likewise if the repaired tables need more than the
// switches have.
func (r *Rerouter) After(loss topology.Loss) (*routing.Routes, error) {
	if len(loss.Links) == 0 && len(loss.Switches) == 0 {
		return r.routes, nil
	}
	if r.tables == nil && r.err == nil {
		r.prepare()
	}
	err := r.err
	for _, f := range r.tables {
		var routes *routing.Routes
		if routes, err = r.repaired(f, loss); err == nil {
			return routes, nil
		}
	}
	return nil, err
}

// prepare makes the tables.
func (r *Rerouter) prepare() {
	if own, err := tables.NewInfiniBand(r.routes); err == nil {
		r.tables = append(r.tables, Read(own))
	}
	spare, err := upDown(r.routes.Net)
	if err != nil {
		r.err = err
		return
	}
	r.tables = append(r.tables, Read(spare))
}

// repaired repairs tables. It fails if that leaves pairs without a path, or the switches cannot hold
// what comes out.
func (r *Rerouter) repaired(f *Forwarding, loss topology.Loss) (*routing.Routes, error) {
	result := Reroute(f, loss)
	if len(result.Stuck) > 0 {
		return nil, fmt.Errorf("no routes after a loss: switch %s has no way to %s", f.Net.SwitchName(result.Stuck[0].Switch), f.Name(result.Stuck[0].Destination))
	}
	left, err := result.Tables()
	if err != nil {
		return nil, err
	}
	all, err := left.Routes()
	if err != nil {
		return nil, err
	}
	if err := r.fits(all[0]); err != nil {
		return nil, err
	}
	return expand(all[0], f.Net, loss)
}

// expand returns routes of what a loss leaves as routes of the whole network.
func expand(r *routing.Routes, net *topology.Network, loss topology.Loss) (*routing.Routes, error) {
	b, err := routing.NewBuilder(r.Algorithm, net, r.VCs)
	if err != nil {
		return nil, err
	}
	_, rest, err := net.Without(loss)
	if err != nil {
		return nil, err
	}
	channels := channelsByPort(net)
	moved := func(h routing.Hop) routing.Hop {
		at := r.Net.From(h.Channel())
		return routing.MakeHop(int(channels[rest.Switches[at.Switch]][at.Number]), h.VC())
	}
	for i, src := range rest.Switches {
		for j, dst := range rest.Switches {
			addPaths(b, r, [2]int{i, j}, [2]int{src, dst}, moved)
		}
	}
	return b.Routes(), b.Check()
}

// addPaths adds the paths between two switches of what is left, which have other numbers in the whole
// network.
func addPaths(b *routing.Builder, r *routing.Routes, from, to [2]int, moved func(routing.Hop) routing.Hop) {
	paths := make(map[[2]int]int)
	rows, cols := 0, 0
	r.SwitchPaths(from[0], from[1], func(i, j, m, n, id int) {
		rows, cols = m, n
		paths[[2]int{i, j}] = id
	})
	if rows == 0 {
		return
	}
	b.Variants(to[0], to[1], rows, cols)
	for i := range rows {
		for j := range cols {
			id, known := paths[[2]int{i, j}]
			if !known {
				b.AddHole()
				continue
			}
			var path routing.Path
			for _, hop := range r.PathByID(id) {
				path = append(path, moved(hop))
			}
			vc, _ := r.HostVCs(id)
			b.Add(path, vc)
		}
	}
}
