package cmdq

import "fmt"

// exchangeWorld is an exchange under way: processes that Start and Wait, engines that
// carry out the commands of their queues, and a network that keeps the order of puts from
// one queue to another, and no other.
type exchangeWorld struct {
	*exchange
	rounds   []roundCount // of each process
	ways     []edgeState
	cqs      []*Queue[posted]
	channels []putChannel
}

// roundCount counts the rounds of a process.
type roundCount struct{ started, waited int }

// edgeState counts what has happened on an edge, in rounds.
type edgeState struct {
	ready  int // RTRs that are there
	looked int // RTRs that the sender has seen, if it polls
	data   int // SDs that are written
	ended  int // EODs that are written, or notices that the receiver has taken
}

// posted is a command in a queue, with its round from 1 on.
type posted struct {
	command
	round int
}

// putChannel is the way from one queue to another.
type putChannel struct {
	from, to int
	puts     []put // on the way
	acks     []put // on the way back
}

type put struct {
	posted
	position uint64
}

func newExchangeWorld(x *exchange) (*exchangeWorld, error) {
	w := &exchangeWorld{exchange: x, rounds: make([]roundCount, x.processes), ways: make([]edgeState, len(x.edges))}
	for i := range x.queues {
		q, err := NewQueue[posted](x.queues[i].config)
		if err != nil {
			return nil, err
		}
		w.cqs = append(w.cqs, q)
	}
	return w, nil
}

// exchangeAction is something that can happen; at is a process, an edge, a queue or a
// channel.
type exchangeAction struct {
	kind exchangeKind
	at   int
}

type exchangeKind uint8

const (
	startRound exchangeKind = iota // of a process
	waitRound
	look    // the sender of an edge sees that an RTR is there, and posts SD
	execute // the engine carries out a command of a queue
	arrive  // a put is written
	ack     // a completion comes back
)

var exchangeNames = [...]string{"Start of process", "Wait of process", "look at edge", "run queue", "arrival by way", "completion by way"}

func (a exchangeAction) String() string { return fmt.Sprint(exchangeNames[a.kind], " ", a.at) }

// actions appends all that can happen.
func (w *exchangeWorld) Actions(to []exchangeAction) []exchangeAction {
	for p := range w.rounds {
		if w.canStart(p) {
			to = append(to, exchangeAction{startRound, p})
		}
		if w.canWait(p) {
			to = append(to, exchangeAction{waitRound, p})
		}
	}
	for e := range w.ways {
		if w.canLook(e) {
			to = append(to, exchangeAction{look, e})
		}
	}
	for i, q := range w.cqs {
		if q.Ready() > 0 {
			to = append(to, exchangeAction{execute, i})
		}
	}
	for i := range w.channels {
		c := &w.channels[i]
		if len(c.puts) > 0 && w.canArrive(c) {
			to = append(to, exchangeAction{arrive, i})
		}
		if len(c.acks) > 0 {
			to = append(to, exchangeAction{ack, i})
		}
	}
	return to
}

// apply lets an action happen. An error is a violation of what must hold.
func (w *exchangeWorld) Apply(a exchangeAction) error {
	switch a.kind {
	case startRound:
		return w.start(a.at)
	case waitRound:
		return w.wait(a.at)
	case look:
		return w.look(a.at)
	case execute:
		return w.execute(a.at)
	case arrive:
		return w.arrive(&w.channels[a.at])
	case ack:
		c := &w.channels[a.at]
		return w.complete(c.from, pop(&c.acks))
	}
	return nil
}

// execute carries out the next command of a queue.
func (w *exchangeWorld) execute(i int) error {
	position, c, _ := w.cqs[i].Next()
	if c.what == nop {
		return w.complete(i, put{*c, position})
	}
	if c.what == sd && w.ways[c.edge].ready < c.round {
		return fmt.Errorf("early data: %v of round %d goes before its RTR has come", c.command, c.round)
	}
	if c.what == sd && w.rounds[w.exchange.edges[c.edge].from].started < c.round {
		return fmt.Errorf("early data: %v of round %d goes before its sender has begun", c.command, c.round)
	}
	channel := w.channel(i, c.to)
	channel.puts = append(channel.puts, put{*c, position})
	return nil
}

// channel returns the way between two queues.
func (w *exchangeWorld) channel(from, to int) *putChannel {
	for i := range w.channels {
		if c := &w.channels[i]; c.from == from && c.to == to {
			return c
		}
	}
	w.channels = append(w.channels, putChannel{from: from, to: to})
	return &w.channels[len(w.channels)-1]
}

func (w *exchangeWorld) complete(queue int, p put) error {
	if !p.lost && !w.cqs[queue].Complete(p.position, nil) {
		return fmt.Errorf("command %d of queue %d completes twice", p.position, queue)
	}
	return nil
}

// canArrive reports whether there is a place for the notice of the put that is next.
func (w *exchangeWorld) canArrive(c *putChannel) bool {
	return !c.puts[0].notice || w.cqs[c.to].notices.hasRoom()
}

// arrive writes the next put of a channel.
func (w *exchangeWorld) arrive(c *putChannel) error {
	p := pop(&c.puts)
	if err := w.write(&p.posted); err != nil {
		return err
	}
	var n *Notice
	if p.notice {
		if !w.cqs[c.to].Admit() {
			return fmt.Errorf("%v of round %d finds no place for its notice", p.command, p.round)
		}
		n = &Notice{From: p.edge, Word: uint64(p.round)}
	}
	w.cqs[c.to].Arrive(p.advance, n)
	if w.acks {
		c.acks = append(c.acks, p)
		return nil
	}
	return w.complete(c.from, p)
}

// write does in memory what a put does.
func (w *exchangeWorld) write(c *posted) error {
	if c.what != rtr && c.what != sd && c.what != eod {
		return nil
	}
	e, edge := &w.ways[c.edge], w.exchange.edges[c.edge]
	sender, receiver := w.rounds[edge.from], w.rounds[edge.to]
	switch c.what {
	case rtr:
		e.ready++
	case sd:
		e.data++
		if receiver.started < c.round || receiver.waited != c.round-1 {
			return fmt.Errorf("%v of round %d overwrites what its receiver works on, in round %+v", c.command, c.round, receiver)
		}
		if sender.waited >= c.round {
			return fmt.Errorf("%v of round %d is sent after its sender has waited for it", c.command, c.round)
		}
	case eod:
		e.ended++
		if e.data != c.round {
			return fmt.Errorf("%v of round %d comes before its data", c.command, c.round)
		}
	}
	return nil
}
