package sweeps

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"musubi/cmd/musubi/internal/cli"
	"musubi/option"
	"musubi/sweep"
	"musubi/sweep/queue"

	"github.com/spf13/cobra"
)

type workerFlags struct {
	NATS    string `name:"nats" value:"URL" help:"NATS server with JetStream that has the runs, such as nats://host:4222"`
	Workers int    `name:"workers" help:"runs beside each other; 0 means one per processor"`
}

// Worker is the subcommand worker.
func Worker() *cobra.Command {
	var f workerFlags
	cmd := &cobra.Command{
		Use:   "worker --nats URL",
		Short: "Carry out runs of sweeps that other computers ask for",
		Long: `Worker takes runs of "musubi sweep" from a NATS server and returns their results, until it is
interrupted. It waits for a server that is not there yet, or is away. It takes runs of sweeps by the
same version of the program only. Runs of a worker that is stopped go to others.

Simulated machines and networks that have names can be run, and files cannot. A worker runs nothing but
simulations; but who has access to the server can keep it busy, so give that a token or a user.`,
		Example: `  musubi worker --nats nats://10.0.0.1:4222`,
		Args:    cli.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.work(cmd) },
	}
	cli.DefineOptions(cmd, option.Of(&f))
	return cmd
}

func (f *workerFlags) work(cmd *cobra.Command) error {
	switch {
	case f.NATS == "":
		return errors.New("no server given; expected --nats with the URL of a NATS server, such as nats://host:4222")
	case f.Workers < 0:
		return fmt.Errorf("--workers %d; expected 0 or more", f.Workers)
	case f.Workers == 0:
		f.Workers = runtime.GOMAXPROCS(0)
	}
	version, err := programVersion()
	if err != nil {
		return err
	}
	s := cli.SharedFlags(cmd)
	s.Note("up to %s of version %s", cli.Plural(f.Workers, "run", "runs at a time"), queueVersion(version))
	return queue.Work(cmd.Context(), f.NATS, queueVersion(version), f.Workers, sweep.Run, queue.Tell(f.NATS, s.Note))
}

// programVersion returns what distinguishes results of this program from those of others: the
// revision of its source, or the hash of the program if that is not known.
var programVersion = sync.OnceValues(func() (string, error) {
	if v := cli.BuildVersion(); v.Revision != "unknown" && !v.Modified {
		return v.Revision, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer program.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, program); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
})

// queueVersion returns the part of a version that names its streams.
func queueVersion(version string) string { return version[:min(len(version), 16)] }
