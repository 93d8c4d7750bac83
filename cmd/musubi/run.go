package main

import (
	"errors"
	"fmt"
	"strings"

	"musubi"
	"musubi/live"
	"musubi/report"
	"musubi/sim/fabric"
	"musubi/sim/machine"
	"musubi/workload"

	"github.com/spf13/cobra"
)

type runFlags struct {
	file     string
	settings []string
	scenario musubi.Scenario
	files    runFiles
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run WORKLOAD --on MACHINE",
		Short: "Run a message-passing workload on a simulated cluster, or between processes",
		Long: `Run simulates a cluster with its network, routing, hosts and network interfaces, and
runs a workload on it. What the flags do not say comes from the machine. The routes
are proved free of deadlock before anything runs. With --on live nothing is simulated:
the ranks are processes on this host.

` + workloadHelp() + `
--set changes parameters of the workload, and of the machine: the names of those have
a dot, and "musubi machines MACHINE" lists them.

A scenario file given with -f holds the same in TOML: workload = "..." and the names
of the flags as keys, with a table [set]. Flags on the command line override it.

Exit status 1: the routing can deadlock and --unsafe is not given, or the simulated
network has come to a deadlock.`,
		Example: `  musubi run pingpong --on ndr --set to=each-distance
  musubi run pattern --set pattern=bit-reversal --on rhinet2 --topology torus:4x4 --routing dl
  musubi run barrier --on rhinet2 -n 16 --set switch.latency=200ns
  musubi run pingpong --on live -n 2
  musubi run -f scenario.toml --json`,
		Args:              atMostOneArgument,
		ValidArgsFunction: cobra.FixedCompletions(workloadNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.SetHelpFunc(helpOnWorkload)
	f.define(cmd)
	return cmd
}

func (f *runFlags) define(cmd *cobra.Command) {
	flags, s := cmd.Flags(), &f.scenario
	flags.StringVarP(&f.file, "file", "f", "", "take what the flags do not say from a scenario file")
	flags.StringVar(&s.Machine, "on", "", `machine: a name or a file, see "musubi machines"; or live, for processes on this host`)
	flags.StringVar(&s.Topology, "topology", "", `network: a name such as torus:4x4, or a file; see "musubi topology --help"`)
	flags.IntVar(&s.Hosts, "hosts", 0, "hosts per switch; 0 means what the machine says")
	flags.StringVar(&s.Routing, "routing", "", "routing algorithm: "+strings.Join(routingNames(), ", "))
	flags.IntVar(&s.VCs, "vcs", 0, "virtual channels that the routing may use; 0 means as many as it needs, or what the machine says for its own routing")
	flags.StringVar(&s.Selection, "selection", "", "choice among several allowed paths: "+strings.Join(selectionNames(), ", "))
	flags.IntVar(&s.Root, "root", 0, "number of the switch that is the root of spanning trees")
	flags.IntVarP(&s.Ranks, "ranks", "n", 0, "number of ranks; 0 means one per host, 64 without a network, or with --on live one per processor")
	flags.StringVar(&s.Place, "place", "", "where ranks run: even (spread over the hosts, the default), block, or a list of hosts such as 0,4,8")
	defineLive(cmd, s)
	flags.StringArrayVar(&f.settings, "set", nil, "`name=value` of a parameter of the workload or of the machine; may be repeated")
	flags.BoolVar(&s.Unsafe, "unsafe", false, "run a routing that can deadlock")
	flags.StringVar(&f.files.record, "record", "", `write who sends to whom by IPUSH, and how much at a time, to a file for "musubi plan rings"`)
	flags.StringVar(&f.files.rings, "rings", "", `take the receive rings of all ranks from a file, such as "musubi plan rings" writes`)
	flags.BoolVar(&s.Breakdown, "breakdown", false, "break the way of a message down into the named steps of the machine")
	completeNamesOrFiles(cmd, "on", append(machine.Names(), musubi.Live)...)
	completeNamesOrFiles(cmd, "topology", topologyNames()...)
	completeWith(cmd, "routing", routingNames()...)
	completeWith(cmd, "selection", selectionNames()...)
	completeWith(cmd, "place", "even", "block")
}

// defineLive defines flags for runs between processes.
func defineLive(cmd *cobra.Command, s *musubi.Scenario) {
	cmd.Flags().Func("timeout", "with --on live, `time` for which a rank may give no sign of life until it counts as lost; 0 means for ever (default 10s)", s.SetTimeout)
	cmd.Flags().StringVar(&s.Transport, "transport", "", "with --on live, way of the data: auto (shared memory, or TCP between hosts), shm or tcp")
	cmd.Flags().StringVar(&s.Encrypt, "encrypt", "", "with --on live, encrypt what ranks send over TCP: on or off, for networks that nobody else is on (default on)")
	completeWith(cmd, "encrypt", encryptOn, encryptOff)
	completeWith(cmd, "transport", live.TransportAuto, live.TransportShm, live.TransportTCP)
}

func workloadNames() []string {
	var names []string
	for _, w := range workload.All() {
		names = append(names, w.Name)
	}
	return names
}

func (f *runFlags) run(cmd *cobra.Command, args []string) error {
	shared := sharedFlags(cmd)
	scenario, lines, err := f.complete(cmd, args)
	if err != nil {
		return err
	}
	if err := checkNames(scenario); err != nil {
		return lines.locate(err)
	}
	if scenario.Rings, err = f.files.readRings(); err != nil {
		return err
	}
	scenario.Record = f.files.record != ""
	system, err := musubi.Build(scenario)
	if err != nil {
		return refusal(shared, lines.locate(f.files.locate(hintTopology(scenario, err))))
	}
	progress := startProgress(shared)
	system.Progress = progress.show
	result, err := system.RunWorkload(cmd.Context())
	progress.finish()
	var deadlock *fabric.Deadlock
	switch {
	case errors.As(err, &deadlock):
		return reportDeadlock(shared, system, deadlock)
	case err != nil:
		return refusal(shared, lines.locate(f.files.locate(err)))
	}
	if err := f.files.writeRecord(shared, result); err != nil {
		return err
	}
	if shared.json {
		return report.WriteJSON(shared.stdout, runObject(result))
	}
	return printRun(shared.stdout, system, result)
}

// checkNames refuses unknown names, with a hint at what may have been meant.
func checkNames(s musubi.Scenario) error {
	if s.Workload == "" {
		return fmt.Errorf("no workload given; known are %s", strings.Join(workloadNames(), ", "))
	}
	if s.Machine == "" {
		return fmt.Errorf("no machine given; expected --on with one of %s, %s, or a .toml file", strings.Join(machine.Names(), ", "), musubi.Live)
	}
	if err := choose("workload", s.Workload, workloadNames()); err != nil {
		return &musubi.InputError{Key: "workload", Err: err}
	}
	if s.Machine != musubi.Live {
		if _, err := loadMachine(s.Machine); err != nil {
			return &musubi.InputError{Key: "on", Err: err}
		}
	}
	if s.Routing != "" {
		if err := choose("routing", s.Routing, routingNames()); err != nil {
			return &musubi.InputError{Key: "routing", Err: err}
		}
	}
	if s.Selection != "" {
		if err := choose("path selection", s.Selection, selectionNames()); err != nil {
			return &musubi.InputError{Key: "selection", Err: err}
		}
	}
	return nil
}

// hintTopology adds a hint to an error about a network whose name is misspelt.
func hintTopology(s musubi.Scenario, err error) error {
	var input *musubi.InputError
	if !errors.As(err, &input) || input.Key != "topology" {
		return err
	}
	return fmt.Errorf("%w%s", err, nearTopology(s.Topology))
}

// refusal prints what stands behind the refusal of routes, and returns other
// errors as they are.
func refusal(s shared, err error) error {
	var unsafe *musubi.UnsafeError
	if !errors.As(err, &unsafe) {
		return err
	}
	fmt.Fprintln(s.stderr, "musubi:", err)
	if s.json || unsafe.Proof.DeadlockFree() {
		return errNo
	}
	if err := printCycle(s.stdout, unsafe.Proof, unsafe.Proof.Cycle); err != nil {
		return err
	}
	s.note("--unsafe runs it nevertheless")
	return errNo
}

// reportDeadlock tells what a simulated network has come to. It returns errNo,
// unless that cannot be written.
func reportDeadlock(s shared, system *musubi.System, d *fabric.Deadlock) error {
	fmt.Fprintln(s.stderr, "musubi:", d)
	print := func() error { return printDeadlock(s.stdout, d) }
	if s.json {
		print = func() error { return report.WriteJSON(s.stdout, deadlockObject(system, d)) }
	}
	if err := print(); err != nil {
		return err
	}
	return errNo
}
