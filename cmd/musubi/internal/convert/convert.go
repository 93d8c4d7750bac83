// Package convert has the subcommand trace, which converts schedules of jobs between formats, and generates them.
package convert

import (
	"errors"

	"musubi/cmd/musubi/internal/cli"
	"musubi/trace/format"

	"github.com/spf13/cobra"
)

// Command is the subcommand trace.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Convert and generate schedules of jobs",
		Args:  cli.KnownSubcommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(convertCommand(), generateCommand())
	return cmd
}

func convertCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert a schedule to another format",
		Long: `Convert reads a schedule, in any format that "musubi run trace" reads, and writes it in the
format that the name OUT asks for: .goal (GOAL, as text), .bin (GOAL, binary) or
.et (Chakra: NAME.et stands for the files NAME.RANK.et).

GOAL has no collective operations, so they become messages.`,
		Example: `  musubi trace convert step.goal step.bin
  musubi trace convert traces/llama step.goal`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("expected two names: what to read, and what to write")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return convert(cli.SharedFlags(cmd), args[0], args[1]) },
	}
}

func convert(s cli.Shared, from, to string) error {
	if !format.Writes(to) {
		return format.Write(to, nil) // says which names there are
	}
	schedule, err := format.Open(from)
	if err != nil {
		return err
	}
	if err := format.Write(to, schedule); err != nil {
		return err
	}
	s.Note("wrote %s", to)
	return nil
}
