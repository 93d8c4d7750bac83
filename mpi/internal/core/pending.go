package core

import (
	"fmt"
	"slices"
	"strings"

	"musubi/mpi/internal/match"
)

// Pending describes the requests of a communicator, or of all if it is nil, that are
// not complete.
func (e *Engine) Pending(c *Comm) (list []string) {
	requests := slices.Concat(e.asked.items, e.Pulls)
	for _, q := range e.contexts.queues {
		if q == nil {
			continue
		}
		for _, r := range q.Receives() {
			requests = append(requests, requestOf(r))
		}
	}
	for i := len(e.Sources.All) - 1; i >= 0; i-- {
		requests = append(requests, e.Sources.All[i].Pending()...)
	}
	for _, r := range requests {
		if r == nil || c != nil && r.Comm != c {
			continue
		}
		if r.Batch != nil {
			r = r.Batch.Whole
		}
		if text := r.Explain(); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// Left describes all that is not complete, has not been received or has not been freed.
func (e *Engine) Left() []string {
	list := slices.Concat(e.Pending(nil), e.NotReceived(nil))
	if e.Windows != nil {
		list = append(list, e.Windows.Open()...)
	}
	return list
}

// NotReceived describes the messages of a communicator, or of all if it is nil, that have
// come and not been received.
func (e *Engine) NotReceived(c *Comm) (list []string) {
	for context, q := range e.contexts.queues {
		if q == nil || c != nil && uint32(context) != c.Point && uint32(context) != c.Collective {
			continue
		}
		for _, msg := range q.Messages() {
			list = append(list, explainMessage(msg))
		}
	}
	return list
}

// explainMessage says what a message is that nobody receives. Those of collective operations have
// tags that the program has not given.
func explainMessage(msg *match.Message) string {
	text := fmt.Sprintf("a message of %d bytes from rank %d", msg.Bytes, msg.From)
	if isCollective(msg.Context) {
		return text + " of a collective operation that this rank has not called alike"
	}
	return fmt.Sprintf("%s with tag %d, which has not been received", text, msg.Tag)
}

// Listed joins descriptions, the first of them if there are many.
func Listed(texts []string) string {
	const most = 4
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, ", ")
}
