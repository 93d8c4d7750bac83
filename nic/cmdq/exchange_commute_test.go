package cmdq

import (
	"fmt"
	"musubi/internal/explore"
	"slices"
	"testing"
)

// TestIndependentActionsCommute holds independent to its word, in every state of all exchanges
// that are small enough. Whatever else happens first, an independent action can still happen,
// is still independent, and both lead to the same state as in the other order. So the same
// holds for any number of other actions.
func TestIndependentActionsCommute(t *testing.T) {
	most := 10
	if *long {
		most = 14
	}
	pairs := 0
	eachExchange(t, 3, most, func(t *testing.T, x *exchange) {
		both := new(bothOrders)
		w, err := newExchangeWorld(x)
		if err == nil {
			_, err = explore.From(commutingWorld{w, both})
		}
		if err != nil {
			t.Error(err)
		}
		pairs += both.pairs
	})
	t.Logf("%d pairs of actions", pairs)
	if pairs == 0 {
		t.Error("no action had an independent one beside it")
	}
}

// commutingWorld is an exchange that checks whether each action commutes with those that are
// independent.
type commutingWorld struct {
	*exchangeWorld
	*bothOrders
}

// bothOrders is two worlds for two actions, in either order.
type bothOrders struct {
	first, second exchangeWorld // where the independent action is the first and the second
	pairs         int
}

func (w commutingWorld) Blank() commutingWorld {
	return commutingWorld{w.exchangeWorld.Blank(), w.bothOrders}
}
func (w commutingWorld) CopyFrom(o commutingWorld) { w.exchangeWorld.CopyFrom(o.exchangeWorld) }

func (w commutingWorld) Apply(a exchangeAction) error {
	for _, other := range w.Actions(nil) {
		if other == a || !w.independent(other) {
			continue
		}
		w.pairs++
		if err := w.commute(w.exchangeWorld, other, a); err != nil {
			return fmt.Errorf("%v and %v do not commute: %w", other, a, err)
		}
	}
	return w.exchangeWorld.Apply(a)
}

// commute says why an independent action and another one do not commute.
func (b *bothOrders) commute(w *exchangeWorld, independent, other exchangeAction) error {
	b.first.CopyFrom(w)
	b.second.CopyFrom(w)
	if b.first.Apply(independent) != nil {
		return nil // the search finds it, too
	}
	if !b.first.can(other) {
		return fmt.Errorf("the first keeps the second from happening")
	}
	violates := b.second.Apply(other) != nil
	if after := b.first.Apply(other) != nil; after != violates {
		return fmt.Errorf("that the second violates something is %v alone, and %v after the first", violates, after)
	}
	if violates {
		return nil
	}
	if !b.second.can(independent) || !b.second.independent(independent) {
		return fmt.Errorf("the first cannot happen after the second, or is not independent any more")
	}
	if err := b.second.Apply(independent); err != nil {
		return err
	}
	b.first.takeCompletions()
	b.second.takeCompletions()
	if b.first.Fingerprint() != b.second.Fingerprint() {
		return fmt.Errorf("they lead to different states")
	}
	return nil
}

func (w *exchangeWorld) can(a exchangeAction) bool { return slices.Contains(w.Actions(nil), a) }

// takeCompletions takes those that Start would take.
func (w *exchangeWorld) takeCompletions() {
	for _, q := range w.cqs {
		for q.Completed() > 0 {
			q.Completion()
		}
	}
}
