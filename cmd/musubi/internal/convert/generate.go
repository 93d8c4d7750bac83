package convert

import (
	"errors"
	"fmt"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/trace/format"
	"musubi/workload/job"
	"musubi/workload/job/param"

	"github.com/spf13/cobra"
)

func generateCommand() *cobra.Command {
	var set []string
	cmd := &cobra.Command{
		Use:   "generate JOB OUT",
		Short: "Write the schedule of a job",
		Long: `Generate writes what the ranks of a job send, receive and compute, in the format that the
name OUT asks for: .goal (GOAL, as text), .bin (GOAL, binary) or .et (Chakra: NAME.et
stands for the files NAME.RANK.et). "musubi run JOB" simulates the same.

` + jobs(),
		Example: `  musubi trace generate train step.et --set model=llama2-7b --set data=4
  musubi trace generate incast incast.goal`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("expected the name of a job, and that of the file to write")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return generate(cli.SharedFlags(cmd), args[0], args[1], set)
		},
	}
	cmd.Flags().StringArrayVar(&set, "set", nil, "parameter of the job, NAME=VALUE; repeatable")
	return cmd
}

// jobs lists the jobs for the help.
func jobs() string {
	var b strings.Builder
	b.WriteString("Jobs; \"musubi run JOB --help\" lists the parameters of each:\n\n")
	for _, j := range job.All() {
		fmt.Fprintf(&b, "  %-10s %s\n", j.Name, j.Summary)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func generate(s cli.Shared, name, to string, set []string) error {
	if !format.Writes(to) {
		return format.Write(to, nil) // says which names there are
	}
	j, err := job.Lookup(name)
	if err != nil {
		return err
	}
	settings := map[string]string{}
	for _, one := range set {
		parameter, value, found := strings.Cut(one, "=")
		if !found {
			return fmt.Errorf("set %q: expected name=value", one)
		}
		settings[parameter] = value
	}
	schedule, err := j.Schedule(settings)
	if err != nil {
		var wrong *param.Error
		if errors.As(err, &wrong) {
			return fmt.Errorf("job %s: %w", name, wrong.With(settings))
		}
		return err
	}
	if err := format.Write(to, schedule); err != nil {
		return err
	}
	s.Note("wrote %s: %d ranks", to, len(schedule.Ranks))
	return nil
}
