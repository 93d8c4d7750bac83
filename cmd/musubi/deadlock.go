package main

import (
	"fmt"
	"musubi"
	"musubi/report/ordered"
	"musubi/sim/fabric"
)

// reportDeadlock tells what a simulated network has come to. It returns errNo,
// unless that cannot be written.
func reportDeadlock(s shared, system *musubi.System, d *fabric.Deadlock) error {
	fmt.Fprintln(s.stderr, "musubi:", d)
	print := func() error { return printDeadlock(s.stdout, d) }
	if s.json {
		print = func() error { return ordered.WriteJSON(s.stdout, deadlockObject(system, d)) }
	}
	if err := print(); err != nil {
		return err
	}
	return errNo
}

// fullChannel is a channel of a deadlock in JSON, with the packets that its
// buffer holds.
type fullChannel struct {
	cycleChannel
	Packets int `json:"packets"`
}

// deadlockObject is a run that has come to a deadlock as JSON. It has no rows.
func deadlockObject(system *musubi.System, d *fabric.Deadlock) ordered.Object {
	cycle := make([]fullChannel, len(d.Cycle))
	for i, h := range d.Cycle {
		cycle[i] = fullChannel{newCycleChannel(d.Net, h.Channel, h.VC), h.Packets}
	}
	return ordered.Object{
		{Name: "workload", Value: system.Scenario.Workload},
		{Name: "machine", Value: system.Machine.Name},
		{Name: "ranks", Value: len(system.Hosts)},
		{Name: "topology", Value: system.Net.Name},
		{Name: "routing", Value: system.Routes.Algorithm},
		{Name: "rows", Value: []ordered.Object{}},
		{Name: "deadlock", Value: ordered.Object{
			{Name: "time_us", Value: d.At.Microseconds()},
			{Name: "packets", Value: d.Packets},
			{Name: "cycle", Value: cycle},
		}},
	}
}
