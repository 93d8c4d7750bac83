package musubi

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"musubi/live"
	"musubi/option"
	"musubi/report/ordered"
	"musubi/rma"
	"musubi/sim/engine"
)

// Main is all that the main function of a program needs to run in any world:
//
//	func main() { musubi.Main(program) }
//
// The command line says which:
//
//	program --on live -n 4
//	program --on dimmnet2 --topology torus:4x4 -n 16 --set card.memory=PC3200
//
// Without flags it runs in processes on this host. The flags are the options of a Scenario, as
// "musubi run" has them, with one dash or two, and those of Output. They come before the
// program's arguments. They are added to those that the program has defined in package
// flag, which mean what the program says. Main does not return. The exit status is 0 if all
// ranks have returned nil, 2 for a mistake on the command line, 3 after an interrupt, and
// else 1.
func Main(program func(rma.Process) error) {
	ctx, stop := context.Background(), func() {}
	if !live.Inside() { // whoever has started the ranks ends them
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	}
	status := runMain(ctx, flag.CommandLine, os.Args[1:], program, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// Output says how a command tells of its result. The tags are those of package option.
type Output struct {
	// JSON is for the result of Main as well: rows about links and packets, the simulated
	// time. What the program itself prints comes before it.
	JSON  bool `name:"json" help:"write the result as JSON, and nothing else, to standard output"`
	Quiet bool `name:"quiet" help:"no notes and no progress on standard error"`
}

// runMain does what Main does, and returns the exit status.
func runMain(ctx context.Context, flags *flag.FlagSet, args []string, program func(rma.Process) error, stdout, stderr io.Writer) int {
	s := Usual()
	s.Machine = Live
	var out Output
	define(flags, append(s.Options(), option.Of(&out)...))
	if err := flags.Parse(args); err != nil {
		return 2 // package flag has said why
	}
	result, err := runProgram(ctx, s, program)
	if err != nil {
		return explain(ctx, flags.Name(), err, stderr)
	}
	for _, file := range []string{s.RecordFile, s.TraceFile} {
		if file != "" && !out.Quiet {
			fmt.Fprintf(stderr, "%s: wrote %s\n", flags.Name(), file)
		}
	}
	if out.JSON {
		err = ordered.WriteJSON(stdout, result)
	}
	return explain(ctx, flags.Name(), err, stderr)
}

// define adds a flag for each option, and one for its short name, unless the program has
// defined that.
func define(flags *flag.FlagSet, options []*option.Option) {
	for _, o := range options {
		for _, name := range []string{o.Name, o.Short} {
			if name != "" && o.Help != "" && flags.Lookup(name) == nil {
				flags.Var(o, name, o.Usage())
			}
		}
	}
}

// runProgram is Run for a scenario that cannot have parameters of a workload.
func runProgram(ctx context.Context, s Scenario, program func(rma.Process) error) (*Result, error) {
	for name := range s.settings(false) {
		return nil, wrong("set."+name, fmt.Errorf("set %s; expected name=value of a parameter of the machine, such as switch.latency=200ns", name))
	}
	return Run(ctx, s, program)
}

// explain says what has gone wrong, if anything, and returns the exit status.
func explain(ctx context.Context, program string, err error, stderr io.Writer) int {
	var (
		input *InputError
		told  *live.ToldError
	)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		return 3
	case errors.As(err, &told):
		return 1
	}
	fmt.Fprintf(stderr, "%s: %s\n", program, message(err))
	if errors.As(err, &input) {
		return 2
	}
	return 1
}

// message returns what an error says, in one line. Joined errors follow each other. A panic
// keeps the lines of its stack.
func message(err error) string {
	var panicked *engine.Panic
	if errors.As(err, &panicked) {
		return err.Error()
	}
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
}
