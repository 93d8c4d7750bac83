package topology

import "fmt"

// Limits on networks that are made, so that a typing error does not exhaust
// memory.
const (
	MaxParameter = 1 << 20 // of any one number in a name
	maxSwitches  = 1 << 18
	maxHosts     = 1 << 18 // routes are between all pairs of them
	maxCables    = 1 << 21 // links and hosts together
)

// CheckSize refuses networks that are too large to make. It takes floating-point numbers
// because a product of parameters may overflow an integer.
func CheckSize(switches, links, hosts float64) error {
	if switches > maxSwitches {
		return fmt.Errorf("%.0f switches; at most %d can be made", switches, maxSwitches)
	}
	if hosts > maxHosts {
		return fmt.Errorf("%.0f hosts; at most %d can be made", hosts, maxHosts)
	}
	if links+hosts > maxCables {
		return fmt.Errorf("%.0f links and %.0f hosts; at most %d cables can be made", links, hosts, maxCables)
	}
	return nil
}
