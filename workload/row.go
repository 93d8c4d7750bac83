package workload

import "musubi/rma"

// Row is one result.
type Row struct {
	Metric string // latency, bandwidth, message_rate, interval, barrier, throughput, utilisation
	Unit   string
	Value  float64
	Bytes  int     // data per message; 0: the result does not depend on a size, unless Sized is set
	Sized  bool    // the result depends on Bytes even if that is 0
	Labels []Label // further qualifiers, in order
}

// Label is a qualifier of a row; Value is a string, an int or a float64.
type Label struct {
	Name  string
	Value any
}

// HasSize reports whether the result depends on a size of messages.
func (r *Row) HasSize() bool { return r.Sized || r.Bytes != 0 }

// Label returns the value of the label of that name, or nil.
func (r *Row) Label(name string) any {
	for _, l := range r.Labels {
		if l.Name == name {
			return l.Value
		}
	}
	return nil
}

// Rows collects results, and the progress of a program towards them.
type Rows struct {
	rows []Row
	done float64

	step   float64        // the fraction of the work that the present step is
	within func() float64 // how much of that is done; nil: nobody knows
}

// Add appends a row.
func (r *Rows) Add(row Row) {
	r.rows = append(r.rows, row)
	r.done = 1
}

// All returns the rows in the order in which they were added.
func (r *Rows) All() []Row { return r.rows }

// Done returns the completed fraction of the work, from 0 to 1.
func (r *Rows) Done() float64 {
	if r.within == nil {
		return r.done
	}
	return r.done + r.step*r.within()
}

// Within says how much of the present step is done, while it lasts.
func (r *Rows) Within(done func() float64) { r.within = done }

// Progress records that this many of all steps are done.
func Progress(p rma.Process, out *Rows, done, all int) {
	if p.Rank() == 0 {
		out.done, out.step, out.within = float64(done)/float64(all), 1/float64(all), nil
	}
}
