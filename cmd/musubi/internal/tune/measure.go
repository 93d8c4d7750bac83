package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"musubi"
	"musubi/cmd/musubi/internal/open"
	"musubi/mpi"
	"musubi/tuning"
	"musubi/workload/collectives"
)

// mostOfRank is how many bytes for all ranks together a rank has at most.
const mostOfRank = 4 << 20

// measurements are what was measured.
type measurements struct {
	all     tuning.Table     // the shortest of all rounds
	halves  [2]tuning.Table  // the shortest of every other round; empty if there is only one
	chosen  map[place]string // by auto
	choices []float64        // times of auto, of those of the same algorithm by its name
}

// place is where algorithms are compared.
type place struct {
	operation    string
	ranks, bytes int
}

// add adds the times of the rounds, in their order. The shortest counts: what disturbs a host adds to a time and never
// takes from it, and of few rounds it may disturb most.
func (m *measurements) add(p tuning.Point, rounds []float64) {
	var halves [2][]float64
	for i, time := range rounds {
		halves[i%2] = append(halves[i%2], time)
	}
	p.Time = slices.Min(rounds)
	m.all.Add(p)
	if len(rounds) == 1 {
		return
	}
	for i := range halves {
		p.Time = slices.Min(halves[i])
		m.halves[i].Add(p)
	}
}

// scatter returns how many times as long an algorithm takes in one half of the rounds as in the other, at least 1; 1 if
// there was only one round.
func (m *measurements) scatter(c *tuning.Case, algorithm string) float64 {
	a, _ := m.halves[0].Time(c.Operation, algorithm, c.Ranks, c.Bytes)
	b, known := m.halves[1].Time(c.Operation, algorithm, c.Ranks, c.Bytes)
	if !known || a <= 0 || b <= 0 {
		return 1
	}
	return max(a/b, b/a)
}

// addAll adds the rounds of all algorithms at a place. Of several rounds, those of auto are also rounds of the algorithm that it
// chose, and the other way round: how they differ tells how the host was disturbed, and what the choice itself takes.
func (m *measurements) addAll(at place, chosen string, rounds map[string][]float64) {
	if m.chosen == nil {
		m.chosen = map[place]string{}
	}
	m.chosen[at] = chosen
	auto, named := rounds[tuning.Auto], rounds[chosen]
	if len(auto) > 1 && len(named) > 0 {
		m.choices = append(m.choices, slices.Min(auto)/slices.Min(named))
		both := slices.Concat(auto, named)
		rounds[tuning.Auto], rounds[chosen] = both, both
	}
	for algorithm, times := range rounds {
		m.add(tuning.Point{Operation: at.operation, Ranks: at.ranks, Bytes: at.bytes, Algorithm: algorithm}, times)
	}
}

// measure adds the times of an operation by each algorithm, and by auto. Each has a run of its own,
// as what ranks did before decides how far apart they begin.
func (f *flags) measure(ctx context.Context, m *measurements, operation string, ranks int, sizes []int) error {
	var list []string
	for _, n := range sizes {
		if !collectives.Named(operation).Parts || n <= mostOfRank/ranks {
			list = append(list, strconv.Itoa(n))
		}
	}
	if len(list) == 0 {
		return nil
	}
	names, err := mpi.AlgorithmsFor(operation, ranks)
	if err != nil {
		return err
	}
	bytes := strings.Join(list, ",")
	bySize := map[int]*rounds{}
	for range f.rounds() {
		for _, algorithm := range slices.Concat([]string{tuning.Auto}, names, special[operation]) {
			if err := f.round(ctx, bySize, operation, algorithm, ranks, bytes); err != nil {
				return err
			}
		}
	}
	for bytes, r := range bySize {
		m.addAll(place{operation, ranks, bytes}, r.chosen, r.times)
	}
	return nil
}

