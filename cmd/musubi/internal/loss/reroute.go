package loss

import (
	"errors"
	"fmt"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/option"
	"musubi/report/files"
	"musubi/routing/change"
	"musubi/routing/tables"
	"musubi/sim/machine"
	"musubi/topology"

	"github.com/spf13/cobra"
)

// tableFlags name the tables that a fabric has.
type tableFlags struct {
	Previous string `name:"previous" value:"file" help:"forwarding tables that the fabric has, as in opensm-lfts.dump, or the directory that route --export infiniband wrote"`
	Levels   string `name:"sl" value:"file" help:"their service levels; in a directory, path-sl.txt"`
	Lanes    string `name:"sl2vl" value:"file" help:"their virtual lanes; in a directory, opensm-sl2vl.dump"`
}

// read reads the tables.
func (f *tableFlags) read(net *topology.Network) (*change.Forwarding, error) {
	t, err := open.ReadInfiniBand(net, open.TableFiles{Forwarding: f.Previous, Levels: f.Levels, Lanes: f.Lanes})
	if err != nil {
		return nil, err
	}
	return change.Read(t), nil
}

type rerouteFlags struct {
	scenario musubi.Scenario
	tables   tableFlags

	Without []string `name:"without" value:"what" help:"a switch that is gone, or, as s3[2], the link at a port of one; may be repeated"`
	Planned bool     `name:"planned" help:"what --without names goes only after the change, and carries packets until then"`
	Next    string   `name:"next" value:"file" help:"prove the transition to these tables instead of computing new ones; a file or directory as with --previous"`
	VLs     int      `name:"vls" help:"virtual lanes for data that switches have, for remedies"`
	Output  string   `name:"output" value:"directory" help:"write the new tables as route --export infiniband does"`
}

// usualVLs is how many virtual lanes for data most switches have.
const usualVLs = 8

// Reroute is the subcommand reroute.
func Reroute() *cobra.Command {
	f := rerouteFlags{scenario: musubi.Usual(), VLs: usualVLs}
	cmd := &cobra.Command{
		Use:   "reroute --topology FILE --previous TABLES [--without LINK|SWITCH]...",
		Short: "Repair forwarding tables with few changes, and prove the transition",
		Long: `Reroute takes the forwarding tables of a fabric that has lost links or switches, and
finds new entries where the old ones lead to what is gone. Entries that still work stay.
The new tables are proved free of deadlock.

While switches change one after the other, packets meet old entries at some switches and
new ones at others, and sources keep service levels from before for a while. Reroute
proves that no mix of these can deadlock. If one can, it looks for an order of updates in
which none does, and says which traffic needs a virtual lane of its own, or has to stop,
so that any order is safe.

Entries that lead to ports without a link count as entries to what is gone. So
--topology can also be a dump from after the loss of a link.

Exit status 1: the new tables leave pairs without a path or can deadlock, or the switches
must not change in any order.`,
		Example: `  musubi reroute --topology fabric.ibnetdiscover --previous opensm-lfts.dump \
      --without 'leaf3[31]' --output new/
  musubi reroute --topology fabric.ibnetdiscover --previous old/ --next new/`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	own := append(option.Of(&f.tables), option.Of(&f)...)
	cli.DefineOptions(cmd, append(option.Named(f.scenario.Options(), "topology", "part", "hosts", "seed"), own...))
	return cmd
}

func (f *rerouteFlags) run(cmd *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	net, err := open.Network(f.scenario, new(machine.Machine))
	if err != nil {
		return err
	}
	loss := topology.NewLoss()
	for _, text := range f.Without {
		if err := net.FindLoss(text, loss); err != nil {
			return fmt.Errorf("--without %s: %w", text, err)
		}
	}
	old, err := f.tables.read(net)
	if err != nil {
		return err
	}
	r, err := f.reroute(old, loss)
	if err != nil {
		return err
	}
	passing := loss // what packets cannot pass during the transition
	if f.Planned {
		passing = topology.NewLoss()
	}
	a, err := assess(f, r, change.Prove(r.Old, r.New, passing))
	if err != nil {
		return err
	}
	s := cli.SharedFlags(cmd)
	if err := a.print(s); err != nil {
		return err
	}
	if f.Output != "" {
		if err := f.write(s, a.tables); err != nil {
			return err
		}
	}
	return cli.Answer(a.ok())
}

// check refuses flags that do not go together.
func (f *rerouteFlags) check() error {
	switch {
	case f.scenario.Topology == "":
		return errors.New("no network given; expected --topology with a file, or a name such as torus:4x4")
	case f.tables.Previous == "":
		return errors.New("no tables given; expected --previous with the tables that the fabric has")
	case f.Planned && len(f.Without) == 0:
		return errors.New("--planned without --without; expected what is to go")
	case f.Next != "" && f.Output != "":
		return errors.New("--output writes tables that are computed; expected it without --next")
	case f.VLs < 1 || f.VLs > 15:
		return fmt.Errorf("--vls %d; expected 1 to 15", f.VLs)
	case f.Output != "":
		return open.CheckTables(f.Output)
	}
	return nil
}

// reroute finds the new tables, or reads them.
func (f *rerouteFlags) reroute(old *change.Forwarding, loss topology.Loss) (*change.Result, error) {
	if f.Next == "" {
		return change.Reroute(old, loss), nil
	}
	next := tableFlags{Previous: f.Next}
	to, err := next.read(old.Net)
	if err != nil {
		return nil, err
	}
	return change.Compare(old, to, loss)
}

func (f *rerouteFlags) write(s cli.Shared, t *tables.InfiniBand) error {
	var staged files.Stage
	defer staged.Discard()
	if err := open.StageTables(s, &staged, t.Files(), f.Output); err != nil {
		return err
	}
	return staged.Commit()
}
