package tune

import (
	"slices"
	"testing"

	"musubi"
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
