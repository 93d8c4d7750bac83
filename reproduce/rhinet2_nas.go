package reproduce

import (
	"fmt"

	"musubi"
	"musubi/workload"
)

// Items of the NAS Parallel Benchmarks on RHiNET-2, NPB 2.3.
const (
	rhinet2NAS     = "NAS Parallel Benchmarks (tables 4 and 8)"
	rhinet2NASPart = "NAS Parallel Benchmarks, parts, network A by DL (table 8)"
	rhinet2NASGain = "NAS Parallel Benchmarks, gain of DL over Up*/Down*"
)

// nasRun is a benchmark of a class on a number of hosts.
type nasRun struct {
	kernel, class string
	hosts         int
	updown, dl    float64            // published seconds on network A
	parts         map[string]float64 // likewise, of DL
}

var rhinet2NASRuns = []nasRun{
	{"cg", "S", 16, 0.20600, 0.20450, map[string]float64{"computation": 0.02551, "communication": 0.10675, "waiting": 0.07186}},
	{"lu", "W", 16, 7.78050, 7.76525, nil},
	{"is", "S", 16, 0.01886, 0.01850, nil},
	{"is", "S", 32, 0.02169, 0.02091, nil},
	{"is", "S", 64, 0.11798, 0.11751, map[string]float64{"computation": 0.00061, "communication": 0.11387, "waiting": 0.00243}},
}

func (r *nasRun) name() string {
	return fmt.Sprintf("%s.%s.%d", map[string]string{"cg": "CG", "lu": "LU", "is": "IS"}[r.kernel], r.class, r.hosts)
}

// rhinet2Benchmarks are the times of NAS benchmarks by network and routing. The paper's times for
// network A are known here; two parameters are calibrated on two parts of one of them.
func rhinet2Benchmarks(b *bench) error {
	var parts []Cell
	most := 0.0
	for _, network := range []string{"rhinet2-a", "rhinet2-b", "mesh:4x4", "torus:4x4"} {
		for i := range rhinet2NASRuns {
			r := &rhinet2NASRuns[i]
			updown, err := b.benchmark(r, network, "updown", r.updown)
			if err != nil {
				return err
			}
			dl, err := b.benchmark(r, network, "dl", r.dl)
			if err != nil {
				return err
			}
			most = max(most, 100*(updown[0].Value/dl[0].Value-1))
			if network == "rhinet2-a" {
				parts = append(parts, r.partCells(dl[1:])...)
			}
		}
	}
	for _, c := range parts {
		b.add(c.Kind, c.Item, c.Cell, c.Unit, *c.Published, c.Got)
	}
	b.add(Predicted, rhinet2NASGain, "the largest, over all networks", "%", 3.2, most)
	return nil
}

// benchmark adds the cell of a benchmark, and returns its total and its parts in seconds. The
// published time is that on network A.
func (b *bench) benchmark(r *nasRun, network, routing string, published float64) ([]workload.Row, error) {
	s := musubi.Scenario{Workload: "nas", Topology: network, Routing: routing, Ranks: r.hosts}
	rows, err := b.measure("benchmark", s, "kernel="+r.kernel, "class="+r.class, "iterations=1")
	if err != nil {
		return nil, fmt.Errorf("%s by %s on %s: %w", r.name(), routing, network, err)
	}
	cell := network + ", " + routing + ", " + r.name()
	if network == "rhinet2-a" {
		b.add(Predicted, rhinet2NAS, cell, "s", published, rows[0].Value)
	} else {
		b.predict(rhinet2NAS, cell, "s", rows[0].Value)
	}
	return rows, nil
}

// partCells returns the cells of those parts of a benchmark whose published times are known.
func (r *nasRun) partCells(rows []workload.Row) []Cell {
	var cells []Cell
	for _, row := range rows {
		part := row.Label("part").(string)
		published, known := r.parts[part]
		if !known {
			continue
		}
		kind := Predicted
		if r.kernel == "cg" && part != "waiting" {
			kind = Calibrated
		}
		cells = append(cells, Cell{Item: rhinet2NASPart, Cell: r.name() + ", " + part, Unit: "s", Published: &published, Got: row.Value, Kind: kind})
	}
	return cells
}
