package job

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"musubi/live/wire"
	"musubi/rma"
)

// Config describes a job.
type Config struct {
	Ranks int // 1 to MaxRanks; 0: those of Hosts

	// Hosts are where the ranks run, the first ones on the first host. The ranks of an
	// entry share memory; a host may be listed more than once. Nil: all run on this host.
	Hosts []Host
	// Transport is how data goes from rank to rank, one of the constants; "": TransportAuto.
	Transport string
	// Bound is how long a rank may give no sign of life until it counts as lost. 0: 10
	// seconds; negative: for ever.
	Bound time.Duration

	// Output is where lines go that ranks write to their standard output and standard
	// error, each with its rank before it. Nil: the standard error of the parent.
	Output io.Writer
	// Errors is where lines go that ranks write to their standard error. Nil: to Output.
	Errors io.Writer
	// Unlabelled leaves the rank away.
	Unlabelled bool
	// Input is the standard input of rank 0. Nil, and for all others: it is empty.
	Input io.Reader
	// Command is the command line of the ranks; nil: that of this process. The program
	// that it starts must come to Run as well.
	Command []string
	// SSH is the command that starts a command on another host, in words; the host and the
	// command follow them. "": UsualSSH.
	SSH string
	// RemoteMusubi is the program musubi on other hosts; "": as it is found there.
	RemoteMusubi string
	// Env is added to the environment of the ranks, as "NAME=value".
	Env []string
	// Dir is where the ranks start; "": where their parent has.
	Dir string
	// Bind binds the thread of each rank to a processor of its own, on hosts that have
	// enough of them.
	Bind bool
	// NoDirect makes long transfers go through the rings, as they do where the system
	// forbids copying between processes.
	NoDirect bool
	// Wait is how ranks wait for messages, one of the constants; "": WaitAuto.
	Wait string
	// Encrypt is how what ranks send each other over TCP is encrypted, one of the constants; "":
	// EncryptOn. Who they are they prove all the same.
	Encrypt string
	// Tuning names the measurements by which all ranks choose algorithms of collective operations: a file that "musubi
	// tune" has written, a machine whose measurements come along, or "none". "": what MUSUBI_TUNING names,
	// or else what comes along for processes. Whoever starts the ranks decides, or else rank 0; a rank
	// that names others cannot join.
	Tuning string
	// Grace is how long ranks may take to end after a failure until they are asked to
	// (SIGTERM), and then until they are killed; 0: a second.
	Grace time.Duration
	// Observe is what the ranks are observed for, one of the constants; "": nothing. Observed is told of each rank when the job
	// has succeeded; seen is nil for a process that has not come to Run, Main or Join.
	Observe  string
	Observed func(rank int, seen *Observed)

	launched bool // see Launch
}

// outputs returns where ranks write to.
func (c Config) outputs() *labelled {
	stdout := cmp.Or(c.Output, io.Writer(os.Stderr))
	return &labelled{stdout: stdout, stderr: cmp.Or(c.Errors, stdout), plain: c.Unlabelled}
}

// RankError is the first failure of a job.
type RankError struct {
	Rank   int
	Host   string // as Config names it; "" for this one
	Status int    // of the process, or 128 and the signal that has ended it; 0 if it has not ended by itself
	Err    error
}

func (e *RankError) Error() string { return fmt.Sprintf("%s: %v", wire.RankOn(e.Rank, e.Host), e.Err) }

func (e *RankError) Unwrap() error { return e.Err }

// ToldError is what Run returns in rank 0 of a job that was launched and has failed. The
// launcher has been told and says what the first failure was, so the program need not.
type ToldError struct{ Err error }

func (e *ToldError) Error() string { return e.Err.Error() }

func (e *ToldError) Unwrap() error { return e.Err }

// Run runs a program in processes of its own, as many as there are ranks, and returns
// the result of rank 0. It starts them by executing the command line of this process
// again. In each of these it runs the program as that rank, and returns what has become of it;
// see Main for a Run that does not return there. In ranks that were started from outside, cfg says
// how data goes and how long they may be silent, and the rest of it is not looked at.
//
// The error is that of ctx, whose end kills the ranks; a *RankError; a *StuckError; in rank 0
// of a job that was launched a *ToldError; or it says why the job could not be started.
func Run(ctx context.Context, cfg Config, program func(rma.Process) (result []byte, err error)) ([]byte, error) {
	if !Inside() {
		return start(ctx, cfg)
	}
	_, result, err := run(ctx, cfg, program)
	return result, err
}

// start starts the ranks of a job and waits for its end.
func start(ctx context.Context, cfg Config) ([]byte, error) {
	parts, err := place(cfg)
	if err != nil {
		return nil, err
	}
	by, err := cfg.decide()
	if err != nil {
		return nil, err
	}
	for i := range parts {
		parts[i].Tuning = by
	}
	return launch(ctx, cfg, parts)
}

// Launch runs a command in processes, as many as there are ranks, for its own sake. If
// it comes to Run or Join, that makes them ranks. Other programs are just run as often. All find their rank and the number
// of ranks in the environment, as MUSUBI_RANK and MUSUBI_SIZE.
//
// Errors are as for Run. A status of a process other than 0 is a failure of its rank.
func Launch(ctx context.Context, cfg Config) error {
	cfg.launched = true
	_, err := start(ctx, cfg)
	return err
}

// StuckError means that all ranks waited and nothing was under way that could have
// ended that.
type StuckError struct {
	Standing string // what each rank waited for
}

func (e *StuckError) Error() string { return "nothing can happen any more: " + e.Standing }
