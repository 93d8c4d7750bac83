package tune

import (
	"path/filepath"
	"slices"
	"testing"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/internal/check"
	"musubi/mpi"
	"musubi/tuning"
)

// The measurements of processes that come along are of a host that is known, and compare all algorithms of each operation
// that has several, where ranks share processors and where they do not.
func TestMeasurementsOfProcessesComeAlong(t *testing.T) {
	table := tuning.Shipped(musubi.Live)
	if table == nil || table.Processors < 1 {
		t.Fatalf("%+v; expected a table with a line of processors", table)
	}
	measured := map[string]map[int][]string{} // algorithms by operation and ranks
	for _, p := range table.Points() {
		if measured[p.Operation] == nil {
			measured[p.Operation] = map[int][]string{}
		}
		if of := measured[p.Operation]; !slices.Contains(of[p.Ranks], p.Algorithm) {
			of[p.Ranks] = append(of[p.Ranks], p.Algorithm)
		}
	}
	for _, operation := range mpi.Operations() {
		shared, alone := false, false
		for ranks, algorithms := range measured[operation] {
			known, err := mpi.AlgorithmsFor(operation, ranks)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(known)
			slices.Sort(algorithms)
			if !slices.Equal(known, algorithms) {
				t.Errorf("%s of %d ranks was measured by %v; expected %v", operation, ranks, algorithms, known)
			}
			shared, alone = shared || ranks > table.Processors, alone || ranks <= table.Processors
		}
		if known, _ := mpi.AlgorithmsFor(operation, 2); len(known) > 1 && !(shared && alone) {
			t.Errorf("%s was measured with %d numbers of ranks; expected some of ranks that share processors, and some of others", operation, len(measured[operation]))
		}
	}
}

// The measurements of simulated machines that come along are those of this library: the commands at the head of each file give
// its times again, of some ranks, with -nightly of all. Where they do not, "musubi tune --renew" of the file does so.
func TestMeasurementsAreOfThisLibrary(t *testing.T) {
	for _, name := range tuning.Machines() {
		if name == musubi.Live {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("..", "..", "..", "..", "tuning", "machines", name+".tuning")
			was, commands, err := readCommands(file)
			check.Must(t, err)
			var m measurements
			for _, c := range commands {
				if !*nightly {
					c.plan.ranks = slices.DeleteFunc(c.plan.ranks, func(n int) bool { return n != 3 })
				}
				check.Must(t, c.addTo(t.Context(), &m, cli.Shared{Quiet: true}))
			}
			now, err := inDigitsOfAFile(m.all.Choices())
			check.Must(t, err)
			for _, p := range was.Points() {
				if !*nightly && p.Ranks != 3 {
					continue
				}
				if time, _ := now.Time(p.Operation, p.Algorithm, p.Ranks, p.Bytes); time != p.Time {
					t.Errorf("%s of %d ranks by %s, %d bytes, takes %g us, and the table says %g", p.Operation, p.Ranks, p.Algorithm, p.Bytes, time, p.Time)
				}
			}
		})
	}
}
