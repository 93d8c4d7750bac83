package sonic

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

const neighbour = "DEVICE_NEIGHBOR"

// Ports lists the ports of a switch by name: port i+1 of a network is Ports()[i], as names such as
// Ethernet4 count lanes.
func (s *Switch) Ports() []string { return s.ports }

// Number returns the number of a port that a name or alias stands for, 0 if it is unknown.
func (s *Switch) Number(port string) int {
	if n, ok := s.number[port]; ok {
		return n
	}
	for name, row := range s.Database["PORT"] {
		if row["alias"] == port && port != "" {
			return s.number[name]
		}
	}
	return 0
}

// Numbers returns the ports of an interface: of Ethernet0 itself, and of PortChannel1 its members; none for others.
func (s *Switch) Numbers(name string) []int {
	if n, ok := s.number[name]; ok {
		return []int{n}
	}
	base, _, _ := strings.Cut(name, ".") // an interface of a VLAN on a port
	if n, ok := s.number[base]; ok {
		return []int{n}
	}
	var list []int
	for key := range s.Database["PORTCHANNEL_MEMBER"] {
		channel, member, ok := strings.Cut(key, "|")
		if n := s.number[member]; ok && channel == base && n > 0 {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// Down reports whether a port has been switched off.
func (s *Switch) Down(port string) bool {
	return s.Database["PORT"][port]["admin_status"] == "down"
}

// Megabits returns the rate of a port in Mbit/s and its lanes, 0 if it is not told.
func (s *Switch) Megabits(port string) (rate, lanes int) {
	row := s.Database["PORT"][port]
	rate, _ = strconv.Atoi(row["speed"])
	if row["lanes"] != "" {
		lanes = strings.Count(row["lanes"], ",") + 1
	}
	return rate, lanes
}

// Kind is the role of a switch, such as ToRRouter.
func (s *Switch) Kind() string { return s.Database[metadata]["localhost"]["type"] }

// Neighbour is what a port is meant to lead to.
type Neighbour struct {
	Name, Port string // the port may be empty
	Kind       string // of the neighbour as far as it is told, such as Server
}

// Neighbour returns what a port leads to, if it is told.
func (s *Switch) Neighbour(port string) (Neighbour, bool) {
	row, ok := s.Database[neighbour][port]
	n := Neighbour{Name: row["name"], Port: row["port"]}
	n.Kind = s.Database["DEVICE_NEIGHBOR_METADATA"][n.Name]["type"]
	return n, ok && n.Name != ""
}

// IsServer reports whether a neighbour is a host: its role says so, or its port is called as those of
// hosts are.
func (n Neighbour) IsServer() bool {
	return n.Kind == "Server" || n.Kind == "" && (strings.HasPrefix(n.Port, "eth") || strings.HasPrefix(n.Port, "ens") || strings.HasPrefix(n.Port, "mlx5"))
}

// InVLAN reports whether a port is in a VLAN, as those of hosts are.
func (s *Switch) InVLAN(port string) bool {
	for key := range s.Database["VLAN_MEMBER"] {
		if _, member, _ := strings.Cut(key, "|"); member == port {
			return true
		}
	}
	return false
}

// Interface is an address of a switch.
type Interface struct {
	Name   string
	Prefix netip.Prefix // with the address itself
}

// Interfaces lists the addresses of a switch but for those of management, in the order of prefixes.
func (s *Switch) Interfaces() ([]Interface, error) {
	var list []Interface
	for _, table := range []string{"INTERFACE", "PORTCHANNEL_INTERFACE", "VLAN_INTERFACE", "VLAN_SUB_INTERFACE", "LOOPBACK_INTERFACE"} {
		for key := range s.Database[table] {
			name, text, ok := strings.Cut(key, "|")
			if !ok {
				continue // the interface itself
			}
			p, err := netip.ParsePrefix(text)
			if err != nil {
				return nil, fmt.Errorf("entry %.80q of table %s; expected an interface and its address with a length, such as Ethernet0|10.0.0.0/31", key, table)
			}
			list = append(list, Interface{name, p})
		}
	}
	slices.SortFunc(list, func(a, b Interface) int { return a.Prefix.Compare(b.Prefix) })
	return list, nil
}

// QoS returns what PORT_QOS_MAP says of a port: what it says of all ports, unless the port has its own.
func (s *Switch) QoS(port string) Row {
	table := s.Database["PORT_QOS_MAP"]
	row := make(Row)
	maps.Copy(row, table["global"])
	for _, key := range slices.Sorted(maps.Keys(table)) { // keys may be lists of ports
		if key != port && slices.Contains(strings.Split(key, ","), port) {
			maps.Copy(row, table[key])
		}
	}
	maps.Copy(row, table[port])
	return row
}
