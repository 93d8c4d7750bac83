package plan

import (
	"musubi/report/ordered"
	"musubi/rings"
)

// object is the plan as JSON. The rings themselves are in the file that --output
// names.
func (p *ringPlan) object() ordered.Object {
	classes := make([]ordered.Object, 0)
	for _, c := range rings.Classes(p.record, p.rings) {
		classes = append(classes, ordered.Object{
			{Name: "processes", Value: c.Processes},
			{Name: "partners", Value: c.Senders},
			{Name: "private_rings", Value: c.Private},
			{Name: "private_bytes", Value: rangeObject(c.Size)},
			{Name: "shared_bytes", Value: rangeObject(c.Shared)},
			{Name: "predicted_packets", Value: c.Lack},
		})
	}
	stalls := make([]ordered.Object, 0, len(p.compare))
	for _, c := range p.compare {
		stalls = append(stalls, c.object())
	}
	return ordered.Object{
		{Name: "record", Value: p.from},
		{Name: "scenario", Value: p.record.Scenario},
		{Name: "ranks", Value: p.area.Ranks},
		{Name: "packet", Value: p.record.Packet},
		{Name: "budget", Value: int64(p.budget)},
		{Name: "area", Value: ordered.Object{
			{Name: "partners_max", Value: p.area.Partners},
			{Name: "partners_typical", Value: p.area.Typical},
			{Name: "rings", Value: p.area.Rings},
			{Name: "fraction", Value: p.area.Fraction()},
			{Name: "reduction", Value: 1 - p.area.Fraction()},
		}},
		{Name: "classes", Value: classes},
		{Name: "stalls", Value: stalls},
	}
}

// rangeObject is nil if there is no size.
func rangeObject(r rings.Range) any {
	if r.Max == 0 {
		return nil
	}
	return ordered.Object{{Name: "min", Value: r.Min}, {Name: "max", Value: r.Max}}
}

// object is a choice of rings as JSON. What is not known is null.
func (c *ringChoice) object() ordered.Object {
	var predicted, stalls, stalled, run any
	if c.rings != nil {
		predicted = c.predicted
	}
	if r := c.result; r != nil {
		stalls, stalled, run = r.Rings.Stalls, r.Rings.StallTime.Microseconds(), r.Simulation.Time.Microseconds()
	}
	return ordered.Object{
		{Name: "rings", Value: c.name},
		{Name: "predicted_packets", Value: predicted},
		{Name: "stalls", Value: stalls},
		{Name: "stall_time_us", Value: stalled},
		{Name: "run_us", Value: run},
		{Name: "problem", Value: ordered.OrNull(c.reason)},
	}
}
