package domain

import (
	"slices"
	"testing"

	"musubi/sim/engine"
	"musubi/units"
)

// arrival is when a message has arrived.
type arrival struct {
	tag uint32
	at  units.Time
}

// run lets a network of ports of 1 byte per nanosecond, and half of that for combined data, carry what send
// sends, with a latency of 100 ns.
func run(t *testing.T, send func(*Network)) (arrivals []arrival) {
	t.Helper()
	var q engine.Queue
	rate := func(text string) (r units.Rate) {
		if err := r.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	n := New(Config{Rate: rate("1GB/s"), Combined: rate("500MB/s"), Latency: 100 * units.Nanosecond, Share: 1, End: 2, Arrived: 3}, &q)
	send(n)
	for {
		ev, ok := q.Pop()
		if !ok {
			break
		}
		if ev.Kind == 3 {
			arrivals = append(arrivals, arrival{ev.A, q.Now()})
			continue
		}
		n.Handle(ev)
	}
	if len(n.free) != len(n.flows)-1 || len(n.pairs) > 0 {
		t.Errorf("%d flows and %d pairs are left", len(n.flows)-1-len(n.free), len(n.pairs))
	}
	return arrivals
}

const us = units.Microsecond

// Times follow from what each port carries: the formulas of fair shares worked out by hand.
func TestPortsAreShared(t *testing.T) {
	const lag = 100 * units.Nanosecond
	for name, test := range map[string]struct {
		send func(*Network)
		want []arrival
	}{
		"one message":               {func(n *Network) { n.Send(0, 1, 10000, 1) }, []arrival{{1, 10*us + lag}}},
		"both ways at once":         {func(n *Network) { n.Send(0, 1, 10000, 1); n.Send(1, 0, 10000, 2) }, []arrival{{1, 10*us + lag}, {2, 10*us + lag}}},
		"two to one":                {func(n *Network) { n.Send(0, 2, 10000, 1); n.Send(1, 2, 20000, 2) }, []arrival{{1, 20*us + lag}, {2, 30*us + lag}}},
		"one to two":                {func(n *Network) { n.Send(0, 1, 10000, 1); n.Send(0, 2, 10000, 2) }, []arrival{{1, 20*us + lag}, {2, 20*us + lag}}},
		"in order to one":           {func(n *Network) { n.Send(0, 1, 10000, 1); n.Send(0, 1, 8, 2) }, []arrival{{1, 10*us + lag}, {2, 10*us + 8*units.Nanosecond + lag}}},
		"a short one is not slowed": {func(n *Network) { n.Send(0, 1, 10000, 1); n.Send(0, 2, 8, 2) }, []arrival{{2, 8*units.Nanosecond + lag}, {1, 10*us + lag}}},
		"combined":                  {func(n *Network) { n.Combine([]int{0, 1, 2}, []int{0}, 10000, 1) }, []arrival{{1, 20*us + lag}}},
		"combined by all for each": {func(n *Network) {
			all := []int{0, 1, 2}
			for h := range all {
				n.Combine(all, []int{h}, 10000, uint32(1+h))
			}
		}, []arrival{{1, 60*us + lag}, {2, 60*us + lag}, {3, 60*us + lag}}},
		"copied to all": {func(n *Network) { n.Combine([]int{1}, []int{0, 1, 2}, 10000, 1) }, []arrival{{1, 20*us + lag}}},
	} {
		if got := run(t, test.send); !slices.Equal(got, test.want) {
			t.Errorf("%s: arrivals %v; want %v", name, got, test.want)
		}
	}
}
