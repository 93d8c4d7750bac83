package plan

import (
	"context"
	"errors"
	"fmt"
	"io"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/option"
	"musubi/report/files"
	"musubi/report/ordered"
	"musubi/rings"
	"musubi/rma"
	"musubi/units"

	"github.com/spf13/cobra"
)

// Command is the subcommand plan.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Plan from recorded runs what a machine should be set to",
		Args:  cli.KnownSubcommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(planRingsCommand())
	return cmd
}

type planRingsFlags struct {
	From       string `name:"from" value:"file" help:"file that \"musubi run --record\" has written"`
	Budget     string `name:"budget" value:"size" help:"memory for the receive rings of each process, such as 64KiB or 4MiB"`
	Output     string `name:"output" value:"file" help:"write the rings to a file for \"musubi run --rings\""`
	NoSimulate bool   `name:"no-simulate" help:"predict stalls only, and do not run the recorded scenario again"`
}

func planRingsCommand() *cobra.Command {
	var f planRingsFlags
	cmd := &cobra.Command{
		Use:   "rings --from FILE --budget SIZE",
		Short: "Choose private and shared receive rings for a recorded run",
		Long: `Rings reads what "musubi run --record FILE" has recorded and divides the memory that
each process has for receive rings: private rings for the senders that gain most by
them, and one ring that all others share. It compares them with a private ring for
every rank, in the same memory: by the stalls that the recorded bursts predict, and
by running the recorded scenario with both.

The rings go to a file that "musubi run --rings FILE" takes, and people can edit.`,
		Example: `  musubi run nas --on dimmnet2 -n 8 --set kernel=mg --record mg.json
  musubi plan rings --from mg.json --budget 64KiB --output mg.toml
  musubi run nas --on dimmnet2 -n 8 --set kernel=mg --rings mg.toml`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), cli.SharedFlags(cmd)) },
	}
	cli.DefineOptions(cmd, option.Of(&f))
	return cmd
}

func (f *planRingsFlags) run(ctx context.Context, s cli.Shared) error {
	record, budget, err := f.read()
	if err != nil {
		return err
	}
	p := ringPlan{from: f.From, budget: budget, record: record, area: record.Area()}
	if err := p.make(); err != nil {
		return fmt.Errorf("%s: %w", f.From, err)
	}
	if !f.NoSimulate {
		if err := p.simulate(ctx, s); err != nil {
			return show.Refusal(s, fmt.Errorf("%s: %w", f.From, err))
		}
	}
	if f.Output != "" {
		if err := files.Write(f.Output, func(w io.Writer) error { return rings.Write(w, p.rings) }); err != nil {
			return err
		}
		s.Note("wrote %s", f.Output)
	}
	if s.JSON {
		return ordered.WriteJSON(s.Stdout, p.object())
	}
	return p.print(s.Stdout)
}

// read reads the record and the budget.
func (f *planRingsFlags) read() (record *rings.Record, budget units.Bytes, err error) {
	if f.From == "" || f.Budget == "" {
		return nil, 0, fmt.Errorf("no --from or no --budget given; expected --from FILE, which \"musubi run --record FILE\" writes, and --budget SIZE, such as 4MiB")
	}
	if err := files.NotOverwritten("--from", f.From, "--output", f.Output); err != nil {
		return nil, 0, err
	}
	if budget, err = units.ParseBytes(f.Budget); err != nil {
		return nil, 0, fmt.Errorf("--budget: %w", err)
	}
	if err := files.Check(f.Output); err != nil {
		return nil, 0, err
	}
	err = cli.WithFile(f.From, func(r io.Reader) error {
		record, err = rings.ReadRecord(r, f.From)
		return err
	})
	return record, budget, err
}

// ringPlan is a plan of receive rings, and what it is compared with.
type ringPlan struct {
	from    string // file of the record
	budget  units.Bytes
	record  *rings.Record
	area    rings.Area
	rings   []rma.Rings
	compare []ringChoice
}

// ringChoice is rings for all ranks, and what becomes of the recorded run with them.
type ringChoice struct {
	name      string
	rings     []rma.Rings    // nil if they cannot be
	reason    string         // why they cannot be, or cannot be simulated; else empty
	predicted int64          // packets that find no room
	result    *musubi.Result // nil if not simulated
}

// make chooses the rings and predicts stalls.
func (p *ringPlan) make() (err error) {
	budget := int(p.budget)
	if p.rings, err = rings.Make(p.record, budget); err != nil {
		return err
	}
	p.compare = []ringChoice{{name: "private for all"}, {name: "plan", rings: p.rings}}
	private := &p.compare[0]
	if private.rings, err = rings.Private(p.record, budget); err != nil {
		private.reason = err.Error()
	}
	for i := range p.compare {
		if c := &p.compare[i]; c.rings != nil {
			if c.predicted, err = rings.Predict(p.record, c.rings); err != nil {
				return err
			}
		}
	}
	return nil
}

// simulate runs the recorded scenario with each choice of rings.
func (p *ringPlan) simulate(ctx context.Context, s cli.Shared) error {
	system, err := musubi.BuildRecorded(p.record)
	if err != nil {
		return err
	}
	progress := cli.StartProgress(s, "")
	defer progress.Finish()
	system.Progress = progress.Show
	for i := range p.compare {
		c := &p.compare[i]
		if c.rings == nil {
			continue
		}
		if err := system.UseRings(c.rings); err != nil {
			return err
		}
		if err := c.simulate(ctx, system); err != nil {
			return err
		}
	}
	return nil
}

// simulate runs the recorded scenario. If that comes to no end, as processes may
// wait for each other where rings are small, that is an answer as well.
func (c *ringChoice) simulate(ctx context.Context, system *musubi.System) error {
	var input *musubi.InputError
	result, err := system.RunWorkload(ctx)
	switch {
	case ctx.Err() != nil || errors.As(err, &input):
		return err
	case err != nil:
		c.reason = "the recorded run fails: " + err.Error()
		return nil
	}
	c.result = result
	return nil
}
