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

// Statistics measures the routes, on all cores. Paths must be well-formed: see Verify.
func (r *Routes) Statistics() Statistics {
	if s, ok := r.structureStatistics(); ok {
		return s
	}
	return r.measure()
}

// structureStatistics counts the paths of large networks that are computed from their structure, if
// all switches have the same number of hosts and no other end points.
func (r *Routes) structureStatistics() (Statistics, bool) {
	ends, switches := len(r.Net.EndPoints), len(r.Net.Switches)
	if r.computed == nil || ends*ends <= structurePairs || ends != r.Net.Hosts() || ends%switches != 0 {
		return Statistics{}, false
	}
	hosts := ends / switches
	for sw := range r.Net.Switches {
		if len(r.Net.EndPointsAt(sw)) != hosts {
			return Statistics{}, false
		}
	}
	return r.computed.rule.statistics(int64(hosts))
}

// Loads returns the number of pairs of hosts whose path uses each channel of the network, over all
// virtual channels, as Statistics.ChannelLoad sums it up. It looks at all paths.
func (r *Routes) Loads() []int64 { return r.measurement().load }

// measure looks at all paths.
func (r *Routes) measure() Statistics { return r.measurement().statistics() }

func (r *Routes) measurement() *measurement {
	var parts []*measurement
	r.usesInParts(func() func(*use) {
		m := &measurement{net: r.Net, load: make([]int64, r.Net.Channels()), from: -1}
		parts = append(parts, m)
		return m.take
	})
	sum := parts[0]
	for _, m := range parts[1:] {
		sum.merge(m)
	}
	return sum
}

// measurement is the sums for Statistics.
type measurement struct {
	net                               *topology.Network
	pairs, unreachable, hops, minimal int64
	longest                           int
	load                              []int64 // per channel

	from     int // the last source
	distance []int
}

func (m *measurement) take(u *use) {
	if u.src == u.dst || u.hosts == 0 {
		return
	}
	m.pairs += u.hosts
	if u.id < 0 {
		m.unreachable += u.hosts
		return
	}
	m.hops += int64(len(u.path)) * u.hosts
	m.longest = max(m.longest, len(u.path))
	if m.from != u.src {
		m.from, m.distance = u.src, m.net.Distances(u.src)
	}
	if len(u.path) == m.distance[u.dst] {
		m.minimal += u.hosts
	}
	for _, h := range u.path {
		m.load[h.Channel()] += u.hosts
	}
}

func (m *measurement) merge(n *measurement) {
	m.pairs += n.pairs
	m.unreachable += n.unreachable
	m.hops += n.hops
	m.minimal += n.minimal
	m.longest = max(m.longest, n.longest)
	for c, load := range n.load {
		m.load[c] += load
	}
}

func (m *measurement) statistics() Statistics {
	s := Statistics{Pairs: m.pairs, Unreachable: m.unreachable, MinimalFraction: 1}
	s.Hops.Max = m.longest
	if reachable := m.pairs - m.unreachable; reachable > 0 {
		s.Hops.Mean = float64(m.hops) / float64(reachable)
		s.MinimalFraction = float64(m.minimal) / float64(reachable)
	}
	s.ChannelLoad = summarize(m.net, m.load)
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
