package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// HelpWidth is where help breaks its lines, in columns.
const HelpWidth = 80

// WrapHelp breaks the lines of the help on commands, but for those that are indented.
func WrapHelp(cmd *cobra.Command) {
	var wrapped []string
	for paragraph := range strings.SplitSeq(cmd.Long, "\n\n") {
		if !strings.HasPrefix(paragraph, "  ") && !strings.Contains(paragraph, "\n  ") {
			var b strings.Builder
			Hang(&b, "", paragraph)
			paragraph = strings.TrimSuffix(b.String(), "\n")
		}
		wrapped = append(wrapped, paragraph)
	}
	cmd.Long = strings.TrimSuffix(strings.Join(wrapped, "\n\n"), "\n")
	for _, c := range cmd.Commands() {
		WrapHelp(c)
	}
}

// Hang writes a text in lines of at most helpWidth columns, the first behind a label and
// the others below its beginning.
func Hang(out io.Writer, label, text string) {
	line := label
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len(line)+1+len(word) > HelpWidth:
			fmt.Fprintln(out, line)
			line = strings.Repeat(" ", len(label)) + word
		default:
			line += " " + word
		}
	}
	fmt.Fprintln(out, line)
}
