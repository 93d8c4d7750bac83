package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Exit statuses, beside 0 for success.
const (
	statusNo          = 1 // the answer is "no"
	statusUsage       = 2 // the command line or an input file is wrong
	statusInterrupted = 3
)

// errNo is returned by commands whose answer is "no" and that have said so in
// their results.
var errNo = errors.New(`the answer is "no"`)

func main() { os.Exit(mainStatus()) }

func mainStatus() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal, the next one ends the process at once.
	context.AfterFunc(ctx, stop)
	return execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

// grace is the time that a command gets to tidy up when it is interrupted.
const grace = 3 * time.Second

// execute runs a command line and returns the exit status.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)

	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(grace):
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
	fmt.Fprintln(stderr, "musubi:", strings.Join(strings.Fields(err.Error()), " "))
	return statusUsage
}
