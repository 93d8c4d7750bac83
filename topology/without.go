package topology

import "fmt"

// Loss is what is gone from a network, by number. Links of a switch that is gone are gone with it,
// and so are its end points.
type Loss struct {
	Switches, Links map[int]bool
}

// NewLoss returns a loss of nothing.
func NewLoss() Loss { return Loss{make(map[int]bool), make(map[int]bool)} }

// Link reports whether a link is gone, by itself or with one of its switches.
func (l Loss) Link(net *Network, link int) bool {
	at := &net.Links[link]
	return l.Links[link] || l.Switches[at.A.Switch] || l.Switches[at.B.Switch]
}

// EndPoint reports whether an end point is gone with its switch.
func (l Loss) EndPoint(net *Network, e int) bool { return l.Switches[net.EndPoints[e].At.Switch] }

// Remains says which nodes of a network a copy without a loss has: number i of the copy was number
// Switches[i] or EndPoints[i].
type Remains struct {
	Switches, EndPoints []int
}

// Without returns a copy of a network that has suffered a loss. Ports keep their numbers, and switches their
// groups, and their coordinates as long as all switches are left. It fails if nothing would be left.
func (n *Network) Without(loss Loss) (*Network, Remains, error) {
	var rest Remains
	c := Network{Name: n.Name, Notes: n.Notes, LeftOut: n.LeftOut}
	number := make([]int, len(n.Switches))
	for s := range n.Switches {
		number[s] = len(c.Switches)
		if loss.Switches[s] {
			continue
		}
		rest.Switches = append(rest.Switches, s)
		c.Switches = append(c.Switches, n.Switches[s])
		if n.Leaves != nil {
			c.Leaves = append(c.Leaves, n.Leaves[s])
		}
		if n.Groups != nil {
			c.Groups = append(c.Groups, n.Groups[s])
		}
	}
	if len(c.Switches) == len(n.Switches) {
		c.Shape = n.Shape
	}
	if len(c.Switches) == 0 {
		return nil, Remains{}, fmt.Errorf("all switches of network %q are lost; expected one that is left", n.Name)
	}
	moved := func(p Port) Port { return Port{number[p.Switch], p.Number} }
	for i, l := range n.Links {
		if !loss.Link(n, i) {
			c.Links = append(c.Links, Link{moved(l.A), moved(l.B), l.Speed})
		}
	}
	adapters := make(map[int]int)
	for e, p := range n.EndPoints {
		if loss.EndPoint(n, e) {
			continue
		}
		rest.EndPoints = append(rest.EndPoints, e)
		if _, known := adapters[p.Adapter]; !known {
			adapters[p.Adapter] = len(c.Adapters)
			c.Adapters = append(c.Adapters, n.Adapters[p.Adapter])
		}
		p.Adapter, p.At = adapters[p.Adapter], moved(p.At)
		c.EndPoints = append(c.EndPoints, p)
	}
	net, err := New(c)
	return net, rest, err
}

// FindLoss adds to a loss what text names: a switch, or, as in "s3[2]", the link at a port of one.
func (n *Network) FindLoss(text string, loss Loss) error {
	s, err := n.FindSwitch(text)
	if err == nil {
		loss.Switches[s] = true
		return nil
	}
	name, port, ok := cutPort(text)
	if !ok {
		return fmt.Errorf("%w; or the port of a link, such as %s[1]", err, n.Switches[0].ID)
	}
	if s, err = n.FindSwitch(name); err != nil {
		return err
	}
	for _, c := range n.Out(s) {
		if n.From(int(c)).Number == port {
			loss.Links[int(c)>>1] = true
			return nil
		}
	}
	return fmt.Errorf("port %d of switch %s has no link to another switch; those with one are %v", port, n.SwitchName(s), n.linkedPorts(s))
}

func (n *Network) linkedPorts(s int) []int {
	var ports []int
	for _, c := range n.Out(s) {
		ports = append(ports, n.From(int(c)).Number)
	}
	return ports
}
