package run

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/workload"
	"musubi/workload/programs"

	"github.com/spf13/cobra"
)

// workloadHelp lists the workloads, for the help on all of them. Of each it has what comes
// before the colon.
func workloadHelp() string {
	var b strings.Builder
	b.WriteString("Workloads; \"musubi run WORKLOAD --help\" tells what can be set of each:\n\n")
	for _, w := range programs.All() {
		summary, _, _ := strings.Cut(w.Summary, ":")
		cli.Hang(&b, fmt.Sprintf("  %-10s  ", w.Name), summary)
	}
	return b.String()
}

// helpOnWorkload makes "run WORKLOAD --help" tell about that workload alone.
func helpOnWorkload(cmd *cobra.Command, args []string) {
	for _, arg := range args {
		if slices.Contains(programs.Names(), arg) {
			w, _ := programs.Lookup(arg)
			printWorkload(cmd.OutOrStdout(), w)
			return
		}
	}
	cmd.Parent().HelpFunc()(cmd, args)
}

// printWorkload tells what a workload does, and what can be set of it.
func printWorkload(out io.Writer, w *workload.Workload) {
	cli.Hang(out, "", w.Name+": "+w.Summary)
	fmt.Fprintf(out, "\nUsage:\n  musubi run %s --on MACHINE [--set NAME=VALUE]... [flags]\n\nParameters:\n\n", w.Name)
	for _, p := range w.Params {
		initially := ""
		if p.Default != "" {
			initially = " (default " + p.Default + ")"
		}
		cli.Hang(out, fmt.Sprintf("  %-10s  ", p.Name), p.Help+initially)
	}
	fmt.Fprintf(out, "\nUse \"musubi run --help\" for the flags, and \"musubi machines MACHINE\" for the parameters\nof a machine, which --set changes as well.\n")
}
