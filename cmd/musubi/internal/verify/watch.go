package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/option"
	"musubi/watch"

	"github.com/spf13/cobra"
)

// noListener is the value of --listen that stands for no port.
const noListener = "none"

type watchFlags struct {
	verify verifyFlags

	Interval time.Duration `name:"interval" value:"duration" help:"time from one look at the dumps to the next"`
	Listen   string        `name:"listen" value:"address" help:"address of this host where GET /metrics answers Prometheus, such as 127.0.0.1:9596; none: nowhere"`
	Once     bool          `name:"once" help:"verify once and end, with the exit status of verify"`
}

// Watch is the subcommand watch.
func Watch() *cobra.Command {
	f := watchFlags{verify: verifyFlags{scenario: musubi.Usual(), Classes: allClasses}, Interval: 10 * time.Second, Listen: "127.0.0.1:9596"}
	cmd := &cobra.Command{
		Use:   "watch [flags] [DIR | COMMAND [ARGUMENT...]]",
		Short: "Verify the tables of a fabric whenever its dumps change",
		Long: `Watch verifies network and tables as "musubi verify" does, and again whenever one of their
files changes and then stays as it is for one interval. File names are relative to the
directory, if one is given. A command is run before each look, and writes the files.

Each change makes one line: the answer, how many pairs there are and how many are lost,
the length of a cycle, and the load of the most used link if each pair has one path.
With --json lines are objects. Prometheus finds the same at /metrics of --listen, with the age
of verdict and dumps. What cannot be read is told once, and counted there.

Exit status 3 after an interrupt. With --once, for cron: that of verify, and with --quiet
nothing is printed as long as the answer is "yes".`,
		Example: `  musubi watch /var/lib/fabric --topology fabric.ibnetdiscover --lfts fabric.lfts
  musubi watch --topology fabric.ibnetdiscover --lfts fabric.lfts --interval 5m -- ./collect.sh
  musubi watch --once --quiet --topology clos.edges --tables routes.csv`,
		RunE:        func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
		Annotations: map[string]string{cli.EndsByItself: ""},
	}
	cli.DefineOptions(cmd, append(f.verify.options(), option.Of(&f)...))
	return cmd
}

func (f *watchFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.verify.check(); err != nil {
		return err
	}
	if f.Interval < time.Millisecond {
		return fmt.Errorf("--interval %v; expected 1ms or more", f.Interval)
	}
	directory, command, err := whereFrom(args)
	if err != nil {
		return err
	}
	s := cli.SharedFlags(cmd)
	var unwritten error
	tell := func(e watch.Event) {
		if err := f.tell(s, e); err != nil && unwritten == nil {
			unwritten = err
			if !f.Once { // metrics go on
				s.Note("%v", err)
			}
		}
	}
	w := &watch.Watcher{Command: command, Tell: tell, Verify: func() (watch.Verdict, error) {
		found, err := f.verify.verify()
		if err != nil {
			return watch.Verdict{}, err
		}
		return found.summary(), nil
	}}
	if directory != "" {
		if err := os.Chdir(directory); err != nil {
			return err
		}
	}
	w.Files = f.files
	if f.Once {
		e := w.Look(cmd.Context())
		if e.Err != nil {
			return e.Err
		}
		if unwritten != nil {
			return unwritten
		}
		return cli.Answer(e.Verdict.OK)
	}
	if err := f.serve(cmd.Context(), s, w); err != nil {
		return err
	}
	w.Run(cmd.Context(), f.Interval)
	return nil
}

// whereFrom tells which of both the arguments are: the directory of the dumps, or a command that writes them.
func whereFrom(args []string) (directory string, command []string, err error) {
	if len(args) == 0 {
		return "", nil, nil
	}
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
		if len(args) > 1 {
			return "", nil, fmt.Errorf("%s is a directory, and %s stands behind it; expected a directory or a command", args[0], args[1])
		}
		return args[0], nil, nil
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return "", nil, fmt.Errorf("%s is neither a directory nor a command that can be run; expected one of them", args[0])
	}
	return "", args, nil
}

// files lists the dumps. A topology that is no file is the name of a network.
func (f *watchFlags) files() []string {
	v := &f.verify
	var files []string
	_, path, _ := strings.Cut(v.scenario.Topology, ":")
	for _, name := range []string{v.scenario.Topology, path} {
		if _, err := os.Stat(name); err == nil {
			files = append(files, name)
		}
	}
	at := v.infiniBand().Inside()
	for _, name := range []string{at.Forwarding, v.AR, v.MFTs, v.Tables, at.Levels, at.Lanes} {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			inside, _ := filepath.Glob(filepath.Join(name, "*.json"))
			files = append(files, inside...)
		} else if name != "" {
			files = append(files, name)
		}
	}
	return files
}

// serve answers Prometheus until the context is done.
func (f *watchFlags) serve(ctx context.Context, s cli.Shared, w *watch.Watcher) error {
	if f.Listen == noListener {
		return nil
	}
	host, _, err := net.SplitHostPort(f.Listen)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--listen %s; expected an address of this host alone, such as 127.0.0.1:9596, or none", f.Listen)
	}
	listener, err := net.Listen("tcp", f.Listen)
	if err != nil {
		return err
	}
	s.Note("metrics at http://%v/metrics", listener.Addr())
	server := &http.Server{Handler: w.Handler(), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.Note("metrics: %v", err)
		}
	}()
	return nil
}

// watchLine is the JSON of an event.
type watchLine struct {
	Time     string `json:"time"`
	OK       bool   `json:"ok"`
	Pairs    int64  `json:"pairs"`
	Lost     int64  `json:"lost_pairs"`
	Cycle    int    `json:"cycle_channels"`
	Load     int64  `json:"worst_load_pairs,omitempty"`
	ErrorMsg string `json:"error,omitempty"`
}

// tell prints an event in one line.
func (f *watchFlags) tell(s cli.Shared, e watch.Event) error {
	at := e.Time.UTC().Format(time.RFC3339)
	var err error
	switch {
	case f.Once && (e.Err != nil || s.Quiet && e.Verdict.OK): // an error is told at the end
	case s.JSON:
		line := watchLine{Time: at, OK: e.Err == nil && e.Verdict.OK, Pairs: e.Verdict.Pairs, Lost: e.Verdict.Lost, Cycle: e.Verdict.Cycle, Load: e.Verdict.Load}
		if e.Err != nil {
			line.ErrorMsg = e.Err.Error()
		}
		err = json.NewEncoder(s.Stdout).Encode(line)
	case e.Err != nil:
		_, err = fmt.Fprintf(s.Stdout, "%s error: %s\n", at, strings.Join(strings.Fields(e.Err.Error()), " "))
	default:
		_, err = fmt.Fprintf(s.Stdout, "%s %v\n", at, e.Verdict)
	}
	return err
}
