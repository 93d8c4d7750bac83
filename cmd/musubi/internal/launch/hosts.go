package launch

import (
	"fmt"

	"musubi/live"
)

// room returns the hosts for a number of ranks, filled one after the other; 0 means all
// that they have room for.
func room(hosts []live.Host, ranks int) ([]live.Host, error) {
	if ranks == 0 {
		return hosts, nil
	}
	var used []live.Host
	left := ranks
	for _, h := range hosts {
		if h.Ranks = min(h.Ranks, left); h.Ranks > 0 {
			used = append(used, h)
			left -= h.Ranks
		}
	}
	if left > 0 {
		return nil, fmt.Errorf("%d ranks, but the hosts have room for %d", ranks, ranks-left)
	}
	return used, nil
}
