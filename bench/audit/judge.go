package main

import (
	"strconv"
	"strings"

	"musubi/routing"
	"musubi/routing/tables"
	"musubi/topology"
	"musubi/topology/networks"
)

// audit lets an engine route a network and proves the tables; nil if the engine is not for the network.
func (s *settings) audit(c *candidate, e *engine) (*row, error) {
	var file, text string
	if e.prepare != nil {
		var ok bool
		if file, text, ok = e.prepare(c); !ok {
			return nil, nil
		}
	}
	f, err := s.bringUp(c, e, file, text)
	if f != nil {
		defer f.end()
	}
	if err != nil {
		return nil, err
	}
	r := &row{network: c.name, failed: c.failed, switches: len(c.net.Switches), links: len(c.net.Links), hosts: len(c.net.EndPoints), engine: e.name, seconds: f.seconds}
	switch {
	case f.refused():
		r.by, r.verdict = "none", noTables
	case !f.up:
		r.by, r.verdict = "none", notUp
	default:
		r.by = f.routedBy()
		err = s.judge(f, c, e, r)
	}
	return r, err
}

// judge proves the tables of a fabric, with the service levels that an engine hands out.
func (s *settings) judge(f *fabric, c *candidate, e *engine, r *row) error {
	net, err := f.discovered(c)
	if err != nil {
		return err
	}
	t, err := tables.ReadForwarding(strings.NewReader(f.read("opensm-lfts.dump")), "opensm-lfts.dump", net)
	if err != nil {
		return err
	}
	proof, err := t.Verify()
	if err != nil {
		return err
	}
	r.lanes, r.verdict = "1", free
	ends := len(net.EndPoints)
	switch {
	case !e.levels || r.changed():
	case ends*(ends-1) > s.pairs:
		if r.lanes = "?"; !proof.DeadlockFree() {
			r.verdict = unknown
		}
	default:
		if proof, err = f.withLevels(t, net); err != nil {
			return err
		}
		r.lanes = strconv.Itoa(t.VLs())
	}
	if len(proof.Cycle) > 0 && r.verdict != unknown {
		if r.verdict = cycle; proof.HostsDeadlockFree() {
			r.verdict = nodesOnly
		}
	}
	if r.verdict == cycle || r.verdict == nodesOnly {
		r.channels = len(proof.Cycle)
	}
	routes, err := t.Routes()
	if err != nil {
		return err
	}
	stats := routes[0].Statistics()
	r.lost = proof.Unreachable
	r.hops, r.load = stats.Hops.Mean, stats.ChannelLoad.Max
	return nil
}

// discovered is the network as OpenSM found it, with the kinds of end points that ibsim does not know.
func (f *fabric) discovered(c *candidate) (*topology.Network, error) {
	net, err := networks.Open(f.file("opensm-subnet.lst"), 0)
	if err != nil {
		return nil, err
	}
	kinds := make(map[uint64]topology.Kind)
	for _, a := range c.net.Adapters {
		kinds[a.GUID] = a.Kind
	}
	for i := range net.Adapters {
		net.Adapters[i].Kind = kinds[net.Adapters[i].GUID]
	}
	return topology.New(*net)
}

// withLevels asks for the service level of each path, and proves the tables with them.
func (f *fabric) withLevels(t *tables.InfiniBand, net *topology.Network) (*routing.Proof, error) {
	text, err := f.levelsFile(net)
	if err != nil {
		return nil, err
	}
	if err := t.ReadLevels(strings.NewReader(text), "levels"); err != nil {
		return nil, err
	}
	if err := t.ReadLanes(strings.NewReader(f.read("opensm-sl2vl.dump")), "opensm-sl2vl.dump"); err != nil {
		return nil, err
	}
	return t.Verify()
}
