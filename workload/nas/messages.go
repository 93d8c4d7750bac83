package nas

import "slices"

// WithoutCollectives returns the script of a process with messages in place of collective
// operations: recursive doubling for sums, and for exchanges among all a message to each process
// before any is received. The number of processes is a power of two.
func (s Script) WithoutCollectives(ranks, rank int) Script {
	s.iteration = withoutCollectives(s.iteration, ranks, rank)
	s.finish = withoutCollectives(s.finish, ranks, rank)
	return s
}

func withoutCollectives(all []action, ranks, rank int) []action {
	if !slices.ContainsFunc(all, func(a action) bool { return a.kind == reduceAction || a.kind == exchangeAction }) {
		return all
	}
	w := writer{rank: rank}
	for i := range all {
		switch a := &all[i]; a.kind {
		case reduceAction:
			for distance := 1; distance < ranks; distance *= 2 {
				w.send(rank^distance, a.bytes)
				w.receive(rank^distance, a.bytes)
			}
		case exchangeAction:
			for distance := 1; distance < ranks; distance++ {
				w.send(rank^distance, a.bytes)
			}
			for distance := 1; distance < ranks; distance++ {
				w.receive(rank^distance, a.bytes)
			}
		default:
			w.actions = append(w.actions, *a)
		}
	}
	return w.actions
}
