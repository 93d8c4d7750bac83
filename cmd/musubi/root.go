package main

import (
	"errors"
	"fmt"
	"io"
	"musubi"
	"musubi/option"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// rootCommand builds the whole command line.
func rootCommand() *cobra.Command {
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
		Args:              knownSubcommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
		Version:           buildVersion().String(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	addFlags(root.PersistentFlags(), option.Of(new(musubi.Output)))
	root.SetFlagErrorFunc(explainFlagError)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", helpWidth)))
	root.AddCommand(
		runCommand(),
		benchCommand(),
		routeCommand(),
		verifyCommand(),
		rerouteCommand(),
		faultsCommand(),
		watchCommand(),
		viewCommand(),
		topologyCommand(),
		machinesCommand(),
		launchCommand(),
		compilerCommand(cCompiler),
		compilerCommand(cxxCompiler),
		compilerCommand(fortranCompiler),
		agentCommand(),
		psCommand(),
		planCommand(),
		reproduceCommand(),
		compareCommand(),
		tuneCommand(),
		sweepCommand(),
		workerCommand(),
		versionCommand(),
		manCommand(),
	)
	checkDefaults(root)
	wrapHelp(root)
	return root
}

// checkDefaults makes the commands that cobra adds refuse what they do not know.
func checkDefaults(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Args = knownSubcommand
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
		err = knownSubcommand(topic, rest)
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

// knownSubcommand refuses what cobra took for an argument of a command that has
// subcommands.
func knownSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q%s; known are %s", args[0], didYouMean(args[0], names), strings.Join(names, ", "))
}

// noArguments refuses arguments that are not flags.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q; see %q", args[0], cmd.CommandPath()+" --help")
	}
	return nil
}

// atMostOneArgument refuses a second argument that is not a flag.
func atMostOneArgument(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return noArguments(cmd, args[1:])
	}
	return nil
}

// shared holds the flags that all commands have.
type shared struct {
	json, quiet bool
	command     string // as it is typed
	stdout      io.Writer
	stderr      io.Writer
}

func sharedFlags(cmd *cobra.Command) shared {
	s := shared{stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(), command: typedCommand(cmd.Context())}
	s.json, _ = cmd.Flags().GetBool("json")
	s.quiet, _ = cmd.Flags().GetBool("quiet")
	return s
}

// note tells the user something that is not part of the result.
func (s shared) note(format string, args ...any) {
	if !s.quiet {
		fmt.Fprintf(s.stderr, "musubi: "+format+"\n", args...)
	}
}
