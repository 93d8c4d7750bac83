package topology

// LinkLevels returns the level of each of Links: its distance from hosts. The level of a switch is
// the number of links to the nearest switch with hosts; a link has the higher level of its two
// switches, or 1 if both have hosts. So the levels of trees and fat trees count from below, and all
// links between switches with hosts are at level 1, as in a torus. Links of hosts, which are not
// among Links, have level 0.
//
// The level of links that no host reaches is 1.
func (n *Network) LinkLevels() []int {
	of := n.SwitchLevels()
	levels := make([]int, len(n.Links))
	for i, l := range n.Links {
		levels[i] = max(1, of[l.A.Switch], of[l.B.Switch])
	}
	return levels
}

// SwitchLevels returns the distance of each switch to the nearest one with hosts, 0 if
// there is none.
func (n *Network) SwitchLevels() []int {
	levels := make([]int, len(n.Switches))
	seen := make([]bool, len(n.Switches))
	var queue []int
	for s := range n.Switches {
		if n.hasHosts(s) {
			seen[s] = true
			queue = append(queue, s)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		for _, c := range n.Out(s) {
			if t := n.To(int(c)).Switch; !seen[t] {
				seen[t], levels[t] = true, levels[s]+1
				queue = append(queue, t)
			}
		}
	}
	return levels
}

func (n *Network) hasHosts(sw int) bool {
	for _, e := range n.EndPointsAt(sw) {
		if n.KindOf(int(e)) == Host {
			return true
		}
	}
	return false
}
