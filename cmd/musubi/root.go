package main

import (
	"errors"
	"fmt"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/option"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// rootCommand builds the command line: all of it, or what the arguments need of it.
func rootCommand(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "musubi",
		Short: "Routing and message passing on cluster interconnects, simulated and real",
		Long: `Musubi compares, proves and exports routings of cluster interconnects, checks the
routing that a fabric has now, and runs message-passing programs: on simulated clusters
with their hosts and network interfaces, or between real processes.

Exit status: 0 done; 1 the answer is "no", such as a routing that can deadlock;
2 the command line or an input file is wrong; 3 interrupted.`,
		Example: `  musubi route --topology torus:8x8
  musubi verify --topology fabric.ibnetdiscover --lfts opensm-lfts.dump
  musubi machines rhinet2
  musubi run halo --on tofu2
  musubi bench latency --on live`,
		Args:              cli.KnownSubcommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
		Version:           cli.BuildVersion().String(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	cli.AddFlags(root.PersistentFlags(), option.Of(new(musubi.Output)))
	root.SetFlagErrorFunc(explainFlagError)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", cli.HelpWidth)))
	addCommands(root, args)
	checkDefaults(root)
	cli.WrapHelp(root)
	return root
}

// checkDefaults makes the commands that cobra adds refuse what they do not know.
func checkDefaults(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Args = cli.KnownSubcommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
			c.Args = knownTopic
		}
	}
}

// knownTopic refuses to help on what is no command.
func knownTopic(cmd *cobra.Command, args []string) error {
	topic, rest, err := cmd.Root().Find(args)
	if err == nil && topic.HasSubCommands() {
		err = cli.KnownSubcommand(topic, rest)
	}
	return err
}

// explainFlagError says what is wrong with a flag and where to read about it.
func explainFlagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		err = fmt.Errorf("--%s is %q; %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	return fmt.Errorf("%w; see %q", err, cmd.CommandPath()+" --help")
}
