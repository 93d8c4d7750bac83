package card

import (
	"musubi/nic/match"
	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/host"
	"musubi/units"
)

// matcher is a rank whose card matches.
type matcher struct {
	*host.Process
	cards     *cards
	processor *processor
	matching  *matching
}

var _ rma.Matcher = (*matcher)(nil)

// PostReceive implements rma.Matcher.
func (m *matcher) PostReceive(r rma.PostedReceive) (uint32, bool) {
	g, w := m.matching, m.cards
	if !g.host.HasRoom() {
		return 0, false
	}
	cost := w.Card.Scale(w.Match.PostCommand)
	m.Sleep(cost)
	p := g.host.Post(match.Receive{Source: int32(r.From), Tag: r.Tag, Context: r.Context})
	g.into[p.Number] = r.Into
	g.posts.Push(p)
	w.Clock.Push(engine.Event{At: w.Clock.Now() + m.reached(), Kind: evPost, A: uint32(m.Rank())})
	return p.Number, true
}

// WithdrawReceive implements rma.Matcher. The processor reads the answer from a register.
func (m *matcher) WithdrawReceive(number uint32) bool {
	g, w := m.matching, m.cards
	m.Sleep(w.Card.Scale(w.Processor.Command64) + m.reached())
	ok := g.unit.Withdraw(number)
	m.Sleep(w.Card.Scale(w.Processor.PollRegister))
	if ok {
		g.host.Ended(number)
		delete(g.into, number)
	}
	return ok
}

// reached is the time from a command about a receive to its effect in the table.
func (m *matcher) reached() units.Time {
	return m.cards.Card.Scale(m.cards.Card.Command) + m.cards.Card.Clocks(m.cards.Match.Post)
}

// Next implements rma.Process.
func (m *matcher) Next() (rma.Arrival, error) {
	a, err := m.Process.Next()
	if err == nil && a.Last {
		if f := m.matching.ended[uint16(a.From)].Pop(); f != nil {
			m.matching.taken[a.Record] = f
		}
	}
	return a, err
}

// MatchOf implements rma.Matcher.
func (m *matcher) MatchOf(a rma.Arrival) rma.Match {
	g := m.matching
	f := g.taken[a.Record]
	if f == nil || f.told {
		return rma.Match{}
	}
	f.told = true
	if f.Number != 0 {
		g.host.Ended(f.Number)
		return rma.Match{Compared: true, Receive: f.Number, Word: f.word, Bytes: f.bytes, Pull: f.pull}
	}
	refused := g.host.Passed(f.Accepted, nil)
	for _, number := range refused {
		delete(g.into, number)
	}
	return rma.Match{Compared: true, Refused: refused}
}

// Take implements rma.Process. What went straight to its receive lies on the card: the processor
// copies it, and then gives back the window that it was in.
func (m *matcher) Take(a rma.Arrival, into []byte, as rma.Caching) error {
	f := m.matching.taken[a.Record]
	delete(m.matching.taken, a.Record)
	if !f.isStraight() {
		return m.Process.Take(a, into, as)
	}
	n := min(f.bytes, len(f.into))
	m.processor.read(m.Process, reading{bytes: n, into: f.into[:n], as: as, direct: f.window})
	if f.window {
		m.Sleep(m.cards.Card.Scale(m.cards.Processor.Command64))
		m.matching.windows++
	}
	return m.Process.Take(a, []byte{}, as)
}
