package main

import (
	"musubi"
	"musubi/report"
	"musubi/sim/fabric"
	"musubi/workload"
)

// runObject is a result as JSON. Of a simulation, all but simulation.wall_seconds is
// the same whenever and wherever a scenario is run.
func runObject(r *musubi.Result) report.Object {
	rows := make([]report.Object, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = rowObject(row)
	}
	o := report.Object{
		{Name: "workload", Value: r.Workload},
		{Name: "machine", Value: r.Machine},
		{Name: "ranks", Value: r.Ranks},
		{Name: "topology", Value: orNull(r.Topology)},
		{Name: "routing", Value: orNull(r.Routing)},
		{Name: "rows", Value: rows},
	}
	if r.Live {
		return o
	}
	return append(o, report.Field{Name: "simulation", Value: simulationObject(r.Simulation)})
}

// fullChannel is a channel of a deadlock in JSON, with the packets that its
// buffer holds.
type fullChannel struct {
	cycleChannel
	Packets int `json:"packets"`
}

// deadlockObject is a run that has come to a deadlock as JSON. It has no rows.
func deadlockObject(system *musubi.System, d *fabric.Deadlock) report.Object {
	cycle := make([]fullChannel, len(d.Cycle))
	for i, h := range d.Cycle {
		cycle[i] = fullChannel{newCycleChannel(d.Net, h.Channel, h.VC), h.Packets}
	}
	return report.Object{
		{Name: "workload", Value: system.Scenario.Workload},
		{Name: "machine", Value: system.Machine.Name},
		{Name: "ranks", Value: len(system.Hosts)},
		{Name: "topology", Value: system.Net.Name},
		{Name: "routing", Value: system.Routes.Algorithm},
		{Name: "rows", Value: []report.Object{}},
		{Name: "deadlock", Value: report.Object{
			{Name: "time_us", Value: d.At.Microseconds()},
			{Name: "packets", Value: d.Packets},
			{Name: "cycle", Value: cycle},
		}},
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
	if row.HasSize() {
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
