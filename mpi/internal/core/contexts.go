package core

import "musubi/mpi/internal/match"

// contexts holds the queues of each context. Contexts are numbers that separate messages: each
// communicator has one for its point-to-point messages and one for its collective operations.
type contexts struct {
	ranks  int
	shared bool            // senders share a receive ring
	begun  bool            // the first queues are in use
	queues []*match.Queues // nil where nothing has happened yet
	counts match.Counts    // of all contexts together

	few   [2]*match.Queues // queues, as long as that is enough
	first match.Queues     // the first one that is needed, here so that it is where the engine is
}

// of returns the queues of a context.
func (c *contexts) of(context uint32) *match.Queues {
	if int(context) < len(c.queues) && c.queues[context] != nil {
		return c.queues[context]
	}
	return c.add(context)
}

// known returns the queues of a context, nil if nothing has happened there yet.
func (c *contexts) known(context uint32) *match.Queues {
	if int(context) < len(c.queues) {
		return c.queues[context]
	}
	return nil
}

func (c *contexts) add(context uint32) *match.Queues {
	if c.queues == nil {
		c.queues = c.few[:]
	}
	if missing := int(context) + 1 - len(c.queues); missing > 0 {
		c.queues = append(c.queues, make([]*match.Queues, missing)...)
	}
	q := &c.first
	if c.begun {
		q = match.New(c.ranks, c.shared, &c.counts)
	} else {
		c.begun = true
		q.Init(c.ranks, c.shared, &c.counts)
	}
	c.queues[context] = q
	return q
}

// forget drops the queues of a context.
func (c *contexts) forget(context uint32) {
	if int(context) < len(c.queues) {
		c.queues[context] = nil
	}
}
