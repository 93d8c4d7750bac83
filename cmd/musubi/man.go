package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages of the program and its commands to a folder",
		Long:   "Man writes a page for the program and one for each of its commands, for section 1 of\nthe manual, to a folder that it makes if there is none. \"man -l DIR/musubi-run.1\" shows one.",
		Hidden: true, // for packages
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%d arguments; expected a folder for the pages", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := rootCommand(nil)
			root.DisableAutoGenTag = true // it has the date of today
			markDown(root)
			return doc.GenManTree(root, &doc.GenManHeader{Title: "MUSUBI", Section: "1", Source: "musubi", Manual: "Musubi"}, args[0])
		},
	}
}

// markDown makes Markdown of the help on a command and those below it, as cobra makes manual pages
// of that: indented lines become blocks that keep their lines, and stars are stars.
func markDown(cmd *cobra.Command) {
	var b strings.Builder
	block := false
	for line := range strings.Lines(cmd.Long) {
		indented := strings.HasPrefix(line, "  ")
		switch {
		case indented && !block:
			b.WriteString("\n")
			fallthrough
		case indented:
			b.WriteString("  " + line)
		default:
			b.WriteString(strings.ReplaceAll(line, "*", `\*`))
		}
		block = indented
	}
	cmd.Long = b.String()
	for _, c := range cmd.Commands() {
		markDown(c)
	}
}
