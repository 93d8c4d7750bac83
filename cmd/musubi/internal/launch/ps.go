package launch

import (
	"fmt"

	"musubi/cmd/musubi/internal/cli"
	"musubi/live"
	"musubi/report/ordered"

	"github.com/spf13/cobra"
)

// PS is the subcommand ps.
func PS() *cobra.Command {
	return &cobra.Command{
		Use:   "ps",
		Short: "Show what the ranks of running jobs wait for",
		Long: `Ps lists the jobs of this user whose parent runs on this host: those of "musubi
launch", of "--on live", and of programs on package musubi. For each rank it says
where it runs, and what it waits for since when, as far as the program tells: those
on package mpi name the call, the rank and the tag. A rank that runs is in none of its
calls.

The signal USR1 lets the parent of a job write the same to its standard error.`,
		Example: `  musubi ps
  musubi ps --json`,
		Args: cli.NoArguments,
		RunE: runPs,
	}
}

func runPs(cmd *cobra.Command, _ []string) error {
	shared := cli.SharedFlags(cmd)
	jobs, err := live.Jobs(cmd.Context())
	if err != nil {
		return err
	}
	if shared.JSON {
		return ordered.WriteJSON(shared.Stdout, append([]*live.Job{}, jobs...))
	}
	for i, job := range jobs {
		if i > 0 {
			fmt.Fprintln(shared.Stdout)
		}
		if err := job.Print(shared.Stdout); err != nil {
			return err
		}
	}
	if len(jobs) == 0 {
		shared.Note("no job runs")
	}
	return nil
}
