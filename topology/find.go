package topology

import (
	"fmt"
	"strconv"
	"strings"
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

// cutPort splits text such as "s3[2]" into the name of a switch and a port.
func cutPort(text string) (name string, port int, ok bool) {
	i := strings.LastIndexByte(text, '[')
	if i < 0 || !strings.HasSuffix(text, "]") {
		return "", 0, false
	}
	port, err := strconv.Atoi(text[i+1 : len(text)-1])
	return text[:i], port, err == nil
}
