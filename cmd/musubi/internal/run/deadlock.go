package run

import (
	"fmt"
	"io"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/report/ordered"
	"musubi/sim/fabric"
)

// reportDeadlock tells what a simulated network has come to. It returns errNo,
// unless that cannot be written.
func reportDeadlock(s cli.Shared, system *musubi.System, d *fabric.Deadlock) error {
	fmt.Fprintln(s.Stderr, "musubi:", d)
	print := func() error { return printDeadlock(s.Stdout, d) }
	if s.JSON {
		print = func() error { return ordered.WriteJSON(s.Stdout, deadlockObject(system, d)) }
	}
	if err := print(); err != nil {
		return err
	}
	return cli.ErrNo
}

// fullChannel is a channel of a deadlock in JSON, with the packets that its
// buffer holds.
type fullChannel struct {
	show.CycleChannel
	Packets int `json:"packets"`
}

// deadlockObject is a run that has come to a deadlock as JSON. It has no rows.
func deadlockObject(system *musubi.System, d *fabric.Deadlock) ordered.Object {
	cycle := make([]fullChannel, len(d.Cycle))
	for i, h := range d.Cycle {
		cycle[i] = fullChannel{show.NewCycleChannel(d.Net, h.Channel, h.VC), h.Packets}
	}
	return ordered.Object{
		{Name: "workload", Value: system.Scenario.Workload},
		{Name: "machine", Value: system.Machine.Name},
		{Name: "ranks", Value: len(system.Hosts)},
		{Name: "topology", Value: system.Net.Name},
		{Name: "routing", Value: system.RoutingName()},
		{Name: "rows", Value: []ordered.Object{}},
		{Name: "deadlock", Value: ordered.Object{
			{Name: "time_us", Value: d.At.Microseconds()},
			{Name: "packets", Value: d.Packets},
			{Name: "cycle", Value: cycle},
		}},
	}
}

// printDeadlock prints the cycle that a simulated network has come to.
func printDeadlock(w io.Writer, d *fabric.Deadlock) error {
	if len(d.Cycle) == 0 {
		return nil
	}
	fmt.Fprintf(w, "The buffers of these %d channels are full, each waiting for room in the next:\n\n", len(d.Cycle))
	for _, h := range d.Cycle[:min(len(d.Cycle), show.MaxShown)] {
		from, to := d.Net.From(h.Channel), d.Net.To(h.Channel)
		fmt.Fprintf(w, "  %s[%d] -> %s[%d] VC %d\n", d.Net.SwitchName(from.Switch), from.Number, d.Net.SwitchName(to.Switch), to.Number, h.VC)
		fmt.Fprintf(w, "      %s, the first from %s to %s\n", cli.Plural(h.Packets, "packet", "packets"), d.Net.EndPointName(h.Src), d.Net.EndPointName(h.Dst))
	}
	if hidden := len(d.Cycle) - show.MaxShown; hidden > 0 {
		fmt.Fprintf(w, "  and %d more\n", hidden)
	}
	return nil
}
