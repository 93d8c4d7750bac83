package change

import "musubi/topology"

// Load returns how many pairs of hosts send over each channel, each to the first LID of the other,
// with what is left after a loss.
func Load(f *Forwarding, loss topology.Loss) []int64 {
	load := make([]int64, f.Net.Channels())
	hosts := hostsBySwitch(f.Net)
	for d, to := range f.Destinations {
		if !f.counts(d) || loss.Switches[to.Switch] {
			continue
		}
		for s, n := range hosts {
			if n > 0 && s != to.Switch && !loss.Switches[s] {
				addPath(f, load, f.next[d], s, n, loss)
			}
		}
	}
	return load
}

// counts reports whether a destination is the first LID of a host.
func (f *Forwarding) counts(d int) bool {
	to := f.Destinations[d]
	return to.EndPoint >= 0 && to.plane == 0 && to.EndPoint < f.Net.Hosts()
}

// addPath adds n pairs to the channels from a switch on, if packets arrive.
func addPath(f *Forwarding, load []int64, next []int32, s int, n int64, loss topology.Loss) {
	hops := 0
	for at := s; next[at] != deliver; at = f.to(next[at]) {
		c := next[at]
		if c < 0 || loss.Link(f.Net, int(c)>>1) || hops > len(next) {
			return
		}
		hops++
	}
	for range hops {
		load[next[s]] += n
		s = f.to(next[s])
	}
}
