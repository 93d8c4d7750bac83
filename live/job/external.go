package job

import (
	"encoding/hex"
	"errors"
	"fmt"
	"musubi/live/tcp"
	"musubi/live/wire"
	"os"
	"strconv"
	"strings"
)

// Variables that tell ranks what their starter does not.
const (
	externalHub     = "MUSUBI_HUB"
	externalKey     = "MUSUBI_KEY"
	externalKeyFile = "MUSUBI_KEY_FILE"
)

// starter is a program that starts all ranks of a job, and tells them so by variables of
// the environment.
type starter struct {
	name       string
	rank, size string
	// job are variables that together name the job, if all its ranks are on this host.
	job     []string
	oneHost func() bool // whether they are
}

// starters are those known, the innermost one first.
var starters = []starter{
	{name: "hand", rank: ScriptRank, size: ScriptSize},
	{
		name: "mpirun of Open MPI", rank: "OMPI_COMM_WORLD_RANK", size: "OMPI_COMM_WORLD_SIZE",
		job:     []string{"OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE"},
		oneHost: func() bool { return equalVariables("OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE") },
	},
	{name: "mpiexec of MPICH", rank: "PMI_RANK", size: "PMI_SIZE"},
	{
		name: "srun", rank: "SLURM_PROCID", size: "SLURM_STEP_NUM_TASKS",
		job:     []string{"SLURM_JOB_ID", "SLURM_STEP_ID"},
		oneHost: func() bool { return os.Getenv("SLURM_STEP_NUM_NODES") == "1" },
	},
}

func equalVariables(a, b string) bool { return os.Getenv(a) == os.Getenv(b) }

// external is what a process was told by whoever has started it as a rank.
type external struct {
	starter    starter
	rank, size int
}

// startedOutside returns what a starter tells, false if there is none. One variable of
// our own two is enough: without the other readExtern fails, as whoever has set it wants
// a rank, and not a job.
func startedOutside() (starter, bool) {
	for i, s := range starters {
		hasRank, hasSize := os.Getenv(s.rank) != "", os.Getenv(s.size) != ""
		if hasRank && hasSize || i == 0 && (hasRank || hasSize) {
			return s, true
		}
	}
	return starter{}, false
}

// readExternal reads the rank and the size that a starter tells.
func readExternal(s starter) (external, error) {
	e := external{starter: s}
	for _, pair := range [][2]string{{s.rank, s.size}, {s.size, s.rank}} {
		if os.Getenv(pair[0]) != "" && os.Getenv(pair[1]) == "" {
			return e, fmt.Errorf("live: %s is set without %s; expected both or neither", pair[0], pair[1])
		}
	}
	var err error
	if e.rank, err = numberIn(s.rank, 0, wire.MaxRanks-1); err != nil {
		return e, err
	}
	if e.size, err = numberIn(s.size, 1, wire.MaxRanks); err != nil {
		return e, err
	}
	if e.rank >= e.size {
		return e, fmt.Errorf("live: %s is %d and %s %d; expected a rank below the size", s.rank, e.rank, s.size, e.size)
	}
	return e, nil
}

// numberIn reads a number from a variable.
func numberIn(variable string, least, most int) (int, error) {
	text := os.Getenv(variable)
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("live: %s is %q; expected a number from %d to %d", variable, text, least, most)
	}
	return n, nil
}

// jobName names the job among those of the user on this host; "" if ranks are on other
// hosts too, or the starter does not tell.
func (e external) jobName() string {
	if e.starter.oneHost == nil || !e.starter.oneHost() {
		return ""
	}
	var values []string
	for _, variable := range e.starter.job {
		if v := os.Getenv(variable); v != "" {
			values = append(values, v)
		}
	}
	return strings.Join(values, ".")
}

// givenKey returns the key that the user has made for the job, nil if there is none. The
// variable is removed, so that processes that the program starts do not get it.
func givenKey() ([]byte, error) {
	if text := os.Getenv(externalKey); text != "" {
		if err := os.Unsetenv(externalKey); err != nil {
			return nil, err
		}
		return decodeKey(text, externalKey)
	}
	name := os.Getenv(externalKeyFile)
	if name == "" {
		return nil, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("live: key of the job: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("live: key of the job: other users may access %s (%v); expected mode 0600", name, info.Mode().Perm())
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("live: key of the job: %w", err)
	}
	return decodeKey(strings.TrimSpace(string(text)), name)
}

var errKey = fmt.Errorf("expected %d hexadecimal digits, such as openssl rand -hex %d makes", 2*tcp.KeyBytes, tcp.KeyBytes)

func decodeKey(text, source string) ([]byte, error) {
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != tcp.KeyBytes {
		return nil, fmt.Errorf("live: key of the job in %s: %d characters that are no key; %w", source, len(text), errKey)
	}
	return key, nil
}

// Size returns how many ranks the job has that this process is a rank of, 0 if it is
// none of a job. It fails if a starter says that it is one, but not which, or of how many.
func Size() (int, error) {
	if os.Getenv(RankVariable) != "" {
		n, _ := strconv.Atoi(os.Getenv(ScriptSize))
		return n, nil
	}
	s, found := startedOutside()
	if !found {
		return 0, nil
	}
	e, err := readExternal(s)
	return e.size, err
}

var errTwice = errors.New("live: a second program in a process that is started as a rank; expected one call of Run")
