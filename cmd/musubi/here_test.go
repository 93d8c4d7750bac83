package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"musubi/live/job"

	"github.com/rogpeppe/go-internal/testscript"
)

// call musubi ARGS... runs a command line in this process; it must succeed, or fail after "!".
func checkCall(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || args[0] != "musubi" {
		ts.Fatalf("usage: call musubi ARGS...")
	}
	if got := runHere(ts, args[1:]); (got == 0) == neg {
		ts.Fatalf("exit status %d", got)
	}
}

// here is held by the script whose directory is the working directory, of which a process has one.
var here sync.Mutex

// runHere runs a command line of a script in this process and returns the exit status. Most commands
// take less time than the start of a process. Those need a process of their own that start ranks,
// as ranks are the program of their parent once more, that are sent signals, or that the script gives
// an environment or standard input.
func runHere(ts *testscript.TestScript, args []string) int {
	here.Lock()
	defer here.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(before)) }()
	return execute(context.Background(), args, ts.Stdout(), ts.Stderr())
}

// refuseToBeMusubi ends this process if a test has started it in place of musubi: it would run all
// tests again, and these would start more.
func refuseToBeMusubi() {
	isMusubi := filepath.Base(os.Args[0]) == "musubi"
	isRank := os.Getenv(job.RankVariable) != ""
	hasCommand := len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-")
	if !isMusubi && (isRank || hasCommand) {
		fmt.Fprintf(os.Stderr, "%q runs tests and is not musubi; in a script, write exec before a command that starts processes\n", os.Args)
		os.Exit(2)
	}
}
