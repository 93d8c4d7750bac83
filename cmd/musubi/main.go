package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"musubi/cmd/musubi/internal/cli"
	"musubi/live"

	"github.com/spf13/cobra"
)

func main() { os.Exit(mainStatus()) }

func mainStatus() int {
	if live.Inside() { // whoever has started the ranks ends them
		return execute(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal, the next one ends the process at once.
	context.AfterFunc(ctx, stop)
	status := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	cli.TidyUp()
	return status
}

// grace is the time that a command gets to tidy up when it is interrupted.
const grace = 3 * time.Second

// graceOf returns how long a command line gets.
func graceOf(root *cobra.Command, args []string) time.Duration {
	if cmd, _, err := root.Find(args); err == nil {
		if _, ok := cmd.Annotations[cli.EndsByItself]; ok {
			return math.MaxInt64
		}
	}
	return grace
}

// execute runs a command line and returns the exit status.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand(args)
	root.SetArgs(cli.DoubleDashes(root, args))
	root.SetOut(stdout)
	root.SetErr(stderr)

	patience := graceOf(root, args)
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(cli.WithArguments(ctx, args)) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(patience):
		}
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "musubi: interrupted")
		return cli.StatusInterrupted
	}
	return status(err, stderr)
}

// longestError is about how many bytes of an error are printed.
const longestError = 4000

// oneLine returns the text of an error as a line. Where an error quotes what a file has in a line, and that is
// long, something in the middle is left out.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > longestError {
		half := longestError / 2
		text = strings.ToValidUTF8(text[:half], "") + " [...] " + strings.ToValidUTF8(text[len(text)-half:], "")
	}
	return text
}

// status reports an error in one line and returns the exit status for it.
func status(err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, cli.ErrNo):
		return cli.StatusNo
	}
	var (
		told *live.ToldError
		exit *cli.ExitError
	)
	if !errors.As(err, &told) {
		fmt.Fprintln(stderr, "musubi:", oneLine(err.Error()))
	}
	if errors.As(err, &exit) {
		return exit.Status
	}
	return cli.StatusUsage
}
