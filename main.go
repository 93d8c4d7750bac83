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
	"musubi/rma"
	"musubi/sim/engine"
)

// Main is all that the main function of a program needs to run in any world:
//
//	func main() { musubi.Main(program) }
//
// The command line says which:
//
//	program -on live -n 4
//	program -on dimmnet2 -topology torus:4x4 -n 16 -set card.memory=PC3200
//
// Without flags it runs in processes on this host. The flags are those of
// "musubi run"; they are added to those that the program has defined in package
// flag, and stand before its arguments. Main does not return. The exit status is 0 if all
// ranks have returned nil, 2 for a mistake on the command line, 3 after an interrupt, and
// else 1.
func Main(program func(rma.Process) error) {
	ctx, stop := context.Background(), func() {}
	if !live.Inside() { // whoever has started the ranks ends them
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	}
	status := runMain(ctx, flag.CommandLine, os.Args[1:], program, os.Stderr)
	stop()
	os.Exit(status)
}

// runMain is Main but for the end.
func runMain(ctx context.Context, flags *flag.FlagSet, args []string, program func(rma.Process) error, stderr io.Writer) int {
	s := Scenario{Set: map[string]string{}}
	s.define(flags)
	if err := flags.Parse(args); err != nil {
		return 2 // package flag has said why
	}
	_, err := Run(ctx, s, program)
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
	fmt.Fprintf(stderr, "%s: %s\n", flags.Name(), message(err))
	if errors.As(err, &input) {
		return 2
	}
	return 1
}

// message returns what an error says in one line, but for a panic with its stack. Errors that
// are joined follow each other.
func message(err error) string {
	var panicked *engine.Panic
	if errors.As(err, &panicked) {
		return err.Error()
	}
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
}

// define adds the flags that fill a scenario.
func (s *Scenario) define(flags *flag.FlagSet) {
	flags.StringVar(&s.Machine, "on", Live, "`machine`: live for processes on this host, or a simulated one")
	flags.IntVar(&s.Ranks, "n", 0, "number of ranks; 0 means what the machine has room for")
	flags.StringVar(&s.Topology, "topology", "", "simulated network: a name such as torus:4x4, or a file")
	flags.IntVar(&s.Hosts, "hosts", 0, "hosts per switch of a simulated network; 0 means what the machine says")
	flags.StringVar(&s.Routing, "routing", "", "routing algorithm of a simulated network")
	flags.StringVar(&s.Place, "place", "", "hosts that ranks run on: even, block or a list")
	flags.StringVar(&s.Transport, "transport", "", "way of data between processes: auto, shm or tcp")
	flags.StringVar(&s.Encrypt, "encrypt", "", "encrypt what processes send over TCP: on or off (default on)")
	flags.Func("timeout", "`time` for which a process may give no sign of life until it counts as lost; 0 means for ever (default 10s)", s.SetTimeout)
	flags.Uint64Var(&s.Seed, "seed", 0, "of everything random")
	flags.Func("set", "`name=value` of a parameter of the simulated machine; may be repeated", func(setting string) error {
		name, value, found := strings.Cut(setting, "=")
		if !found || !strings.Contains(name, ".") {
			return errors.New("expected name=value of a parameter of the machine, such as switch.latency=200ns")
		}
		s.Set[name] = value
		return nil
	})
}
