// Package faults finds out what each failure of links and switches costs a fabric.
//
// After each failure the forwarding tables are repaired as package change does it, or a routing is
// computed anew, as a subnet manager may do. What pairs of hosts that leaves apart, whether the
// result is free of deadlock, and the load of the busiest channel say how bad the failure is.
package faults

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"musubi/topology"
)

// Item is a link or a switch that fails. The other one is -1.
type Item struct{ Link, Switch int }

// Failure is one or two items that fail together, and what comes of it.
type Failure struct {
	Items []Item
	Cost
}

// Cost is what comes of a failure.
type Cost struct {
	HostsGone int   // with switches that failed
	Apart     int64 // ordered pairs of hosts that are left and that no link joins
	Verdict   Verdict
	// Cycle is the length of a shortest cycle of dependencies, 0 for none. Reason says why there are
	// no routes.
	Cycle  int
	Reason string
	// Entries to end points that used what has gone, that changed, and that are new where there was
	// none; of repairs.
	Affected, Changed, Added int
	// Most is the number of pairs of hosts on the busiest channel, and Busiest that channel, -1 if
	// none is known.
	Most    int64
	Busiest int
}

// Verdict is the kind of what comes of a failure, the best first.
type Verdict uint8

// Verdicts.
const (
	Kept      Verdict = iota // repaired, with the dependencies that there were
	Widened                  // repaired, with new dependencies that close no cycle
	Unordered                // repaired, but the switches may have to change in an order
	Anew                     // no repair: all entries come from a new routing
	Deadlock                 // the routes can deadlock
	Unrouted                 // there are no routes
)

var verdictNames = [...]string{"kept", "widened", "unordered", "anew", "deadlock", "unrouted"}

func (v Verdict) String() string { return verdictNames[v] }

// compare orders failures, the worst first: by what is disconnected, by the verdict, by the load.
func compare(a, b Failure) int {
	worse := func(f Failure) int { // deadlock comes before what only costs more
		return max(0, int(f.Verdict)-int(Anew))
	}
	return cmp.Or(
		cmp.Compare(b.Apart, a.Apart),
		cmp.Compare(worse(b), worse(a)),
		cmp.Compare(b.Most, a.Most),
		cmp.Compare(b.Verdict, a.Verdict),
		cmp.Compare(b.HostsGone, a.HostsGone),
		cmp.Compare(b.Changed, a.Changed),
		slices.CompareFunc(a.Items, b.Items, func(x, y Item) int { return cmp.Or(x.Switch-y.Switch, x.Link-y.Link) }),
	)
}

// Reaction computes the cost of losses. It is for one goroutine.
type Reaction interface {
	Cost(loss topology.Loss) Cost
	// Fork returns a reaction for another goroutine.
	Fork() Reaction
}

// Items lists all links between switches, and all switches.
func Items(net *topology.Network) []Item {
	var list []Item
	for i, l := range net.Links {
		if l.A.Switch != l.B.Switch {
			list = append(list, Item{i, -1})
		}
	}
	if len(net.Switches) > 1 {
		for s := range net.Switches {
			list = append(list, Item{-1, s})
		}
	}
	return list
}

// Count is how many failures [Run] looks at.
func Count(net *topology.Network, double bool) int64 {
	n := int64(len(Items(net)))
	if double {
		return n * (n - 1) / 2
	}
	return n
}

// Survey is the failures of a fabric.
type Survey struct {
	Worst []Failure // the worst first
	// Done counts the failures that were looked at, of All. Verdicts counts them by verdict, and
	// Apart those that disconnect hosts which are left.
	Done, All int64
	Verdicts  [len(verdictNames)]int64
	Apart     int64
}

// Run looks at each single failure, or at each pair of them if double is set, on all cores, and
// keeps the worst ones, all if keep is 0. It calls progress now and then. It stops early if the
// context ends, and does not wait for what is under way.
func Run(ctx context.Context, net *topology.Network, react Reaction, double bool, keep int, progress func(done float64)) *Survey {
	items := Items(net)
	s := &Survey{All: Count(net, double)}
	workers := max(1, min(runtime.GOMAXPROCS(0), len(items)))
	next := make(chan int)
	found := make(chan []Failure, workers)
	var group sync.WaitGroup
	for range workers {
		r := react.Fork()
		group.Go(func() {
			for i := range next {
				select {
				case found <- from(ctx, net, r, items, i, double):
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		defer close(next)
		for i := range items {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { group.Wait(); close(found) }()
	for {
		select {
		case list, ok := <-found:
			if !ok {
				s.trim(keep)
				return s
			}
			s.take(list, keep)
			progress(float64(s.Done) / float64(max(1, s.All)))
		case <-ctx.Done(): // what is under way may take long
			s.trim(keep)
			return s
		}
	}
}

// from looks at the failures whose first item is number i.
func from(ctx context.Context, net *topology.Network, r Reaction, items []Item, i int, double bool) []Failure {
	if !double {
		return []Failure{try(net, r, items[i])}
	}
	var list []Failure
	for _, second := range items[i+1:] {
		if ctx.Err() != nil {
			break
		}
		list = append(list, try(net, r, items[i], second))
	}
	return list
}

func try(net *topology.Network, r Reaction, items ...Item) Failure {
	loss := topology.NewLoss()
	for _, x := range items {
		if x.Switch >= 0 {
			loss.Switches[x.Switch] = true
		} else {
			loss.Links[x.Link] = true
		}
	}
	f := Failure{Items: items, Cost: r.Cost(loss)}
	for e := range net.Hosts() {
		if loss.EndPoint(net, e) {
			f.HostsGone++
		}
	}
	return f
}

// take counts failures and keeps them for a while.
func (s *Survey) take(list []Failure, keep int) {
	for _, f := range list {
		s.Done++
		s.Verdicts[f.Verdict]++
		if f.Apart > 0 {
			s.Apart++
		}
	}
	s.Worst = append(s.Worst, list...)
	if keep > 0 && len(s.Worst) > 2*keep+1<<12 {
		s.trim(keep)
	}
}

func (s *Survey) trim(keep int) {
	slices.SortFunc(s.Worst, compare)
	if keep > 0 && len(s.Worst) > keep {
		s.Worst = slices.Clone(s.Worst[:keep])
	}
}
