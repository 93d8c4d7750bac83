package topology

import (
	"fmt"
	"strconv"
)

// FindSwitch returns the number of the switch that text names: by its ID, its name or its number,
// in this order.
func (n *Network) FindSwitch(text string) (int, error) {
	var named []int
	for i, s := range n.Switches {
		if s.ID == text {
			return i, nil
		}
		if s.Name == text {
			named = append(named, i)
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	if len(named) > 1 {
		return 0, fmt.Errorf("%d switches are called %q; expected an ID, such as %s", len(named), text, n.Switches[named[0]].ID)
	}
	if i, err := strconv.Atoi(text); err == nil && i >= 0 && i < len(n.Switches) {
		return i, nil
	}
	return 0, fmt.Errorf("no switch %q; expected the name or ID of a switch, such as %s, or a number from 0 to %d",
		text, n.Switches[0].ID, len(n.Switches)-1)
}
