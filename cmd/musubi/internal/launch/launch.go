package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/live"
	"musubi/option"

	"github.com/spf13/cobra"
)

// launchFlags are the options of "musubi launch", beside those of a scenario that say how
// processes run.
type launchFlags struct {
	scenario musubi.Scenario

	Ranks    int           `name:"ranks" short:"n" help:"number of ranks; 0 means as many as the hosts have room for, or one per processor of this one"`
	Hosts    string        `name:"hosts" value:"HOST:RANKS,..." help:"hosts, and how many ranks each has room for; empty means this one"`
	HostFile string        `name:"hostfile" value:"file" help:"take the hosts from a file: in each line a name and a number"`
	SSH      string        `name:"ssh" value:"command" help:"what starts others on a host; its name and the command follow"`
	Remote   string        `name:"remote-musubi" help:"the program musubi on other hosts"`
	Label    string        `name:"label" values:"rank,none" default:"rank" help:"what comes before each line: rank or none"`
	Grace    time.Duration `name:"grace" value:"duration" help:"how long ranks may take to end after a failure or an interrupt, until they are made to"`
	Env      []string      `name:"env" value:"NAME=VALUE" help:"environment of the ranks, or NAME to take it from this one; repeatable"`
	Dir      string        `name:"wdir" help:"directory that the ranks start in; empty means this one"`
	Bind     string        `name:"bind" values:"core,none" default:"none" help:"bind each rank to a processor (core), if there are enough, or none"`
	NoDirect bool          `name:"no-direct" help:"let long messages go through shared memory, as where the system forbids copies between processes"`
}

// Command is the subcommand launch.
func Command() *cobra.Command {
	f := launchFlags{SSH: live.UsualSSH, Remote: "musubi", Grace: time.Second}
	cmd := &cobra.Command{
		Use:   "launch [flags] PROGRAM [ARGUMENT...]",
		Short: "Start a program as the ranks of a job",
		Long: `Launch starts a program as often as there are ranks. A program on package musubi finds
the others and runs on them; rank 0 prints the result. Other programs are just
started; they find their rank and the number of ranks in MUSUBI_RANK and MUSUBI_SIZE.

With --hosts the program is started on other hosts as well, by ssh, which must let the
user in without questions; it and "musubi" must be there, at the same path.

--record and --trace note what the ranks do, whether they are programs in Go or in C; the file is
written when all have ended well.

Each line that a rank writes comes out as a whole, with the rank before it; what it
writes to standard error comes out there. Standard input goes to rank 0. The signal
USR1 prints what each rank waits for; see also "musubi ps".

Exit status: 0; that of the first rank that has failed, or 128 and the signal that has
ended it; 1 if no rank can go on; 2 for a mistake on the command line; 3 after an
interrupt.`,
		Example: `  musubi launch -n 4 ./heat -steps 100
  musubi launch -n 2 --transport tcp musubi run pingpong --on live
  musubi launch --hosts node1:4,node2:4 ./heat -steps 100
  musubi launch -n 4 --record heat.goal ./heat -steps 100
  musubi launch -n 4 --tuning host.tuning ./heat -steps 100
  musubi launch -n 3 hostname`,
		Args:        needsProgram,
		Annotations: map[string]string{cli.EndsByItself: "", cli.OwnArguments: ""},
		RunE:        f.run,

		DisableFlagsInUseLine: true, // behind PROGRAM they are its own
	}
	cmd.Flags().SetInterspersed(false) // what follows PROGRAM is its own
	cli.DefineOptions(cmd, f.options())
	return cmd
}

func (f *launchFlags) options() []*option.Option {
	of := option.Named(f.scenario.Options(), "record", "trace", "tuning")
	of[0].Help = "write the messages and calculations of all ranks as a schedule that \"run trace\" carries out on any machine, to a name that ends in .goal, .bin or .et"
	of[1].Help = "write a timeline that ui.perfetto.dev opens: calls of ranks and messages"
	return append(f.scenario.LiveOptions(), append(of, option.Of(f)...)...)
}

func needsProgram(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no program given; expected musubi launch -n RANKS PROGRAM [ARGUMENT...]; see %q", cmd.CommandPath()+" --help")
	}
	return nil
}

func (f *launchFlags) run(cmd *cobra.Command, args []string) error {
	if cli.SharedFlags(cmd).JSON {
		return errors.New("--json is given, but what launch writes is the program's; expected --json behind the program, for itself")
	}
	cfg, err := f.config(args)
	if err != nil {
		return err
	}
	finish, err := f.scenario.Observe(&cfg)
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
		return &cli.ExitError{Status: max(1, failed.Status), Err: located(failed)}
	case errors.As(err, &stuck):
		return &cli.ExitError{Status: 1, Err: err}
	case err != nil:
		return err
	}
	return finish()
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
	cfg := f.scenario.LiveConfig()
	cfg.Ranks, cfg.Grace, cfg.Dir, cfg.NoDirect, cfg.Command = f.Ranks, f.Grace, f.Dir, f.NoDirect, args
	cfg.Unlabelled, cfg.Bind = f.Label == "none", f.Bind == "core"
	cfg.SSH, cfg.RemoteMusubi = f.SSH, f.Remote
	if err := f.check(); err != nil {
		return cfg, err
	}
	if err := f.setHosts(&cfg); err != nil {
		return cfg, err
	}
	for _, given := range f.Env {
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
	case f.Hosts != "" && f.HostFile != "":
		return errors.New("--hosts and --hostfile are given; expected one of them")
	case f.Hosts != "":
		cfg.Hosts, err = open.Hosts(f.Hosts)
	case f.HostFile != "":
		cfg.Hosts, err = open.HostFile(f.HostFile)
	case f.Ranks == 0:
		cfg.Ranks = runtime.NumCPU()
	}
	if err == nil && cfg.Hosts != nil {
		cfg.Ranks = 0
		cfg.Hosts, err = room(cfg.Hosts, f.Ranks)
	}
	return err
}

// check refuses values of flags that mean nothing.
func (f *launchFlags) check() error {
	for _, o := range f.options() {
		if err := o.Check(); err != nil {
			return err
		}
	}
	if f.Grace <= 0 {
		return fmt.Errorf("--grace %v; expected more than 0", f.Grace)
	}
	return nil
}
