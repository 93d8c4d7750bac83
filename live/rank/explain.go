package rank

import "musubi/live/shm"

// Explain lets the program say what it waits for; see rma.Explainer.
func (r *member) Explain(what func() string) { r.what = what }

// explain writes down what the rank waits for, once for each wait.
func (r *member) explain() {
	s := &r.job.Ranks[r.number].Statement
	if s.Told.Load() == s.Waits.Load() {
		return
	}
	text := ""
	if r.what != nil {
		text = r.what()
	}
	s.Write(text)
}

// doing says what a rank does that waits for some reason: in the words of the program, if
// it has some.
func (r *member) doing(why shm.Reason) string {
	if why != 0 && r.what != nil {
		if text := r.what(); text != "" {
			return "waits in " + text
		}
	}
	return why.String()
}

// notice takes note of the clock of the job: the rank is in a call.
func (r *Rank) notice(clock uint64) {
	r.waiter.clock = clock
	r.job.Ranks[r.number].Statement.Called.Store(clock)
}
