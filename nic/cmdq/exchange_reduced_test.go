package cmdq

// reducedWorld is an exchange that is not explored in every order: if one of the actions that can
// happen is independent, it happens first. This is a partial-order reduction by persistent sets
// of one action (Godefroid, Partial-Order Methods for the Verification of Concurrent Systems,
// 1996).
//
// No violation and no deadlock gets lost. Take any actions that lead from a state to one of
// them, and the independent action that is explored there. If it is among them, it can as well
// be the first. If not, it can still happen behind them: so they led to no deadlock, and what
// they violate they violate after it as well. Either way the state after it leads there, too,
// and is nearer to the end, as every action raises a counter and none lowers one. For the same
// reason a state from which no way leads to the end leads to one in which nothing can happen.
type reducedWorld struct{ *exchangeWorld }

func (w reducedWorld) Blank() reducedWorld     { return reducedWorld{w.exchangeWorld.Blank()} }
func (w reducedWorld) CopyFrom(o reducedWorld) { w.exchangeWorld.CopyFrom(o.exchangeWorld) }

func (w reducedWorld) Actions(to []exchangeAction) []exchangeAction {
	to = w.exchangeWorld.Actions(to)
	for _, a := range to {
		if w.independent(a) {
			return append(to[:0], a)
		}
	}
	return to
}

// independent reports whether an action that can happen commutes with all others that can
// happen before it, as long as they violate nothing:
//   - An engine takes the first command of a queue, which no other action changes, and appends a
//     put to a way to which nothing else does. Of what others do it asks only for the RTR of an
//     SD, and that its sender has begun the round; where that is missing it is at once the
//     violation that is looked for.
//   - A completion moves Done. That lets processes Start and Wait, and never keeps them from it,
//     so that a late one only delays. Taken does not matter: Start takes all completions first.
//   - Data and its end without a notice concern nobody but the receiver, if it is in their round.
//     Start does not change that. Wait does, but needs the end, which is this put or one behind it
//     on the same way; and Wait of the sender needs the completion of this put.
func (w *exchangeWorld) independent(a exchangeAction) bool {
	switch a.kind {
	case execute, ack:
		return true
	case arrive:
		c := &w.channels[a.at].puts[0]
		if c.what != sd && c.what != eod || c.notice {
			return false
		}
		receiver := w.rounds[w.exchange.edges[c.edge].to]
		return receiver.started >= c.round && receiver.waited == c.round-1 && w.ways[c.edge].ended == c.round-1
	}
	return false
}
