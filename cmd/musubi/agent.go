package main

import (
	"os/signal"
	"syscall"

	"musubi/live"

	"github.com/spf13/cobra"
)

// agentCommand is what "musubi launch" starts on other hosts.
func agentCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "agent",
		Short:       "Start ranks on this host for a launcher on another one",
		Hidden:      true,
		Args:        noArguments,
		Annotations: map[string]string{endsByItself: ""},
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Ignore(syscall.SIGPIPE) // that the launcher is gone is noticed by listening to it
			return live.Agent(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
