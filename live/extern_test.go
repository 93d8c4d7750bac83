package live

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"musubi/internal/check"
	"musubi/live/livetest"
	"musubi/live/tcp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Variables that configure ranks of tests that are started from outside.
const (
	transportVariable = "LIVE_TEST_TRANSPORT"
	boundVariable     = "LIVE_TEST_BOUND"
	victimVariable    = "LIVE_TEST_VICTIM"
)

func externConfig() Config {
	bound, _ := time.ParseDuration(os.Getenv(boundVariable))
	return Config{Transport: os.Getenv(transportVariable), Bound: bound}
}

// reportExtern ends rank 0 of a job that was started from outside.
func reportExtern(result []byte, err error) {
	fmt.Printf("Run returns %q, %v\n", result, err)
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// tool finds a program that tests need; without it they are skipped, but not where all is
// to be tested.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip(err)
	return ""
}

// withoutStarter is the environment without what tells of the rank that a test may be.
func withoutStarter() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "MUSUBI_") && !strings.HasPrefix(v, "OMPI_") && !strings.HasPrefix(v, "PMI") && !strings.HasPrefix(v, "SLURM_") {
			env = append(env, v)
		}
	}
	return env
}

func TestStartedByMPI(t *testing.T) {
	for _, c := range []struct {
		starter   []string
		transport string
	}{
		{[]string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np", "4"}, ""},
		{[]string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np", "3"}, TransportTCP},
		{[]string{"mpiexec.hydra", "-n", "4"}, ""},
		{[]string{"mpiexec.hydra", "-n", "3"}, TransportTCP},
	} {
		if livetest.Race && c.transport != "" {
			continue // how ranks are started is the same
		}
		n := c.starter[len(c.starter)-1]
		t.Run(fmt.Sprint(c.starter[0], "/", n, "/", c.transport), func(t *testing.T) {
			path := tool(t, c.starter[0])
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, path, append(c.starter[1:], os.Args[0])...)
			cmd.Env = append(withoutStarter(), programVariable+"=ring", transportVariable+"="+c.transport)
			output, err := cmd.CombinedOutput()
			if want := fmt.Sprintf("Run returns %q, <nil>\n", n+" ranks"); err != nil || string(output) != want {
				t.Errorf("%v: %v, and writes\n%s\nwant %s", c.starter, err, output, want)
			}
		})
	}
}

// externRanks are ranks that a test starts as others than their parent do.
type externRanks struct {
	commands []*exec.Cmd
	outputs  []*text
	errs     []error
	done     []chan struct{} // closed when the rank has ended
	ended    sync.WaitGroup
}

// text is what a process writes, which can be read meanwhile.
type text struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes.String()
}

// startExtern starts a process for each rank. env returns what each is told, and prefix a
// command line before that of the program.
func startExtern(t *testing.T, ranks int, program string, prefix func(rank int) []string, env func(rank int) []string) *externRanks {
	t.Helper()
	x := &externRanks{errs: make([]error, ranks)}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	for rank := range ranks {
		args := []string{os.Args[0]}
		if prefix != nil {
			args = append(prefix(rank), args...)
		}
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Env = append(append(withoutStarter(), programVariable+"="+program), env(rank)...)
		output, done := new(text), make(chan struct{})
		cmd.Stdout, cmd.Stderr = output, output
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		x.commands, x.outputs, x.done = append(x.commands, cmd), append(x.outputs, output), append(x.done, done)
		x.ended.Go(func() {
			x.errs[rank] = cmd.Wait()
			close(done)
		})
	}
	return x
}

// expect waits for the ranks, and fails the test if rank 0 does not write what is wanted
// and all others nothing.
func (x *externRanks) expect(t *testing.T, want string) {
	t.Helper()
	x.ended.Wait()
	for rank := range x.commands {
		wanted := ""
		if rank == 0 {
			wanted = want
		}
		if got := x.outputs[rank].String(); got != wanted || x.errs[rank] != nil {
			t.Errorf("rank %d ends with %v and writes\n%s\nwant %s", rank, x.errs[rank], got, cmp.Or(wanted, "nothing"))
		}
	}
}

// slurm returns what srun tells a rank.
func slurm(rank, size, hosts int) []string {
	return []string{
		fmt.Sprint("SLURM_PROCID=", rank), fmt.Sprint("SLURM_STEP_NUM_TASKS=", size),
		fmt.Sprint("SLURM_STEP_NUM_NODES=", hosts), fmt.Sprint("SLURM_JOB_ID=", os.Getpid()), "SLURM_STEP_ID=0",
	}
}

