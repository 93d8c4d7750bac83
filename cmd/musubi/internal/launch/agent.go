package launch

import (
	"os/signal"
	"syscall"

	"musubi/cmd/musubi/internal/cli"
	"musubi/live"

	"github.com/spf13/cobra"
)

// Agent is what "musubi launch" starts on other hosts.
func Agent() *cobra.Command {
	return &cobra.Command{
		Use:         "agent",
		Short:       "Start ranks on this host for a launcher on another one",
		Hidden:      true,
		Args:        cli.NoArguments,
		Annotations: map[string]string{cli.EndsByItself: ""},
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Ignore(syscall.SIGPIPE) // that the launcher is gone is noticed by listening to it
			return live.Agent(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
