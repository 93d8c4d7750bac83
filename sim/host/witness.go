package host

import "musubi/rma"

// topic is something of which not all members have spoken.
type topic struct {
	first  int // the process that spoke first
	said   []byte
	spoken int
}

var _ rma.Witness = (*Process)(nil)

// Witness implements rma.Witness.
func (r *Process) Witness(about rma.Topic, members int, said []byte) (first int, text []byte) {
	topics := r.c.topics
	if topics == nil {
		topics = map[rma.Topic]*topic{}
		r.c.topics = topics
	}
	t := topics[about]
	if t == nil {
		t = &topic{first: r.number, said: said}
		topics[about] = t
	}
	if t.spoken++; t.spoken == members {
		delete(topics, about)
	}
	return t.first, t.said
}
