package networks

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"musubi/topology"
)

// takePart returns the part of a network that Options.Part names. OpenSM does the same: it serves
// the one subnet that its port is on.
func takePart(n *topology.Network, part string) (*topology.Network, error) {
	if part == AllParts {
		return n, nil
	}
	parts, of := n.Components()
	if part == "" {
		switch {
		case len(n.Links) == 0 && len(n.EndPoints) == 0:
			return nil, errors.New("no links; expected a network")
		case parts > 1:
			return nil, fmt.Errorf("%d parts that are not connected: %s; expected one network, or the part to take", parts, describeParts(n, parts, of))
		}
		return n, nil
	}
	number, err := strconv.Atoi(part)
	if err != nil || number < 1 || number > parts {
		return nil, fmt.Errorf("part %q; expected 1 to %d, or %s", part, parts, AllParts)
	}
	return n.Part(number - 1)
}

// maxDescribed is how many parts are described at most.
const maxDescribed = 3

// describeParts says how large the first parts are, and where they begin.
func describeParts(n *topology.Network, parts int, of []int) string {
	switches, hosts, first := make([]int, parts), make([]int, parts), make([]int, parts)
	for s := len(of) - 1; s >= 0; s-- {
		switches[of[s]]++
		hosts[of[s]] += len(n.EndPointsAt(s))
		first[of[s]] = s
	}
	var texts []string
	for p := range min(parts, maxDescribed) {
		texts = append(texts, fmt.Sprintf("part %d from switch %.80q (switches: %d, end points: %d)", p+1, n.SwitchName(first[p]), switches[p], hosts[p]))
	}
	if parts > maxDescribed {
		texts = append(texts, "...")
	}
	return strings.Join(texts, ", ")
}
