package roce

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"musubi/topology"
)

// ipTable is the routes of a switch by prefix.
type ipTable struct {
	links   []ipLink
	routes  map[netip.Prefix]*ipRoute
	lengths []int // of prefixes, longest first
}

// ipLink is a prefix that an interface is in.
type ipLink struct {
	prefix  netip.Prefix
	port    string
	numbers []int // ports of the interface, nil if they are not known
}

// ipRoute is the next hops of a prefix.
type ipRoute struct {
	hops []ipHop
	drop bool
	set  int32 // 0: not known yet
}

// ipHop is a neighbour, or all that is on an interface if there is no address.
type ipHop struct {
	address netip.Addr
	port    string
	numbers []int // ports of the interface, nil if they are not known
}

// ipFabric turns routes to prefixes into routes to switches. Prefixes with hosts are those that a
// single switch is in, with one of its interfaces, and that have room for more than both ends of a
// link. Neighbours are switches that have a link and are in the same prefix.
type ipFabric struct {
	*builder
	file   string
	byIP   []ipTable                 // by switch
	in     map[netip.Prefix][]int    // switches that are in a prefix
	local  map[netip.Addr]int        // switch that has an address, where it is known
	hosts  map[netip.Prefix]int      // switch whose hosts are in a prefix
	behind map[netip.Prefix][]int32  // end points in a prefix, if it is of certain ports
	routed map[netip.Prefix]bool     // some switch has a route
	above  map[netip.Prefix]struct{} // contain a routed one that is longer
}

func newIPFabric(file string, net *topology.Network) ipFabric {
	return ipFabric{builder: newBuilder(net), file: file, byIP: make([]ipTable, len(net.Switches)), local: make(map[netip.Addr]int)}
}

// finish returns what the routes do with packets to hosts.
func (f *ipFabric) finish() (*Tables, error) {
	f.index()
	if err := f.findHosts(); err != nil {
		return nil, err
	}
	for h := range f.t.headings {
		f.t.headings[h].targets = nil // groups of prefixes take their place
	}
	if err := f.addGroups(); err != nil {
		return nil, err
	}
	return f.builder.tables()
}

func (f *ipFabric) index() {
	f.in, f.routed = make(map[netip.Prefix][]int), make(map[netip.Prefix]bool)
	for sw := range f.byIP {
		t := &f.byIP[sw]
		for _, l := range t.links {
			if !slices.Contains(f.in[l.prefix], sw) {
				f.in[l.prefix] = append(f.in[l.prefix], sw)
			}
		}
		lengths := make(map[int]bool)
		for p := range t.routes {
			f.routed[p] = true
			lengths[p.Bits()] = true
		}
		t.lengths = slices.SortedFunc(maps.Keys(lengths), func(a, b int) int { return b - a })
	}
}

// findHosts says which prefixes have hosts.
func (f *ipFabric) findHosts() error {
	f.hosts, f.behind = make(map[netip.Prefix]int), make(map[netip.Prefix][]int32)
	for sw := range f.byIP {
		found := len(f.net.EndPointsAt(sw)) == 0
		for _, l := range f.byIP[sw].links {
			if ends := f.endPointsAt(sw, l.numbers); ends != nil && len(f.in[l.prefix]) == 1 {
				f.hosts[l.prefix], f.behind[l.prefix] = sw, append(f.behind[l.prefix], ends...)
				continue
			}
			if room := l.prefix.Addr().BitLen() - l.prefix.Bits(); room > 2 && len(f.in[l.prefix]) == 1 && l.port != managementPort && !found {
				f.hosts[l.prefix] = sw
			}
		}
		if !found && !slices.ContainsFunc(f.byIP[sw].links, func(l ipLink) bool { return f.isHosts(sw, l.prefix) }) {
			return fmt.Errorf("%s: switch %s has hosts, but no prefix of them; expected a connected one of at most 29 bits (IPv6: 125) that no other switch is in", f.file, f.net.SwitchName(sw))
		}
	}
	return nil
}

