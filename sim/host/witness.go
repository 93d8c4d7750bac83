package host

import "musubi/rma"

// topic is something of which not all members have spoken.
type topic struct {
	first  int // the process that spoke first
	said   []byte
	spoken int
}

// listener is a process that others tell something of a topic.
type listener struct {
	about   rma.Topic
	process int
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

// Tell implements rma.Witness.
func (r *Process) Tell(about rma.Topic, process int, number int32) {
	if r.c.told == nil {
		r.c.told = map[listener][]rma.Telling{}
	}
	to := listener{about, process}
	r.c.told[to] = append(r.c.told[to], rma.Telling{From: r.number, Number: number})
}

// Told implements rma.Witness.
func (r *Process) Told(about rma.Topic) []rma.Telling {
	me := listener{about, r.number}
	told := r.c.told[me]
	delete(r.c.told, me)
	return told
}
