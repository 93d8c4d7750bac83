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
	requests := slices.Concat(e.unanswered.items, e.Pulls, e.offers.list)
	for _, q := range e.contexts.queues {
		if q == nil {
			continue
		}
		for _, r := range q.Receives() {
			requests = append(requests, requestOf(r))
		}
		for _, x := range q.AllExpected() {
			requests = append(requests, x.From.(Expecter).Batch().Whole)
		}
	}
	for i := len(e.Sources.All) - 1; i >= 0; i-- {
		requests = append(requests, e.Sources.All[i].Pending()...)
	}
	for _, r := range requests {
		if r == nil || e.staging.of(r) != nil || c != nil && r.Comm != c || c == nil && r.Comm.IsGivenUp() {
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

// Leftovers describes all that is not complete, has not been received or has not been freed.
func (e *Engine) Leftovers() []string {
	list := slices.Concat(e.Pending(nil), e.NotReceived(nil))
	if e.Windows != nil {
		list = append(list, e.Windows.Open()...)
	}
	return list
}

// NotReceived describes the messages of a communicator, or of all if it is nil, that have
// arrived and not been received.
func (e *Engine) NotReceived(c *Comm) (list []string) {
	for context, q := range e.contexts.queues {
		if q == nil || c == nil && e.isGivenUp(uint32(context)) || c != nil && uint32(context) != c.Point && uint32(context) != c.Collective {
			continue
		}
		for _, msg := range q.Messages() {
			list = append(list, explainMessage(msg))
		}
	}
	return list
}

// explainMessage describes a message that has not been received. Tags of collective operations do
// not come from the program, so they are not named.
func explainMessage(msg *match.Message) string {
	text := fmt.Sprintf("a message of %d bytes from rank %d", msg.Bytes, msg.From)
	if isCollective(msg.Context) {
		return text + " of a collective operation that this rank has not called alike"
	}
	return fmt.Sprintf("%s with tag %d, which has not been received", text, msg.Tag)
}

// JoinFirst joins the first few descriptions, and the number of those left out.
func JoinFirst(texts []string) string {
	const most = 4
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, ", ")
}
