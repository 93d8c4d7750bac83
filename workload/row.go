package workload

// Row is one result.
type Row struct {
	Metric string // latency, bandwidth, message_rate, barrier, throughput, utilisation
	Unit   string
	Value  float64
	Bytes  int     // data per message; 0: the result is not about a size
	Labels []Label // further qualifiers, in order
}

// Label is a qualifier of a row; Value is a string, an int or a float64.
type Label struct {
	Name  string
	Value any
}

// Label returns the value of the label of that name, or nil.
func (r *Row) Label(name string) any {
	for _, l := range r.Labels {
		if l.Name == name {
			return l.Value
		}
	}
	return nil
}

// Rows collects results.
type Rows struct{ rows []Row }

// Add appends a row.
func (r *Rows) Add(row Row) { r.rows = append(r.rows, row) }

// All returns the rows in the order in which they were added.
func (r *Rows) All() []Row { return r.rows }
