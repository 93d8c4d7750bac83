package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// OwnArguments is the annotation of commands whose first argument ends their own flags.
const OwnArguments = "own arguments"

// DoubleDashes gives names of flags behind a single dash their second one: "-on live" is what
// programs on package musubi take as well.
func DoubleDashes(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil {
		return args
	}
	cmd.InitDefaultHelpFlag()
	cmd.InheritedFlags() // makes them flags of the command
	_, stops := cmd.Annotations[OwnArguments]
	words := strings.Count(cmd.CommandPath(), " ") // the names of the command
	args = slices.Clone(args)
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			if words--; words < 0 && stops {
				break
			}
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if name == "" { // --
			break
		}
		flag := flagCalled(cmd.Flags(), name)
		if flag == nil {
			continue
		}
		if len(name) > 1 && args[i][1] != '-' {
			args[i] = "-" + args[i]
		}
		if !hasValue && flag.NoOptDefVal == "" {
			i++ // what follows is its value
		}
	}
	return args
}

// flagCalled returns the flag of a name or of a single letter, nil if there is none.
func flagCalled(flags *pflag.FlagSet, name string) *pflag.Flag {
	if len(name) == 1 {
		return flags.ShorthandLookup(name)
	}
	return flags.Lookup(name)
}
