package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"musubi/internal/spelling"
)

// KnownSubcommand refuses what cobra took for an argument of a command that has
// subcommands.
func KnownSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q%s; known are %s", args[0], spelling.DidYouMean(args[0], names), strings.Join(names, ", "))
}

// NoArguments refuses arguments that are not flags.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q; see %q", args[0], cmd.CommandPath()+" --help")
	}
	return nil
}

// AtMostOneArgument refuses a second argument that is not a flag.
func AtMostOneArgument(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return NoArguments(cmd, args[1:])
	}
	return nil
}
