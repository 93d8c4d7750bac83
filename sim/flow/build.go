package flow

import (
	"errors"

	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// link is a directed link.
type link struct {
	delay  units.Time    // from a header leaving to its readiness for the next link, or to its arrival
	times  *[]units.Time // by flits: how long it carries them
	clear  units.Time    // when it has carried the single packets that have come to it
	single units.Time    // for which it has carried single packets so far
	busy   units.Time    // carrying flits so far
	load   fabric.Load   // carried so far
}

// New prepares the flow engine. It fails if links have errors.
func New(cfg fabric.Config, q *engine.Queue) (*Fabric, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Errors > 0 {
		return nil, errors.New("the flow engine has no links with errors; expected the packet engine")
	}
	cfg.Ports = max(cfg.Ports, 1)
	f := &Fabric{cfg: cfg, q: q, packets: make([]packet, 1), bulks: []bulk{{flow: none}}}
	f.kept = make([]kept, len(cfg.Net.EndPoints))
	f.build()
	if cfg.Breaks {
		f.breaking = newBreaking(f)
	}
	return f, nil
}

// build lays out the links in the order of Busy.
func (f *Fabric) build() {
	net := f.cfg.Net
	ends := len(net.EndPoints) * f.cfg.Ports
	f.channels = net.Channels()
	f.links = make([]link, 0, f.channels+2*ends)
	f.busy, f.carried = make([]units.Time, cap(f.links)), make([]fabric.Load, cap(f.links))
	times := f.transferTimes()
	for c := range f.channels {
		rate, _ := net.Links[c>>1].Speed.Rate()
		f.links = append(f.links, link{delay: f.cfg.Cable + f.cfg.Switch, times: times(rate)})
	}
	for e := range ends {
		rate, _ := net.EndPoints[e/f.cfg.Ports].Speed.Rate()
		f.links = append(f.links,
			link{delay: f.cfg.HostCable + f.cfg.Switch, times: times(rate)},
			link{delay: f.cfg.HostCable, times: times(rate)})
	}
	f.reference = *times(0)
	f.longestSignal = f.mostSignal()
}

// transferTimes returns a function that gives, for a link's rate (0: the configured one), the table
// of transfer times by flits, shared between links.
func (f *Fabric) transferTimes() func(units.Rate) *[]units.Time {
	tables := make(map[units.Rate]*[]units.Time)
	return func(rate units.Rate) *[]units.Time {
		if rate == 0 || !f.cfg.LinkRates {
			rate = f.cfg.Rate
		}
		table, ok := tables[rate]
		if !ok {
			times := make([]units.Time, f.cfg.MaxPacket+1)
			for n := range times {
				times[n] = rate.Transfer(units.Bytes(n) * f.cfg.Flit)
			}
			table = &times
			tables[rate] = table
		}
		return table
	}
}
