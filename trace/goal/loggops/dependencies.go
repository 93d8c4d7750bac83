package loggops

import "musubi/units"

// started lets operations go on that wait for the start of another.
func (e *engine) started(r, i uint32) {
	for _, to := range e.schedule.Ranks[r].Starts(int(i)) {
		if e.release(r, to) {
			e.ranks[r].after[to] = 0
		}
	}
}

// ended lets operations go on that wait for the end of another.
func (e *engine) ended(r, i uint32, at units.Time) {
	e.ranks[r].done[i] = true
	for _, to := range e.schedule.Ranks[r].Requires(int(i)) {
		e.ranks[r].after[to] = max(e.ranks[r].after[to], at)
		e.release(r, to)
	}
}

// release counts one off that an operation waits for, and reports whether it was the last.
func (e *engine) release(r, i uint32) bool {
	if e.ranks[r].waits[i]--; e.ranks[r].waits[i] > 0 {
		return false
	}
	e.ranks[r].freed = append(e.ranks[r].freed, i)
	e.touched = append(e.touched, r)
	return true
}
