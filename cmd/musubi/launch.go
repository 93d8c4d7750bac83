package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"musubi/live"

	"github.com/spf13/cobra"
)

// launchFlags are the flags of "musubi launch".
type launchFlags struct {
	ranks     int
	hosts     string
	hostFile  string
	ssh       string
	remote    string
	label     string
	transport string
	timeout   time.Duration
	grace     time.Duration
	env       []string
	dir       string
	bind      string
	noDirect  bool
	encrypt   string
}

func launchCommand() *cobra.Command {
	var f launchFlags
	cmd := &cobra.Command{
		Use:   "launch [flags] PROGRAM [ARGUMENT...]",
		Short: "Start a program as the ranks of a job",
		Long: `Launch starts a program as often as there are ranks. A program on package musubi finds
the others and runs on them; rank 0 prints the result. Other programs are just
started; they find their rank and the number of ranks in MUSUBI_RANK and MUSUBI_SIZE.

With --hosts the program is started on other hosts as well, by ssh, which must let the
user in without questions; it and "musubi" must be there, at the same path.

Each line that a rank writes comes out as a whole, with the rank before it; what it
writes to standard error comes out there. Standard input goes to rank 0. The signal
USR1 prints what each rank waits for; see also "musubi ps".

Exit status: 0; that of the first rank that has failed, or 128 and the signal that has
ended it; 1 if no rank can go on; 2 for a mistake on the command line; 3 after an
interrupt.`,
		Example: `  musubi launch -n 4 ./heat -steps 100
  musubi launch -n 2 --transport tcp musubi run pingpong --on live
  musubi launch --hosts node1:4,node2:4 ./heat -steps 100
  musubi launch -n 3 hostname`,
		Args:        needsProgram,
		Annotations: map[string]string{endsByItself: ""},
		RunE:        f.run,

		DisableFlagsInUseLine: true, // behind PROGRAM they are its own
	}
	f.define(cmd)
	return cmd
}

func (f *launchFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows PROGRAM is its own
	flags.IntVarP(&f.ranks, "ranks", "n", 0, "number of ranks; 0 means as many as the hosts have room for, or one per processor of this one")
	flags.StringVar(&f.hosts, "hosts", "", "hosts and how many ranks each has room for, as `HOST:RANKS,...`; empty means this one")
	flags.StringVar(&f.hostFile, "hostfile", "", "take the hosts from a file: in each line a name and a number")
	flags.StringVar(&f.ssh, "ssh", live.UsualSSH, "`command` that starts others on a host; its name and the command follow")
	flags.StringVar(&f.remote, "remote-musubi", "musubi", "the program musubi on other hosts")
	flags.StringVar(&f.label, "label", labelRank, "what comes before each line: rank or none")
	flags.StringVar(&f.transport, "transport", live.TransportAuto, "way of the data: auto (shared memory on a host, TCP between hosts), shm or tcp")
	flags.DurationVar(&f.timeout, "timeout", 10*time.Second, "how long a rank may give no sign of life until it counts as lost; 0 means for ever")
	flags.DurationVar(&f.grace, "grace", time.Second, "how long ranks may take to end after a failure or an interrupt, until they are made to")
	flags.StringArrayVar(&f.env, "env", nil, "`NAME=VALUE` for the environment of the ranks, or NAME to take it from this one; may be repeated")
	flags.StringVar(&f.dir, "wdir", "", "directory that the ranks start in; empty means this one")
	flags.StringVar(&f.bind, "bind", bindNone, "bind each rank to a processor (core), if there are enough, or none")
	flags.BoolVar(&f.noDirect, "no-direct", false, "let long messages go through shared memory, as where the system forbids copies between processes")
	flags.StringVar(&f.encrypt, "encrypt", encryptOn, "encrypt what ranks send over TCP (on), or not (off): for networks that nobody else is on")
	completeWith(cmd, "encrypt", encryptOn, encryptOff)
	completeWith(cmd, "label", labelRank, labelNone)
	completeWith(cmd, "transport", live.TransportAuto, live.TransportShm, live.TransportTCP)
	completeWith(cmd, "bind", bindCore, bindNone)
}

// Values of --label, --bind and --encrypt.
const (
	labelRank, labelNone  = "rank", "none"
	bindCore, bindNone    = "core", "none"
	encryptOn, encryptOff = "on", "off"
)

