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

	"musubi/live"

	"github.com/spf13/cobra"
)

// Exit statuses, beside 0 for success.
const (
	statusNo          = 1 // the answer is "no"
	statusUsage       = 2 // the command line or an input file is wrong
	statusInterrupted = 3
)

// exitError is an error with an exit status of its own.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// endsByItself is the annotation of commands that end in good time after an interrupt,
// and say so in their help.
const endsByItself = "ends by itself"

// errNo is returned by commands whose answer is "no" and that have said so in
// their results.
var errNo = errors.New(`the answer is "no"`)

func main() { os.Exit(mainStatus()) }

func mainStatus() int {
	if live.Inside() { // whoever has started the ranks ends them
		return execute(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal, the next one ends the process at once.
	context.AfterFunc(ctx, stop)
	return execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

// grace is the time that a command gets to tidy up when it is interrupted.
const grace = 3 * time.Second

// graceOf returns how long a command line gets.
func graceOf(root *cobra.Command, args []string) time.Duration {
	if cmd, _, err := root.Find(args); err == nil {
		if _, ok := cmd.Annotations[endsByItself]; ok {
			return math.MaxInt64
		}
	}
	return grace
}

// execute runs a command line and returns the exit status.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(doubleDashes(root, args))
	root.SetOut(stdout)
	root.SetErr(stderr)

	patience := graceOf(root, args)
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(withArguments(ctx, args)) }()
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
		return statusInterrupted
	}
	return status(err, stderr)
}

// status reports an error in one line and returns the exit status for it.
func status(err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNo):
		return statusNo
	}
	var (
		told *live.ToldError
		exit *exitError
	)
	if !errors.As(err, &told) {
		fmt.Fprintln(stderr, "musubi:", strings.Join(strings.Fields(err.Error()), " "))
	}
	if errors.As(err, &exit) {
		return exit.status
	}
	return statusUsage
}
