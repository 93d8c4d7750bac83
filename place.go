package musubi

import (
	"errors"
	"fmt"
	"io/fs"

	"musubi/topology"
	"musubi/topology/tour"
)

// placement gives the ranks of a scenario their hosts.
type placement struct {
	net     *topology.Network
	ranks   int // 0: as many as the placement gives
	perHost int // ranks that a host runs
}

// place gives each rank a host, of which each runs up to a number of ranks.
func place(s Scenario, net *topology.Network, perHost int) ([]int, error) {
	p := placement{net, s.Ranks, perHost}
	order := placement.even
	switch s.Place {
	case "", "even":
	case "block":
		order = placement.block
	case "ring":
		order = placement.ring
	case "snake":
		order = placement.snake
	default:
		at, err := p.listed(s.Place)
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("no such file; expected even, block, ring, snake, a list of hosts such as 0,4,8, or a file of such lists")
		}
		if err != nil {
			return nil, wrong("place", fmt.Errorf("place %q: %w", s.Place, err))
		}
		return at, nil
	}
	if p.ranks == 0 {
		p.ranks = net.Hosts()
	}
	if most := net.Hosts() * perHost; p.ranks < 1 || p.ranks > most {
		return nil, wrong("ranks", fmt.Errorf("%d ranks, but the network has %d hosts%s; expected 1 to %d", p.ranks, net.Hosts(), forRanks(perHost), most))
	}
	at, err := order(p)
	if err != nil {
		return nil, wrong("place", fmt.Errorf("place %s: %w", s.Place, err))
	}
	return at, nil
}

// forRanks says how many ranks a host runs, if that is not one.
func forRanks(perHost int) string {
	if perHost == 1 {
		return ""
	}
	return fmt.Sprintf(" for %d ranks each", perHost)
}

// even spreads the ranks over the hosts.
func (p placement) even() ([]int, error) {
	at := make([]int, p.ranks)
	for r := range at {
		at[r] = r * p.net.Hosts() / p.ranks
	}
	return at, nil
}

// block fills the hosts in order.
func (p placement) block() ([]int, error) {
	at := make([]int, p.ranks)
	for r := range at {
		at[r] = r / p.perHost
	}
	return at, nil
}

// ring places ranks along a cycle of adjacent switches.
func (p placement) ring() ([]int, error) {
	switches, err := tour.Ring(p.net, min(p.ranks, p.switchesWithHosts()))
	if err != nil {
		return nil, err
	}
	return p.along(switches), nil
}

// snake places ranks through the coordinates of the network, from the first switch on.
func (p placement) snake() ([]int, error) {
	switches, err := tour.Snake(p.net)
	if err != nil {
		return nil, err
	}
	return p.along(switches[:min(p.ranks, len(switches))]), nil
}

// switchesWithHosts counts them.
func (p placement) switchesWithHosts() int {
	n := 0
	for s := range p.net.Switches {
		if len(p.hostsAt(s)) > 0 {
			n++
		}
	}
	return n
}

// hostsAt returns the hosts of a switch, which come before its other end points.
func (p placement) hostsAt(s int) []int32 {
	at := p.net.EndPointsAt(s)
	for len(at) > 0 && int(at[len(at)-1]) >= p.net.Hosts() {
		at = at[:len(at)-1]
	}
	return at
}

// along places ranks at switches with room for all, in their order: as equally many at each as there
// is room for, and those of a switch after each other.
func (p placement) along(switches []int) (at []int) {
	shares, left := make([]int, len(switches)), p.ranks
	for left > 0 {
		for i, s := range switches {
			if left > 0 && shares[i] < p.perHost*len(p.hostsAt(s)) {
				shares[i]++
				left--
			}
		}
	}
	for i, s := range switches {
		hosts := p.hostsAt(s)
		for j := range shares[i] {
			at = append(at, int(hosts[j*len(hosts)/shares[i]]))
		}
	}
	return at
}
