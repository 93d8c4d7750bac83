package musubi

import (
	"context"

	"musubi/sim/host"
	"musubi/units"
	"musubi/workload"
)

// countLinks adds what operations of a workload put on the links of each level, where
// there are links: metric bytes_per_level, with headers, trailers and answers. Level 0 is
// the links of hosts; see topology.Network.LinkLevels for the others. Both directions of
// a link count together. Statistic max counts the link that carries most, sum all links of
// the level.
func (s *System) countLinks(ctx context.Context, r *Result, counted []workload.Counted) error {
	if s.Net == nil {
		return nil
	}
	for _, c := range counted {
		var carried [2][]int64
		for i := range carried {
			report, err := s.simulate(ctx, r, c.Program(1+i), func(host.Progress) float64 { return 1 })
			if err != nil {
				return err
			}
			carried[i] = report.Carried
		}
		for link, flits := range carried[0] {
			carried[1][link] -= flits
		}
		r.addLevels(s, carried[1], c)
	}
	return nil
}

// levelUse is what the links of a level have carried, in flits.
type levelUse struct{ max, sum int64 }

// levels sorts flits by directed link, in the order of fabric.Fabric.Busy, into levels.
func (s *System) levels(carried []int64) []levelUse {
	of := s.Net.LinkLevels()
	levels := make([]levelUse, 1)
	for link := range len(carried) / 2 {
		level := 0
		if link < len(of) {
			level = of[link]
		}
		for len(levels) <= level {
			levels = append(levels, levelUse{})
		}
		flits := carried[2*link] + carried[2*link+1]
		levels[level].max = max(levels[level].max, flits)
		levels[level].sum += flits
	}
	return levels
}

// addLevels adds the rows of an operation, which has put so many flits on each link.
func (r *Result) addLevels(s *System, carried []int64, c workload.Counted) {
	flit := s.Machine.Link.Flit
	for level, use := range s.levels(carried) {
		for _, statistic := range []struct {
			name  string
			flits int64
		}{{"max", use.max}, {"sum", use.sum}} {
			r.Rows = append(r.Rows, workload.Row{
				Metric: "bytes_per_level", Unit: "B", Value: float64(units.Bytes(statistic.flits) * flit), Bytes: c.Bytes,
				Labels: append(c.Labels[:len(c.Labels):len(c.Labels)], workload.Label{Name: "level", Value: level}, workload.Label{Name: "statistic", Value: statistic.name}),
			})
		}
	}
}
