package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"musubi/workload"

	"github.com/spf13/cobra"
)

// helpWidth is where help breaks its lines, in columns.
const helpWidth = 80

// wrapHelp breaks the lines of the help on commands, but for those that are indented.
func wrapHelp(cmd *cobra.Command) {
	var wrapped []string
	for paragraph := range strings.SplitSeq(cmd.Long, "\n\n") {
		if !strings.HasPrefix(paragraph, "  ") && !strings.Contains(paragraph, "\n  ") {
			var b strings.Builder
			hang(&b, "", paragraph)
			paragraph = strings.TrimSuffix(b.String(), "\n")
		}
		wrapped = append(wrapped, paragraph)
	}
	cmd.Long = strings.TrimSuffix(strings.Join(wrapped, "\n\n"), "\n")
	for _, c := range cmd.Commands() {
		wrapHelp(c)
	}
}

// workloadHelp lists the workloads, for the help on all of them. Of each it has what comes
// before the colon.
func workloadHelp() string {
	var b strings.Builder
	b.WriteString("Workloads; \"musubi run WORKLOAD --help\" tells what can be set of each:\n\n")
	for _, w := range workload.All() {
		summary, _, _ := strings.Cut(w.Summary, ":")
		hang(&b, fmt.Sprintf("  %-10s  ", w.Name), summary)
	}
	return b.String()
}

// helpOnWorkload makes "run WORKLOAD --help" tell about that workload alone.
func helpOnWorkload(cmd *cobra.Command, args []string) {
	for _, arg := range args {
		if slices.Contains(workload.Names(), arg) {
			w, _ := workload.Lookup(arg)
			printWorkload(cmd.OutOrStdout(), w)
			return
		}
	}
	cmd.Parent().HelpFunc()(cmd, args)
}

// printWorkload tells what a workload does, and what can be set of it.
func printWorkload(out io.Writer, w *workload.Workload) {
	hang(out, "", w.Name+": "+w.Summary)
	fmt.Fprintf(out, "\nUsage:\n  musubi run %s --on MACHINE [--set NAME=VALUE]... [flags]\n\nParameters:\n\n", w.Name)
	for _, p := range w.Params {
		initially := ""
		if p.Default != "" {
			initially = " (default " + p.Default + ")"
		}
		hang(out, fmt.Sprintf("  %-10s  ", p.Name), p.Help+initially)
	}
	fmt.Fprintf(out, "\nUse \"musubi run --help\" for the flags, and \"musubi machines MACHINE\" for the parameters\nof a machine, which --set changes as well.\n")
}

// hang writes a text in lines of at most helpWidth columns, the first behind a label and
// the others below its beginning.
func hang(out io.Writer, label, text string) {
	line := label
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len(line)+1+len(word) > helpWidth:
			fmt.Fprintln(out, line)
			line = strings.Repeat(" ", len(label)) + word
		default:
			line += " " + word
		}
	}
	fmt.Fprintln(out, line)
}
