package topology

import "fmt"

// Distances returns the number of links on a shortest path from a switch to
// every switch, -1 where there is no path.
func (n *Network) Distances(from int) []int {
	dist := make([]int, len(n.Switches))
	for s := range dist {
		dist[s] = -1
	}
	dist[from] = 0
	queue := make([]int32, 1, len(n.Switches))
	queue[0] = int32(from)
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		next := dist[s] + 1
		for _, c := range n.out[s] {
			if t := n.head[c]; dist[t] < 0 {
				dist[t] = next
				queue = append(queue, t)
			}
		}
	}
	return dist
}

// Components returns the number of connected parts of the network and the part
// that each switch belongs to. Parts are numbered in the order of their lowest
// switches.
func (n *Network) Components() (parts int, of []int) {
	of = make([]int, len(n.Switches))
	for s := range of {
		of[s] = -1
	}
	for s := range of {
		if of[s] >= 0 {
			continue
		}
		for stack := []int{s}; len(stack) > 0; {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if of[u] >= 0 {
				continue
			}
			of[u] = parts
			for _, c := range n.Out(u) {
				stack = append(stack, n.To(int(c)).Switch)
			}
		}
		parts++
	}
	return parts, of
}

// Part returns one of the connected parts that Components counts, from 0, as a network of its
// own: with its switches, the links and end points at them, and the adapters that have any there.
func (n *Network) Part(part int) (*Network, error) {
	parts, of := n.Components()
	if part < 0 || part >= parts {
		return nil, fmt.Errorf("no part %d of a network in %d parts", part, parts)
	}
	c := Network{Name: n.Name, Notes: n.Notes, LeftOut: n.LeftOut}
	switches := make([]int, len(n.Switches)) // new numbers
	for s, p := range of {
		if p == part {
			switches[s] = len(c.Switches)
			c.Switches = append(c.Switches, n.Switches[s])
			if n.Leaves != nil {
				c.Leaves = append(c.Leaves, n.Leaves[s])
			}
		}
	}
	for _, l := range n.Links {
		if of[l.A.Switch] == part {
			l.A.Switch, l.B.Switch = switches[l.A.Switch], switches[l.B.Switch]
			c.Links = append(c.Links, l)
		}
	}
	adapters := make(map[int]int) // new numbers
	for _, e := range n.EndPoints {
		if of[e.At.Switch] != part {
			continue
		}
		a, known := adapters[e.Adapter]
		if !known {
			a = len(c.Adapters)
			adapters[e.Adapter] = a
			c.Adapters = append(c.Adapters, n.Adapters[e.Adapter])
		}
		e.At.Switch, e.Adapter = switches[e.At.Switch], a
		c.EndPoints = append(c.EndPoints, e)
	}
	return New(c)
}

// Diameter returns the largest distance between two switches, and false if the
// network is not connected. It takes time in proportion to switches times links.
func (n *Network) Diameter() (int, bool) {
	diameter := 0
	for s := range n.Switches {
		for _, d := range n.Distances(s) {
			if d < 0 {
				return 0, false
			}
			diameter = max(diameter, d)
		}
	}
	return diameter, true
}

// Degree returns the number of links from a switch to other switches.
func (n *Network) Degree(sw int) int { return len(n.Out(sw)) }

// Summary describes the network in a few words: how many switches, end points of
// each kind, and links there are.
func (n *Network) Summary() string {
	counts := make([]int, len(kindNames))
	for i := range n.EndPoints {
		counts[n.KindOf(i)]++
	}
	text := fmt.Sprintf("%s, %s, %s", plural(len(n.Switches), "switch", "switches"), plural(len(n.Links), "link", "links"), plural(counts[Host], "host", "hosts"))
	if counts[Aggregation] > 0 {
		text += ", " + plural(counts[Aggregation], "aggregation node", "aggregation nodes")
	}
	if counts[Router] > 0 {
		text += ", " + plural(counts[Router], "router port", "router ports")
	}
	return text
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
