package reproduce

import (
	"fmt"

	"musubi"
)

// areas are table 1 of [I]: the largest number of processes that a process of a NAS benchmark talks
// to, except in collective operations. The partners follow from the communication of the benchmarks
// alone.
var areas = []struct {
	kernel    string
	partners  float64
	reduction float64 // percent, by the formula of the paper
	printed   float64 // percent, as the paper has it
}{
	{"mg", 9, 84.4, 76.6}, {"cg", 4, 92.2, 92.2}, {"lu", 4, 92.2, 92.2}, {"sp", 6, 89.1, 89.1}, {"bt", 6, 89.1, 89.1}, {"is", 1, 96.9, 98.4},
}

// dimmnet2Printed is an item: for two benchmarks the table does not follow the formula of the paper.
const dimmnet2Printed = "receive area saved ([I], as table 1 prints it)"

// areaRanks is the number of processes in that table.
const areaRanks = 64

// dimmnet2Areas runs the communication of the benchmarks and counts partners. With p partners, p +
// 1 receive rings suffice instead of one for every process.
func dimmnet2Areas(b *bench) error {
	var partners []float64
	for _, a := range areas {
		p, err := b.partners(a.kernel)
		if err != nil {
			return err
		}
		partners = append(partners, p)
		b.add(Predicted, fmt.Sprintf("partners of a process, %d processes, class A ([I])", areaRanks), a.kernel, "processes", a.partners, p)
	}
	for i, a := range areas {
		b.add(Predicted, "receive area saved ([I], its formula)", a.kernel, "%", a.reduction, 100*(1-(partners[i]+1)/areaRanks))
	}
	for i, a := range areas {
		b.add(Predicted, dimmnet2Printed, a.kernel, "%", a.printed, 100*(1-(partners[i]+1)/areaRanks))
	}
	return nil
}

// partners returns the largest number of partners of a process of a benchmark.
func (b *bench) partners(kernel string) (float64, error) {
	s := musubi.Scenario{Workload: "nas", Topology: "fullmesh:1", Hosts: areaRanks}
	rows, err := b.measure("partners", s, "kernel="+kernel, "class=A", "iterations=1", "warmup=0")
	if err != nil {
		return 0, err
	}
	for _, r := range rows {
		if r.Label("statistic") == "max" {
			return r.Value, nil
		}
	}
	return 0, fmt.Errorf("workload nas gave no partners for kernel %s", kernel)
}
