package ranks

import (
	"musubi/rma"
	"musubi/workload"
)

// Program is run by every rank.
type Program = func(p rma.Process, out *workload.Rows) error

// WithRings makes a plan of a program with each kind of rings that the parameter lists,
// or with those that package mpi chooses if it has no value.
func WithRings(v *workload.Values, with func(rings string) Program) *workload.Plan {
	if !v.Has("rings") {
		return &workload.Plan{Program: with("")}
	}
	plan := &workload.Plan{}
	for i, rings := range v.Choices("rings", []string{"private", "shared"}) {
		if i == 0 {
			plan.Program = with(rings)
		} else {
			plan.More = append(plan.More, with(rings))
		}
	}
	return plan
}