// rounds are the times of an operation with messages of a size.
type rounds struct {
	times  map[string][]float64 // in microseconds, by algorithm
	chosen string               // by auto
}

// round measures one algorithm once.
func (f *flags) round(ctx context.Context, bySize map[int]*rounds, operation, algorithm string, ranks int, bytes string) error {
	named := algorithm
	switch algorithm {
	case mpi.Offload:
		bytes = "8"
	case tuning.Auto:
		named = "chosen" // auto, under the name of what it chooses
	}
	set := map[string]string{"operation": operation, "algorithm": named, "bytes": bytes, "iterations": strconv.Itoa(f.Iterations), "warmup": strconv.Itoa(f.Warmup)}
	list, err := f.times(ctx, ranks, set)
	if slices.Contains(special[operation], algorithm) && errors.As(err, new(*musubi.InputError)) {
		return nil // the machine does not have it
	}
	for _, x := range list {
		r := bySize[x.bytes]
		if r == nil {
			r = &rounds{times: map[string][]float64{}}
			bySize[x.bytes] = r
		}
		r.times[algorithm] = append(r.times[algorithm], x.us)
		if algorithm == tuning.Auto {
			r.chosen = x.algorithm
		}
	}
	return err
}

// special are the algorithms that only some machines have, by operation.
var special = map[string][]string{
	"barrier":   {mpi.Offload, mpi.Chain, mpi.Hierarchical},
	"broadcast": {mpi.Chain, mpi.Hierarchical},
	"allreduce": {mpi.Offload},
}

// measured is a time that was measured.
type measured struct {
	algorithm string
	bytes     int
	us        float64
}

// times runs workload collective. Each job of processes is started by a process of its own, as its
// ranks execute the command line again.
func (f *flags) times(ctx context.Context, ranks int, set map[string]string) ([]measured, error) {
	if err := ctx.Err(); err != nil { // short runs do not look
		return nil, err
	}
	if f.On == musubi.Live {
		return f.liveTimes(ctx, ranks, set)
	}
	s := musubi.Usual()
	s.Machine, s.Topology, s.Place, s.Tuning = f.On, f.Topology, f.Place, f.Tuning
	s.Workload, s.Ranks, s.Set = "collective", ranks, set
	if err := open.CheckNames(s); err != nil {
		return nil, err
	}
	result, err := musubi.RunWorkload(ctx, s)
	if err != nil {
		return nil, err
	}
	var list []measured
	for _, row := range result.Rows {
		if row.Metric == set["operation"] {
			list = append(list, measured{fmt.Sprint(row.Labels[0].Value), row.Bytes, row.Value})
		}
	}
	return list, nil
}

// liveTimes is times of processes.
func (f *flags) liveTimes(ctx context.Context, ranks int, set map[string]string) ([]measured, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"run", "collective", "--on", musubi.Live, "--ranks", strconv.Itoa(ranks), "--json", "--quiet"}
	for name, value := range map[string]string{"transport": f.Transport, "tuning": f.Tuning} {
		if value != "" {
			args = append(args, "--"+name, value)
		}
	}
	for name, value := range set {
		args = append(args, "--set", name+"="+value)
	}
	var stderr bytes.Buffer
	for _, name := range special[set["operation"]] {
		if name == set["algorithm"] {
			return nil, &musubi.InputError{Key: "set.algorithm", Err: errors.New("processes do not have it")}
		}
	}
	run := exec.CommandContext(ctx, program, args...)
	run.Stderr, run.WaitDelay = &stderr, time.Second // an interrupt does not wait for ranks that still have the pipes
	out, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	var result struct {
		Rows []struct {
			Metric    string
			Algorithm string
			Bytes     int
			Value     float64
		}
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return nil, err
	}
	var list []measured
	for _, row := range result.Rows {
		if row.Metric == set["operation"] {
			list = append(list, measured{row.Algorithm, row.Bytes, row.Value})
		}
	}
	return list, nil
}