// endPointsAt returns the end points at ports of a switch.
func (f *ipFabric) endPointsAt(sw int, numbers []int) []int32 {
	var list []int32
	for _, e := range f.net.EndPointsAt(sw) {
		if slices.Contains(numbers, f.net.EndPoints[e].At.Number) {
			list = append(list, e)
		}
	}
	return list
}

// managementPort is where no traffic of the fabric goes.
const managementPort = "eth0"

func (f *ipFabric) isHosts(sw int, p netip.Prefix) bool {
	owner, ok := f.hosts[p]
	return ok && owner == sw
}

// ipGroup is prefixes of a switch that all switches treat alike.
type ipGroup struct {
	first netip.Prefix
	row   []int32 // by switch: set
}

// addGroups adds a destination for each group of prefixes.
func (f *ipFabric) addGroups() error {
	groups := make([][]ipGroup, len(f.byIP))
	f.above = make(map[netip.Prefix]struct{})
	for p := range f.routed {
		for q := p; q.Bits() > 0; {
			q = netip.PrefixFrom(q.Addr(), q.Bits()-1).Masked()
			f.above[q] = struct{}{}
		}
	}
	var missed []netip.Prefix
	for _, p := range slices.SortedFunc(maps.Keys(f.routed), netip.Prefix.Compare) {
		owner, ok := f.ownerOf(p)
		if !ok {
			if p.Bits() > 0 && f.in[p] == nil {
				missed = append(missed, p)
			}
			continue
		}
		if f.split(p) || f.isLink(p) {
			continue
		}
		row, err := f.row(p)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(groups[owner], func(g ipGroup) bool { return slices.Equal(g.row, row) }) {
			groups[owner] = append(groups[owner], ipGroup{p, row})
		}
	}
	for sw, list := range groups {
		for _, g := range list {
			f.addGroup(sw, g, len(list) > 1)
		}
	}
	if len(missed) > 0 {
		f.t.NotCovered = append(f.t.NotCovered, fmt.Sprintf("prefixes that are no hosts' of these switches: %d, such as %v", len(missed), missed[0]))
	}
	return nil
}

func (f *ipFabric) addGroup(sw int, g ipGroup, several bool) {
	name := f.net.SwitchName(sw)
	if several {
		name += " " + g.first.String()
	}
	targets := slices.Clone(f.net.EndPointsAt(sw))
	if behind := f.behind[g.first]; behind != nil {
		targets = behind
	}
	h := f.addHeading(name, targets, int32(sw))
	for at, set := range g.row {
		row := f.t.routes[at]
		f.t.routes[at] = append(row, make([]int32, int(h)+1-len(row))...)
		f.t.routes[at][h] = set
	}
}

// ownerOf returns the switch whose hosts are in a prefix.
func (f *ipFabric) ownerOf(p netip.Prefix) (int, bool) {
	for bits := p.Bits(); bits > 0; bits-- {
		if sw, ok := f.hosts[netip.PrefixFrom(p.Addr(), bits).Masked()]; ok {
			return sw, true
		}
	}
	return 0, false
}

// isLink reports whether a prefix is of a link or of switches themselves: hosts' prefixes may contain it.
func (f *ipFabric) isLink(p netip.Prefix) bool {
	_, hosts := f.hosts[p]
	return f.in[p] != nil && !hosts
}

// split reports whether longer prefixes cover all of a prefix, so that its own route is for nobody.
func (f *ipFabric) split(p netip.Prefix) bool {
	if _, ok := f.above[p]; !ok {
		return false
	}
	left := netip.PrefixFrom(p.Addr(), p.Bits()+1)
	address := p.Addr().AsSlice()
	address[p.Bits()>>3] |= 0x80 >> (p.Bits() & 7)
	upper, _ := netip.AddrFromSlice(address)
	right := netip.PrefixFrom(upper, p.Bits()+1)
	return (f.routed[left] || f.split(left)) && (f.routed[right] || f.split(right))
}

