package musubi

import (
	"musubi/report/ordered"
	"musubi/workload"
)

// MarshalJSON returns the result as an object that keeps the order of its fields. Of a
// simulation, all but simulation.wall_seconds is the same whenever and wherever a scenario is
// run.
func (r *Result) MarshalJSON() ([]byte, error) {
	rows := make([]ordered.Object, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = rowObject(row)
	}
	o := ordered.Object{
		{Name: "workload", Value: ordered.OrNull(r.Workload)},
		{Name: "machine", Value: r.Machine},
		{Name: "ranks", Value: r.Ranks},
		{Name: "topology", Value: ordered.OrNull(r.Topology)},
		{Name: "routing", Value: ordered.OrNull(r.Routing)},
	}
	if r.Engine != nil {
		o = append(o, r.Engine.field())
	}
	o = append(o, ordered.Field{Name: "rows", Value: rows})
	if !r.Live {
		links := make([]ordered.Object, len(r.Links))
		for i := range r.Links {
			links[i] = r.Links[i].object()
		}
		o = append(o, ordered.Field{Name: "links", Value: links}, ordered.Field{Name: "simulation", Value: r.Simulation.object()})
	}
	return o.MarshalJSON()
}

func (s *Simulation) object() ordered.Object {
	o := ordered.Object{
		{Name: "time_us", Value: s.Time.Microseconds()},
		{Name: "events", Value: s.Events},
		{Name: "packets", Value: s.Packets},
		{Name: "packet_hops", Value: s.PacketHops},
		{Name: "delivered", Value: s.Delivered},
	}
	if s.Wall > 0 { // sweeps leave it out, as it differs between equal runs
		o = append(o, ordered.Field{Name: "wall_seconds", Value: s.Wall.Seconds()})
	}
	if s.WithoutBytes {
		o = append(o, ordered.Field{Name: "payload", Value: payloadNone})
	}
	return o
}

// object names the switch port that the link leaves by, unless it leaves an end point.
func (l *LinkUse) object() ordered.Object {
	o := ordered.Object{{Name: "from", Value: l.From}}
	if l.Port > 0 {
		o = append(o, ordered.Field{Name: "port", Value: l.Port})
	}
	o = append(o, ordered.Field{Name: "to", Value: l.To})
	for _, label := range l.Labels {
		o = append(o, ordered.Field{Name: label.Name, Value: label.Value})
	}
	return append(o, ordered.Field{Name: "utilisation", Value: l.Utilisation})
}

func rowObject(row workload.Row) ordered.Object {
	o := ordered.Object{{Name: "metric", Value: row.Metric}, {Name: "unit", Value: row.Unit}}
	if row.HasSize() {
		o = append(o, ordered.Field{Name: "bytes", Value: row.Bytes})
	}
	for _, l := range row.Labels {
		o = append(o, ordered.Field{Name: l.Name, Value: l.Value})
	}
	return append(o, ordered.Field{Name: "value", Value: row.Value})
}
