package workload

import "musubi/rma"

// Row is one result.
type Row struct {
	Metric string // latency, bandwidth, message_rate, interval, barrier, throughput, utilisation
	Unit   string
	Value  float64
	Bytes  int     // data per message; 0: the result is not about a size, unless it is Sized
	Sized  bool    // the result is about messages of Bytes, also if that is 0
	Labels []Label // further qualifiers, in order
}

// Label is a qualifier of a row; Value is a string, an int or a float64.
type Label struct {
	Name  string
	Value any
}

// HasSize reports whether the result is about a size of messages.
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

// Rows collects results, and how far a program is on its way to them.
type Rows struct {
	rows []Row
	done float64
}

// Add appends a row.
func (r *Rows) Add(row Row) {
	r.rows = append(r.rows, row)
	r.done = 1
}

// All returns the rows in the order in which they were added.
func (r *Rows) All() []Row { return r.rows }

// Done returns which part of the work is done, from 0 to 1.
func (r *Rows) Done() float64 { return r.done }

// progress notes that this many of all steps are done.
func progress(p rma.Process, out *Rows, done, all int) {
	if p.Rank() == 0 {
		out.done = float64(done) / float64(all)
	}
}
