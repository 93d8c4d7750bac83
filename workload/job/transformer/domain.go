package transformer

import (
	"musubi/trace/schedule"
	"musubi/units"
	"musubi/workload/job/strand"
)

// Domain is a scale-up domain: accelerators behind a switch of their own, such as NVSwitch. What its members tell each
// other does not use the simulated network, and takes the time of a formula.
type Domain struct {
	Size    int        `name:"domain" default:"1" most:"65536" help:"accelerators of a scale-up domain, by consecutive ranks; what they tell each other takes the time of rings at domain-rate, and the network has the rest; 1: the network has all"`
	Rate    units.Rate `name:"domain-rate" default:"450GB/s" help:"rate of an accelerator into its scale-up domain"`
	Latency units.Time `name:"domain-latency" default:"936.25ns" help:"latency of each step inside a scale-up domain"`
}

// has reports whether ranks are in one domain.
func (d *Domain) has(ranks []uint32) bool {
	for _, r := range ranks {
		if int(r)/d.Size != int(ranks[0])/d.Size {
			return false
		}
	}
	return true
}

// ring returns how long a collective operation takes in the domain: each member sends its bytes in a number of steps.
func (d *Domain) ring(steps int, bytes int64) int64 {
	return int64(steps)*int64(d.Latency) + int64(d.Rate.Transfer(units.Bytes(bytes)))
}

// member is a rank with the ways to its groups.
type member struct {
	*strand.Strand
	rank   int
	domain *Domain
	met    *group // in a domain: those who have waited for each other last, in this pass
}

// group is ranks that do collective operations together.
type group struct {
	number uint32 // in the schedule
	ranks  []uint32
	inside bool // one scale-up domain has them all
}

func (g *group) size() int64 { return int64(len(g.ranks)) }

// call does a collective operation of a group on the main line. Bytes are those that all ranks share, as the whole.
// In a domain the members wait for each other first in each pass, and then go on together.
func (m *member) call(g *group, o schedule.Operation, whole int64) {
	if g.size() == 1 {
		return
	}
	if !g.inside {
		m.Call(operation(g, o, whole))
		return
	}
	if m.met != g {
		m.met = g
		m.Call(schedule.Op{Kind: schedule.Collective, Peer: g.number, Tag: uint32(schedule.Barrier)})
	}
	n := g.size()
	steps := n - 1
	bytes := whole - whole/n
	if o == schedule.AllReduce {
		steps, bytes = 2*steps, 2*bytes
	}
	m.Compute(m.domain.ring(int(steps), bytes))
}

// operation is a collective operation of a group. Gathered parts are whole bytes.
func operation(g *group, o schedule.Operation, whole int64) schedule.Op {
	size := whole
	if o == schedule.AllGather {
		size = (whole + g.size() - 1) / g.size()
	}
	return schedule.Op{Kind: schedule.Collective, Peer: g.number, Tag: uint32(o), Size: uint64(size)}
}

// bytesTo returns how many bytes of a message between ranks pass the network: none if a domain has both. The receiver
// then takes the time of the formula.
func (m *member) bytesTo(other int, bytes int64) int64 {
	if m.domain.Size > 1 && m.rank/m.domain.Size == other/m.domain.Size {
		return 0
	}
	return bytes
}

// took returns how long a message takes that comes inside a domain.
func (m *member) took(from int, bytes int64) int64 {
	if m.bytesTo(from, bytes) == bytes {
		return 0
	}
	return m.domain.ring(1, bytes)
}
