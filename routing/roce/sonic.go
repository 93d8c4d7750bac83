package roce

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"musubi/topology"
	"musubi/topology/sonic"
)

// ReadSONiC reads the routes and the flow control of all switches of net from their databases: routes from
// APPL_DB, or as FRRouting prints them, and classes from the QoS maps of the configuration. net must
// have been made of the same databases, as interfaces are known by their ports. Errors name file,
// switch, entry and what was expected.
func ReadSONiC(switches []*sonic.Switch, file string, net *topology.Network) (*Tables, error) {
	z := sonicReader{frrReader: *newFRRReader(file, net), by: make([]*sonic.Switch, len(net.Switches))}
	for _, s := range switches {
		sw, err := z.switchNamed(s.Name)
		if err == nil {
			z.by[sw] = s
			err = z.readSwitch(sw, s)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: switch %.80s: %w", file, s.Name, err)
		}
	}
	if missing := slices.Index(z.by, nil); missing >= 0 {
		return nil, fmt.Errorf("%s: no database of switch %s; expected those of all switches", file, z.net.SwitchName(missing))
	}
	if err := z.classes(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if z.otherVRFs > 0 {
		z.t.NotCovered = append(z.t.NotCovered, fmt.Sprintf("routes of other VRFs: %d", z.otherVRFs))
	}
	return z.finish()
}

type sonicReader struct {
	frrReader
	by        []*sonic.Switch
	otherVRFs int // routes
}

func (z *sonicReader) readSwitch(sw int, s *sonic.Switch) error {
	if err := z.checkPorts(sw, s); err != nil {
		return err
	}
	routes := s.Database["ROUTE_TABLE"]
	switch t := &z.byIP[sw]; {
	case s.IPRoutes != nil:
		if err := z.read(z.net.Switches[sw].ID, s.IPRoutes); err != nil {
			return err
		}
	case routes == nil:
		return errors.New("no routes; expected a file with table ROUTE_TABLE of APPL_DB, or with the output of \"show ip route json\"")
	default:
		t.routes = make(map[netip.Prefix]*ipRoute)
		for key, row := range routes {
			if err := z.applRoute(sw, s, key, row); err != nil {
				return fmt.Errorf("route %.80q: %w", key, err)
			}
		}
	}
	return z.number(sw, s)
}

// checkPorts makes sure that ports of the network are those of the database.
func (z *sonicReader) checkPorts(sw int, s *sonic.Switch) error {
	for _, c := range z.net.Out(sw) {
		port := z.net.From(int(c)).Number
		far := z.net.Switches[z.net.To(int(c)).Switch].ID
		if port > len(s.Ports()) {
			return fmt.Errorf("port %d of switch %s, which has %d in its configuration; expected the network of the same configurations", port, s.Name, len(s.Ports()))
		}
		name := s.Ports()[port-1]
		if to, ok := s.Neighbour(name); ok && to.Name != far {
			return fmt.Errorf("port %s of switch %s leads to %s, but in the network to %s; expected the network of the same configurations", name, s.Name, to.Name, far)
		}
	}
	return nil
}

// number tells the ports of interfaces, and which prefixes they are in.
func (z *sonicReader) number(sw int, s *sonic.Switch) error {
	t := &z.byIP[sw]
	for _, r := range t.routes {
		for i := range r.hops {
			r.hops[i].numbers = s.Numbers(r.hops[i].port)
		}
	}
	interfaces, err := s.Interfaces()
	if err != nil {
		return err
	}
	t.links = nil
	for _, i := range interfaces {
		t.links = append(t.links, ipLink{i.Prefix.Masked(), i.Name, s.Numbers(i.Name)})
		z.local[i.Prefix.Addr()] = sw
	}
	return nil
}

// applRoute reads an entry of ROUTE_TABLE.
func (z *sonicReader) applRoute(sw int, s *sonic.Switch, key string, row sonic.Row) error {
	p, ok := prefixOf(key)
	if !ok {
		if _, rest, found := strings.Cut(key, ":"); found {
			if _, ok := prefixOf(rest); ok {
				z.otherVRFs++
				return nil
			}
		}
		return errors.New("expected a prefix, perhaps with a VRF before it")
	}
	if group := row["nexthop_group"]; group != "" {
		var ok bool
		if row, ok = s.Database["NEXTHOP_GROUP_TABLE"][group]; !ok {
			return fmt.Errorf("next hop group %.80q, which is not in NEXTHOP_GROUP_TABLE; groups by traffic class are not read", group)
		}
	}
	r := &ipRoute{drop: row["blackhole"] == "true"}
	if err := r.addAppl(row["nexthop"], row["ifname"]); err != nil {
		return err
	}
	if len(r.hops) == 0 && !r.drop {
		return nil // by ports of management alone
	}
	t := &z.byIP[sw]
	if t.routes[p] != nil {
		return fmt.Errorf("a second route to %v", p)
	}
	t.routes[p] = r
	return nil
}

// prefixOf reads a prefix, or an address as that of one host.
func prefixOf(text string) (netip.Prefix, bool) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked(), true
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(a, a.BitLen()), true
}

// addAppl adds next hops from lists of addresses and interfaces in the same order. One of both may be
// missing.
func (r *ipRoute) addAppl(addresses, interfaces string) error {
	at, by := listOf(addresses), listOf(interfaces)
	switch {
	case len(at) == 0:
		at = make([]string, len(by))
	case len(by) == 0:
		by = make([]string, len(at))
	case len(at) != len(by):
		return fmt.Errorf("%d next hops by %d interfaces; expected as many", len(at), len(by))
	}
	for i := range at {
		hop := ipHop{port: by[i]}
		if at[i] != "" {
			a, err := netip.ParseAddr(at[i])
			if err != nil {
				return fmt.Errorf("next hop %.80q; expected an IP address", at[i])
			}
			if !a.IsUnspecified() {
				hop.address = a
			}
		}
		switch {
		case hop.port == managementPort || hop.port == "docker0":
			continue
		case hop.port == "" && !hop.address.IsValid():
			return errors.New("a next hop without address and interface; expected one of them")
		}
		r.hops = append(r.hops, hop)
	}
	return nil
}

func listOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
