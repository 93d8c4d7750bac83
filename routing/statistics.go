package routing

import "musubi/topology"

// Statistics describes routes between hosts. Only ordered pairs of hosts on
// different switches count; hops and channels are those between switches.
type Statistics struct {
	Pairs       int64 `json:"pairs"`       // pairs of hosts on different switches
	Unreachable int64 `json:"unreachable"` // those among them without a path

	Hops HopStatistics `json:"hops"`

	// MinimalFraction is the share of the reachable pairs whose path is as short
	// as the graph allows; 1 if there is no such pair.
	MinimalFraction float64 `json:"minimal_fraction"`

	ChannelLoad LoadStatistics `json:"channel_load"`
}

// HopStatistics describes the lengths of paths, in links between switches.
type HopStatistics struct {
	Mean float64 `json:"mean"`
	Max  int     `json:"max"`
}

// LoadStatistics describes the number of pairs whose path uses a directed channel, over all virtual
// channels. The mean is over all channels of the network.
type LoadStatistics struct {
	Max  int64   `json:"max"`
	Mean float64 `json:"mean"`
}

// Statistics measures the routes. Paths must be well-formed: see Verify.
func (r *Routes) Statistics() Statistics {
	var s Statistics
	var hops, minimal int64
	load := make([]int64, r.Net.Channels())
	from, distance := -1, []int(nil)
	r.uses(func(u use) {
		if u.src == u.dst || u.hosts == 0 {
			return
		}
		s.Pairs += u.hosts
		if u.id < 0 {
			s.Unreachable += u.hosts
			return
		}
		p := u.path
		hops += int64(len(p)) * u.hosts
		s.Hops.Max = max(s.Hops.Max, len(p))
		if from != u.src {
			from, distance = u.src, r.Net.Distances(u.src)
		}
		if len(p) == distance[u.dst] {
			minimal += u.hosts
		}
		for _, h := range p {
			load[h.Channel()] += u.hosts
		}
	})
	s.MinimalFraction = 1
	if reachable := s.Pairs - s.Unreachable; reachable > 0 {
		s.Hops.Mean = float64(hops) / float64(reachable)
		s.MinimalFraction = float64(minimal) / float64(reachable)
	}
	s.ChannelLoad = summarize(r.Net, load)
	return s
}

// summarize leaves out the channels of loop-back cables.
func summarize(net *topology.Network, load []int64) LoadStatistics {
	var s LoadStatistics
	var sum, channels int64
	for sw := range net.Switches {
		for _, c := range net.Out(sw) {
			s.Max = max(s.Max, load[c])
			sum += load[c]
			channels++
		}
	}
	if channels > 0 {
		s.Mean = float64(sum) / float64(channels)
	}
	return s
}
