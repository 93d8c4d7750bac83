package musubi

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"musubi/sim/host"
	"musubi/topology"
	"musubi/topology/tour"
)

// placement gives the ranks of a scenario their hosts.
type placement struct {
	net     *topology.Network
	ranks   int // 0: as many as the placement gives
	perHost int // ranks that a host runs at most
	// nodes are the hosts that each has as interfaces, by rail; one where the machine has no nodes of several.
	nodes [][]int
	seed  uint64 // of random orders of nodes
}

// orders are the placements that have names. Each expects that there is room for all ranks.
var orders = map[string]func(placement) ([]int, error){
	"even": placement.even, "block": placement.block, "cyclic": placement.cyclic, "ring": placement.ring, "snake": placement.snake,
	"rail": placement.rail, "random": placement.random, "fragmented": placement.fragmented,
}

// orderNames lists them for messages.
const orderNames = "even, block, cyclic, ring, snake, rail, random or fragmented"

// place gives each rank of a scenario a host.
func place(s Scenario, net *topology.Network, t host.Traits) ([]int, error) {
	p, usual, err := newPlacement(s, net, t)
	if err != nil {
		return nil, err
	}
	return p.place(s, usual, t)
}

// newPlacement returns a placement on all hosts, and the name of the usual order.
func newPlacement(s Scenario, net *topology.Network, t host.Traits) (p placement, usual string, err error) {
	p = placement{net: net, ranks: s.Ranks, perHost: t.RanksPerHost, seed: s.Seed}
	usual = "even"
	if t.Node != nil && t.Node.Accelerators > 0 {
		usual = "block"
		if p.nodes, err = net.Nodes(max(t.Node.Interfaces, 1)); err != nil {
			return p, usual, wrong("topology", err)
		}
	} else {
		// Names of hosts may say that some share a node, which this machine knows nothing of.
		p.nodes = make([][]int, net.Hosts())
		for h := range p.nodes {
			p.nodes[h] = []int{h}
		}
	}
	return p, usual, nil
}

// hosts returns how many hosts there are for the placement.
func (p placement) hosts() int { return len(slices.Concat(p.nodes...)) }

// place gives each rank a host.
func (p placement) place(s Scenario, usual string, t host.Traits) ([]int, error) {
	form, count, counted := strings.Cut(cmp.Or(s.Place, usual), ":")
	order, known := orders[form]
	if !known {
		at, err := p.listed(s.Place)
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("no such file; expected " + orderNames + ", also with the ranks of a host, such as block:4, a list of hosts such as 0,4,8, or a file of such lists")
		}
		if err != nil {
			return nil, wrong("place", fmt.Errorf("place %q: %w", s.Place, err))
		}
		return at, nil
	}
	each, limit := 0, t.Limit
	if counted {
		var err error
		if each, err = strconv.Atoi(count); err != nil || each < 1 || each > p.perHost {
			return nil, wrong("place", fmt.Errorf("place %s: %q ranks on a host; expected 1 to %d%s", s.Place, count, p.perHost, because(t.Limit)))
		}
		p.perHost, limit = each, ""
	}
	if p.ranks == 0 {
		p.ranks = p.hosts() * max(each, 1)
	}
	if most := p.hosts() * p.perHost; p.ranks < 1 || p.ranks > most {
		return nil, wrong("ranks", fmt.Errorf("%d ranks, but the network has %s%s; expected 1 to %d", p.ranks, inHosts(p.hosts()), forRanks(p.perHost, limit), most))
	}
	var at []int
	var err error
	if counted {
		at, err = p.inGroups(order, form == "cyclic")
	} else {
		p.perHost = max(t.Processes, (p.ranks+p.hosts()-1)/p.hosts())
		at, err = order(p)
	}
	if err != nil {
		return nil, wrong("place", fmt.Errorf("place %s: %w", s.Place, err))
	}
	return at, nil
}

// inHosts counts hosts in words.
func inHosts(n int) string {
	if n == 1 {
		return "1 host"
	}
	return fmt.Sprintf("%d hosts", n)
}

// forRanks says how many ranks a host runs, and which parameter limits them.
func forRanks(perHost int, limit string) string {
	if perHost == 1 {
		return because(limit)
	}
	return fmt.Sprintf(" for %d ranks each%s", perHost, because(limit))
}

// because names a parameter in parentheses, if there is one.
func because(parameter string) string {
	if parameter == "" {
		return ""
	}
	return " (" + parameter + ")"
}

// inGroups gives hosts, of which each runs as many ranks, their places in an order, and each of them
// its ranks: those that follow each other, or cyclic, in turn with the other hosts.
func (p placement) inGroups(order func(placement) ([]int, error), cyclic bool) ([]int, error) {
	groups := (p.ranks + p.perHost - 1) / p.perHost
	hosts, err := order(placement{p.net, groups, 1, p.nodes, p.seed})
	if err != nil {
		return nil, err
	}
	at := make([]int, p.ranks)
	for r := range at {
		if at[r] = hosts[r/p.perHost]; cyclic {
			at[r] = hosts[r%groups]
		}
	}
	return at, nil
}

// even spreads the ranks over the hosts.
func (p placement) even() ([]int, error) {
	at, slots := make([]int, p.ranks), slices.Concat(p.nodes...)
	for r := range at {
		at[r] = slots[r*len(slots)/p.ranks]
	}
	return at, nil
}

// block fills the hosts in order, those of a node after each other.
func (p placement) block() ([]int, error) {
	at, slots := make([]int, p.ranks), slices.Concat(p.nodes...)
	for r := range at {
		at[r] = slots[r/p.perHost]
	}
	return at, nil
}

// cyclic gives the hosts a rank each in turn.
func (p placement) cyclic() ([]int, error) {
	at, slots := make([]int, p.ranks), slices.Concat(p.nodes...)
	for r := range at {
		at[r] = slots[r%len(slots)]
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