func TestStartedBySrun(t *testing.T) {
	x := startExtern(t, 3, "ring", nil, func(rank int) []string { return slurm(rank, 3, 1) })
	x.expect(t, "Run returns \"3 ranks\", <nil>\n")
}

// testKey is the key of jobs that a test starts.
var testKey = hex.EncodeToString(bytes.Repeat([]byte{7}, tcp.KeyBytes))

func TestStartedByVariables(t *testing.T) {
	key, file := "MUSUBI_KEY"+"="+testKey, "MUSUBI_KEY_FILE"+"="+keyFile(t, 0o600)
	for _, c := range []struct{ transport, key string }{{TransportAuto, key}, {TransportAuto, file}, {TransportShm, file}, {TransportTCP, key}} {
		name, _, _ := strings.Cut(c.key, "=")
		t.Run(c.transport+"/"+name, func(t *testing.T) {
			hub := check.FreeAddress()
			x := startExtern(t, 4, "ring", nil, func(rank int) []string {
				return append(variables(rank, 4, hub), c.key, transportVariable+"="+c.transport)
			})
			x.expect(t, "Run returns \"4 ranks\", <nil>\n")
		})
	}
}

func variables(rank, size int, hub string) []string {
	return []string{fmt.Sprint("MUSUBI_RANK", "=", rank), fmt.Sprint("MUSUBI_SIZE", "=", size), "MUSUBI_HUB" + "=" + hub}
}

func keyFile(t *testing.T, mode os.FileMode) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, []byte(testKey+"\n"), mode); err != nil {
		t.Fatal(err)
	}
	return name
}

// What a starter does not tell, or tells wrongly, is named.
func TestStartersThatTellTooLittle(t *testing.T) {
	hub := "MUSUBI_HUB" + "=127.0.0.1:1"
	for _, c := range []struct {
		name string
		env  []string
		want string
	}{
		{"several hosts", slurm(0, 2, 2), "live: rank 0 of 2 was started by srun, which does not say where the others are; expected MUSUBI_HUB=HOST:PORT, at which rank 0 listens, and MUSUBI_KEY or MUSUBI_KEY_FILE, the same for all ranks"},
		{"no hub", []string{"MUSUBI_RANK=0", "MUSUBI_SIZE=2"}, "live: rank 0 of 2 was started by hand, which does not say"},
		{"no key", []string{"MUSUBI_RANK=0", "MUSUBI_SIZE=2", hub}, "live: MUSUBI_HUB is set without a key; expected MUSUBI_KEY or MUSUBI_KEY_FILE"},
		{"short key", []string{"MUSUBI_RANK=0", "MUSUBI_SIZE=2", hub, "MUSUBI_KEY=abc"}, "live: key of the job in MUSUBI_KEY: 3 characters that are no key; expected 64 hexadecimal digits"},
		{"open file", []string{"MUSUBI_RANK=0", "MUSUBI_SIZE=2", hub, "MUSUBI_KEY_FILE=" + keyFile(t, 0o644)}, "other users may access"},
		{"no number", []string{"MUSUBI_RANK=x", "MUSUBI_SIZE=2"}, `live: MUSUBI_RANK is "x"; expected a number from 0 to 1023`},
		{"no size", []string{"MUSUBI_RANK=1"}, "live: MUSUBI_RANK is set without MUSUBI_SIZE; expected both or neither"},
		{"no rank", []string{"MUSUBI_SIZE=2"}, "live: MUSUBI_SIZE is set without MUSUBI_RANK; expected both or neither"},
		{"too many", []string{"MUSUBI_RANK=0", "MUSUBI_SIZE=1025"}, `live: MUSUBI_SIZE is "1025"; expected a number from 1 to 1024`},
		{"rank too large", []string{"MUSUBI_RANK=2", "MUSUBI_SIZE=2"}, "live: MUSUBI_RANK is 2 and MUSUBI_SIZE 2; expected a rank below the size"},
		{"transport", append(slurm(0, 2, 1), transportVariable+"=pigeon"), `live: transport "pigeon"; expected auto, shm, tcp or unix`},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(append(withoutStarter(), programVariable+"=ring"), c.env...)
			output, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(output), c.want) {
				t.Errorf("ends with %v and writes %q, want %s", err, output, c.want)
			}
		})
	}
}
