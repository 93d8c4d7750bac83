package musubi

import (
	"context"

	"musubi/sim/host"
	"musubi/workload"
)

// countLinks adds what operations of a workload put on the links of each level, where
// there are links: metric bytes_per_level, with headers, trailers and answers, and metric
// packets_per_level. Level 0 is the links of hosts; see topology.Network.LinkLevels for the
// others. Both directions of a link count together. Statistic max counts the link that
// carries most, sum all links of the level.
func (s *System) countLinks(ctx context.Context, r *Result, counted []workload.Counted) error {
	if s.Net == nil {
		return nil
	}
	for _, c := range counted {
		var carried [2][]host.LinkLoad
		for i := range carried {
			report, err := s.simulate(ctx, r, nil, c.Program(1+i), func(host.Progress) float64 { return 1 })
			if err != nil {
				return err
			}
			carried[i] = report.Carried
		}
		for link, load := range carried[0] {
			carried[1][link].Packets -= load.Packets
			carried[1][link].Flits -= load.Flits
		}
		r.addLevels(s, carried[1], c)
	}
	return nil
}

// levelUse is what the links of a level have carried.
type levelUse struct{ bytes, packets extent }

// extent is the most of one link, and the sum over all.
type extent struct{ max, sum int64 }

func (e *extent) add(n int64) {
	e.max = max(e.max, n)
	e.sum += n
}

// levels sorts loads by directed link, in the order of fabric.Fabric.Busy, into levels.
func (s *System) levels(carried []host.LinkLoad) []levelUse {
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
		there, back := carried[2*link], carried[2*link+1]
		levels[level].bytes.add((there.Flits + back.Flits) * int64(s.Machine.Link.Flit))
		levels[level].packets.add(there.Packets + back.Packets)
	}
	return levels
}

// addLevels adds the rows of an operation, which has put so much on each link.
func (r *Result) addLevels(s *System, carried []host.LinkLoad, c workload.Counted) {
	levels := s.levels(carried)
	for level, use := range levels {
		r.addExtent("bytes_per_level", "B", level, use.bytes, c)
	}
	for level, use := range levels {
		r.addExtent("packets_per_level", "count", level, use.packets, c)
	}
}

// addExtent adds the rows of one metric for a level.
func (r *Result) addExtent(metric, unit string, level int, e extent, c workload.Counted) {
	for _, statistic := range []struct {
		name  string
		value int64
	}{{"max", e.max}, {"sum", e.sum}} {
		r.Rows = append(r.Rows, workload.Row{
			Metric: metric, Unit: unit, Value: float64(statistic.value), Bytes: c.Bytes,
			Labels: append(c.Labels[:len(c.Labels):len(c.Labels)], workload.Label{Name: "level", Value: level}, workload.Label{Name: "statistic", Value: statistic.name}),
		})
	}
}