// row returns what each switch does with packets to addresses of a prefix that no longer one has.
func (f *ipFabric) row(p netip.Prefix) ([]int32, error) {
	row := make([]int32, len(f.byIP))
	for sw := range f.byIP {
		t := &f.byIP[sw]
		for _, bits := range t.lengths {
			if bits > p.Bits() {
				continue
			}
			q := netip.PrefixFrom(p.Addr(), bits).Masked()
			r, ok := t.routes[q]
			if !ok {
				continue
			}
			if r.set == 0 {
				if err := f.resolve(sw, q, r); err != nil {
					return nil, fmt.Errorf("%s: switch %s: route %v: %w", f.file, f.net.SwitchName(sw), q, err)
				}
			}
			row[sw] = r.set
			break
		}
	}
	return row, nil
}

// resolve finds the channels of a route.
func (f *ipFabric) resolve(sw int, p netip.Prefix, r *ipRoute) error {
	s := set{drop: r.drop}
	by := make(map[int][]string) // interfaces by neighbour
	for _, hop := range r.hops {
		if len(hop.numbers) > 0 {
			for _, port := range hop.numbers {
				f.addPort(sw, port, &s)
			}
			continue
		}
		l, next, err := f.neighbour(sw, p, hop)
		switch {
		case err != nil:
			return err
		case next >= 0 && !slices.Contains(by[next], l.port):
			by[next] = append(by[next], l.port)
		case next < 0 && f.isHosts(sw, l.prefix):
			s.hosts = append(s.hosts, int32(f.net.EndPoints[f.net.EndPointsAt(sw)[0]].At.Number))
		case next < 0:
			s.hosts = append(s.hosts, noPort)
		}
	}
	for next, ports := range by {
		channels := f.channels(sw, next)
		if all := f.portsTo(sw, next); len(channels) > 1 && len(ports) < all {
			return fmt.Errorf("%s, one of %d interfaces to %s; expected all of them, or a network with one link to it, as interfaces have no port numbers", strings.Join(ports, ", "), all, f.net.SwitchName(next))
		}
		s.channels = append(s.channels, channels...)
	}
	r.set = f.add(s)
	return nil
}

// noPort is a port that leads to no switch and no host of the network.
const noPort = 0

// neighbour returns the link of a next hop and the switch it leads to, which is negative if it is none.
func (f *ipFabric) neighbour(sw int, p netip.Prefix, hop ipHop) (ipLink, int, error) {
	if hop.address.IsLinkLocalUnicast() {
		return ipLink{}, 0, fmt.Errorf("next hop %v is a link-local address, which names no neighbour; expected one of a prefix of the link", hop.address)
	}
	link, next := ipLink{port: hop.port}, -1
	for _, l := range f.byIP[sw].links {
		reaches := hop.address.IsValid() && l.prefix.Contains(hop.address) || !hop.address.IsValid() && (l.prefix == p || !f.isHosts(sw, p))
		if !reaches || hop.port != "" && l.port != hop.port {
			continue
		}
		link = l
		for _, other := range f.in[l.prefix] {
			if other == sw || l.port == managementPort || len(f.channels(sw, other)) == 0 {
				continue
			}
			if at, ok := f.local[hop.address]; ok && at != other {
				continue
			}
			if next >= 0 && next != other {
				return link, 0, fmt.Errorf("next hop %v on %s is %s or %s; expected a prefix of two switches", hop.address, link.port, f.net.SwitchName(next), f.net.SwitchName(other))
			}
			next = other
		}
	}
	if hop.address.IsValid() && !link.prefix.IsValid() {
		return link, 0, fmt.Errorf("next hop %v on %q; expected an address in a connected prefix of that interface", hop.address, hop.port)
	}
	return link, next, nil
}

// channels returns those from a switch to another.
func (f *ipFabric) channels(sw, next int) []int32 {
	var list []int32
	for _, c := range f.net.Out(sw) {
		if f.net.To(int(c)).Switch == next {
			list = append(list, c)
		}
	}
	return list
}

// portsTo counts the interfaces of a switch that lead to another.
func (f *ipFabric) portsTo(sw, next int) int {
	ports := make(map[string]bool)
	for _, l := range f.byIP[sw].links {
		if slices.Contains(f.in[l.prefix], next) && l.port != managementPort {
			ports[l.port] = true
		}
	}
	return len(ports)
}