func needsProgram(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no program given; expected musubi launch -n RANKS PROGRAM [ARGUMENT...]; see %q", cmd.CommandPath()+" --help")
	}
	return nil
}

func (f *launchFlags) run(cmd *cobra.Command, args []string) error {
	if sharedFlags(cmd).json {
		return errors.New("--json is given, but what launch writes is the program's; expected --json behind the program, for itself")
	}
	cfg, err := f.config(args)
	if err != nil {
		return err
	}
	cfg.Output, cfg.Errors, cfg.Input = cmd.OutOrStdout(), cmd.ErrOrStderr(), cmd.InOrStdin()
	err = live.Launch(cmd.Context(), cfg)
	var (
		failed *live.RankError
		stuck  *live.StuckError
	)
	switch {
	case errors.As(err, &failed):
		return &exitError{max(1, failed.Status), located(failed)}
	case errors.As(err, &stuck):
		return &exitError{1, err}
	}
	return err
}

// located returns a failure that names its host.
func located(failed *live.RankError) error {
	if failed.Host != "" {
		return failed
	}
	copied := *failed
	copied.Host, _ = os.Hostname() // without it the line says less
	return &copied
}

// config makes a job of the flags.
func (f *launchFlags) config(args []string) (live.Config, error) {
	cfg := live.Config{
		Ranks: f.ranks, Transport: f.transport, Bound: f.timeout, Grace: f.grace, Dir: f.dir,
		Unlabelled: f.label == labelNone, Bind: f.bind == bindCore, NoDirect: f.noDirect, Plain: f.encrypt == encryptOff, Command: args,
		SSH: f.ssh, RemoteMusubi: f.remote,
	}
	if f.timeout == 0 {
		cfg.Bound = -1
	}
	if err := f.check(); err != nil {
		return cfg, err
	}
	if err := f.setHosts(&cfg); err != nil {
		return cfg, err
	}
	for _, given := range f.env {
		setting, err := environmentSetting(given)
		if err != nil {
			return cfg, err
		}
		cfg.Env = append(cfg.Env, setting)
	}
	if strings.ContainsRune(args[0], filepath.Separator) { // else it is found in the PATH
		path, err := filepath.Abs(args[0])
		if err != nil {
			return cfg, err
		}
		cfg.Command = append([]string{path}, args[1:]...)
	}
	return cfg, nil
}

// environmentSetting returns what a value of --env means, as NAME=VALUE.
func environmentSetting(given string) (string, error) {
	name, _, hasValue := strings.Cut(given, "=")
	if hasValue && name != "" {
		return given, nil
	}
	value, found := os.LookupEnv(name)
	if !found {
		return "", fmt.Errorf("--env %s; expected NAME=VALUE, or a NAME that is set here", given)
	}
	return name + "=" + value, nil
}

// setHosts says where the ranks run.
func (f *launchFlags) setHosts(cfg *live.Config) (err error) {
	switch {
	case f.hosts != "" && f.hostFile != "":
		return errors.New("--hosts and --hostfile are given; expected one of them")
	case f.hosts != "":
		cfg.Hosts, err = parseHosts(f.hosts)
	case f.hostFile != "":
		cfg.Hosts, err = readHosts(f.hostFile)
	case f.ranks == 0:
		cfg.Ranks = runtime.NumCPU()
	}
	if err == nil && cfg.Hosts != nil {
		cfg.Ranks = 0
		cfg.Hosts, err = room(cfg.Hosts, f.ranks)
	}
	return err
}

// check refuses values of flags that mean nothing.
func (f *launchFlags) check() error {
	if err := choose("--label", f.label, []string{labelRank, labelNone}); err != nil {
		return err
	}
	if err := choose("--bind", f.bind, []string{bindCore, bindNone}); err != nil {
		return err
	}
	if err := choose("--encrypt", f.encrypt, []string{encryptOn, encryptOff}); err != nil {
		return err
	}
	if f.timeout < 0 {
		return fmt.Errorf("--timeout %v; expected more than 0, or 0 for ever", f.timeout)
	}
	if f.grace <= 0 {
		return fmt.Errorf("--grace %v; expected more than 0", f.grace)
	}
	return nil
}
