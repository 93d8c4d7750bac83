package rma

// Tuned is a Process that can be told which algorithms of collective operations are the fastest in
// its world, for libraries on top of it. Whoever starts the program tells all processes the same,
// before it begins.
type Tuned interface {
	// Tune sets what Fastest and Reorders return.
	Tune(fastest func(operation string, ranks, bytes int) []string, reorders bool)
	// Fastest returns the algorithms of an operation among some ranks from the fastest to the
	// slowest, for some bytes of each rank, or for each rank if the operation has parts for all;
	// nil if nothing is known.
	Fastest(operation string, ranks, bytes int) []string
	// Reorders reports whether the choice may change the order in which elements are combined where
	// that changes the result, as rounding does.
	Reorders() bool
}

// Tuning implements Tuned.
type Tuning struct {
	fastest  func(operation string, ranks, bytes int) []string
	reorders bool
}

// Tune implements Tuned.
func (t *Tuning) Tune(fastest func(operation string, ranks, bytes int) []string, reorders bool) {
	t.fastest, t.reorders = fastest, reorders
}

// Reorders implements Tuned.
func (t *Tuning) Reorders() bool { return t.reorders }

// Fastest implements Tuned.
func (t *Tuning) Fastest(operation string, ranks, bytes int) []string {
	if t.fastest == nil {
		return nil
	}
	return t.fastest(operation, ranks, bytes)
}
