package topology

import "fmt"

// check reports the first fault that New promises to find.
func (n *Network) check() error {
	if err := n.checkNodes(); err != nil {
		return err
	}
	c := checker{net: n, ports: make(map[Port]int), adapterPorts: make(map[Port]bool)}
	for i, l := range n.Links {
		if err := c.claim(l.A, i); err != nil {
			return err
		}
		if l.A == l.B {
			continue
		}
		if err := c.claim(l.B, i); err != nil {
			return err
		}
	}
	for i, e := range n.EndPoints {
		if err := c.attach(i, e); err != nil {
			return err
		}
	}
	return nil
}

func (n *Network) checkNodes() error {
	ids := make(map[string]bool, len(n.Switches)+len(n.Adapters))
	for _, s := range n.Switches {
		if ids[s.ID] {
			return fmt.Errorf("two nodes are called %.80q", s.ID)
		}
		ids[s.ID] = true
	}
	for _, a := range n.Adapters {
		if ids[a.ID] {
			return fmt.Errorf("two nodes are called %.80q", a.ID)
		}
		ids[a.ID] = true
		if int(a.Kind) >= len(kindNames) {
			return fmt.Errorf("adapter %s has unknown kind %d", a.ID, a.Kind)
		}
	}
	return nil
}

// checker remembers who uses each port: link i as i, end point i as -1-i.
type checker struct {
	net          *Network
	ports        map[Port]int
	adapterPorts map[Port]bool // Switch is the adapter here
}

// claim records that a user, numbered as in checker, is plugged into p.
func (c *checker) claim(p Port, user int) error {
	if p.Switch < 0 || p.Switch >= len(c.net.Switches) {
		return fmt.Errorf("%s names switch %d of a network with %d switches", c.describe(user), p.Switch, len(c.net.Switches))
	}
	sw := &c.net.Switches[p.Switch]
	if p.Number < 1 || p.Number > sw.Ports {
		return fmt.Errorf("%s uses port %d of switch %s, which has ports 1 to %d", c.describe(user), p.Number, sw.ID, sw.Ports)
	}
	if other, taken := c.ports[p]; taken {
		return fmt.Errorf("port %d of switch %s is used by %s and by %s", p.Number, sw.ID, c.describe(other), c.describe(user))
	}
	c.ports[p] = user
	return nil
}

func (c *checker) attach(i int, e EndPoint) error {
	if e.Adapter < 0 || e.Adapter >= len(c.net.Adapters) {
		return fmt.Errorf("end point %d names adapter %d of a network with %d adapters", i, e.Adapter, len(c.net.Adapters))
	}
	a := &c.net.Adapters[e.Adapter]
	if e.AdapterPort < 1 || e.AdapterPort > a.Ports {
		return fmt.Errorf("end point %d uses port %d of adapter %s, which has ports 1 to %d", i, e.AdapterPort, a.ID, a.Ports)
	}
	own := Port{e.Adapter, e.AdapterPort}
	if c.adapterPorts[own] {
		return fmt.Errorf("port %d of adapter %s is attached twice", e.AdapterPort, a.ID)
	}
	c.adapterPorts[own] = true
	return c.claim(e.At, -1-i)
}

func (c *checker) describe(user int) string {
	if user < 0 {
		e := c.net.EndPoints[-1-user]
		return fmt.Sprintf("adapter %s port %d", c.net.Adapters[e.Adapter].ID, e.AdapterPort)
	}
	l := c.net.Links[user]
	return fmt.Sprintf("the link between switches %d and %d", l.A.Switch, l.B.Switch)
}
