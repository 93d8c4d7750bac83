package rma

// Tuned is a Process that can be told which algorithms of collective operations are the fastest in
// its world, for libraries on top of it. Whoever starts the program tells all processes the same,
// before it begins.
type Tuned interface {
	// Tune sets what Fastest returns.
	Tune(fastest func(operation string, ranks, bytes int) []string)
	// Fastest returns the algorithms of an operation among some ranks from the fastest to the
	// slowest, for some bytes of each rank, or for each rank if the operation has parts for all;
	// nil if nothing is known.
	Fastest(operation string, ranks, bytes int) []string
}

// Tuning implements Tuned.
type Tuning struct {
	fastest func(operation string, ranks, bytes int) []string
}

// Tune implements Tuned.
func (t *Tuning) Tune(fastest func(operation string, ranks, bytes int) []string) {
	t.fastest = fastest
}

// Fastest implements Tuned.
func (t *Tuning) Fastest(operation string, ranks, bytes int) []string {
	if t.fastest == nil {
		return nil
	}
	return t.fastest(operation, ranks, bytes)
}
