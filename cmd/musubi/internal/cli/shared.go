package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"musubi/report/files"

	"github.com/spf13/cobra"
)

// Shared holds the flags that all commands have.
type Shared struct {
	JSON, Quiet bool
	command     string // as it is typed
	Stdout      io.Writer
	Stderr      io.Writer
}

// SharedFlags returns what the flags that all commands have say of cmd.
func SharedFlags(cmd *cobra.Command) Shared {
	s := Shared{Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(), command: typedCommand(cmd.Context())}
	s.JSON, _ = cmd.Flags().GetBool("json")
	s.Quiet, _ = cmd.Flags().GetBool("quiet")
	return s
}

// Note tells the user something that is not part of the result.
func (s Shared) Note(format string, args ...any) {
	if !s.Quiet {
		fmt.Fprintf(s.Stderr, "musubi: "+format+"\n", args...)
	}
}

// writeFile writes a file and says so.
func (s Shared) writeFile(path string, write func(io.Writer) error) error {
	err := files.Write(path, write)
	if err == nil {
		s.Note("wrote %s", path)
	}
	return err
}

// argumentsKey is where the context of a command has its command line.
type argumentsKey struct{}

// WithArguments remembers a command line.
func WithArguments(ctx context.Context, args []string) context.Context {
	return context.WithValue(ctx, argumentsKey{}, args)
}

// typedCommand is the command line of a context, as it is typed in a shell.
func typedCommand(ctx context.Context) string {
	words := []string{"musubi"}
	args, _ := ctx.Value(argumentsKey{}).([]string)
	for _, word := range args {
		if strings.ContainsAny(word, " \t\n\"'\\$&|;<>()*?[]#~`{}!") || word == "" {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
