package mpi

import (
	"fmt"
	"slices"
	"strings"
)

// pending describes the requests of a communicator, or of all if it is nil, that are
// not complete.
func (e *engine) pending(c *Comm) (list []string) {
	requests := slices.Concat(e.asked.sends, e.pulls)
	for _, m := range e.contexts {
		if m != nil {
			requests = append(requests, m.allPosted()...)
		}
	}
	for _, x := range e.exchanges.active {
		requests = append(requests, x.whole)
	}
	for _, other := range e.teams {
		for _, r := range other.team.line {
			requests = append(requests, r.whole)
		}
	}
	for _, other := range e.landings {
		for _, r := range other.line {
			requests = append(requests, r.whole)
		}
	}
	for _, r := range requests {
		if r == nil || c != nil && r.c != c {
			continue
		}
		if r.part != nil {
			r = r.part.whole
		}
		if text := r.explain(); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// notReceived describes the messages of a communicator, or of all if it is nil, that have
// come and not been received.
func (e *engine) notReceived(c *Comm) (list []string) {
	for context, m := range e.contexts {
		if m == nil || c != nil && uint32(context) != c.point && uint32(context) != c.collective {
			continue
		}
		for _, messages := range []*messageList{&m.all, &m.matched} {
			for msg := messages.first; msg != nil; msg = msg.links[messages.which].next {
				list = append(list, msg.explain())
			}
		}
	}
	return list
}

// explain says what a message is that nobody receives. Those of collective operations have
// tags that the program has not given.
func (msg *message) explain() string {
	text := fmt.Sprintf("a message of %d bytes from rank %d", msg.Bytes, msg.from)
	if isCollective(msg.Context) {
		return text + " of a collective operation that this rank has not called alike"
	}
	return fmt.Sprintf("%s with tag %d, which has not been received", text, msg.Tag)
}

// allPosted returns the receives for which there is no message, by source.
func (m *matcher) allPosted() []*Request {
	list := m.anyone.all()
	for _, page := range m.posted {
		if page == nil {
			continue
		}
		for source := range page {
			list = append(list, page[source].all()...)
		}
	}
	return list
}

// listed joins descriptions, the first of them if there are many.
func listed(texts []string) string {
	const most = 4
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, ", ")
}
