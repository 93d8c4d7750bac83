package main

import (
	"musubi"
	"musubi/report"
	"musubi/workload"
)

// runObject is a result as JSON. All but simulation.wall_seconds is the same
// whenever and wherever a scenario is run.
func runObject(r *musubi.Result) report.Object {
	rows := make([]report.Object, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = rowObject(row)
	}
	return report.Object{
		{Name: "workload", Value: r.Workload},
		{Name: "machine", Value: r.Machine},
		{Name: "ranks", Value: r.Ranks},
		{Name: "topology", Value: orNull(r.Topology)},
		{Name: "routing", Value: orNull(r.Routing)},
		{Name: "rows", Value: rows},
		{Name: "simulation", Value: simulationObject(r.Simulation)},
	}
}

func simulationObject(s musubi.Simulation) report.Object {
	return report.Object{
		{Name: "time_us", Value: s.Time.Microseconds()},
		{Name: "events", Value: s.Events},
		{Name: "packets", Value: s.Packets},
		{Name: "packet_hops", Value: s.PacketHops},
		{Name: "delivered", Value: s.Delivered},
		{Name: "wall_seconds", Value: s.Wall.Seconds()},
	}
}

func rowObject(row workload.Row) report.Object {
	o := report.Object{{Name: "metric", Value: row.Metric}, {Name: "unit", Value: row.Unit}}
	if row.Bytes != 0 {
		o = append(o, report.Field{Name: "bytes", Value: row.Bytes})
	}
	for _, l := range row.Labels {
		o = append(o, report.Field{Name: l.Name, Value: l.Value})
	}
	return append(o, report.Field{Name: "value", Value: row.Value})
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
