package memory

import (
	"musubi/nic/mbc"
)

// steps appends the route from one end point to another: the output of each switch.
func (m *memoryBased) steps(route []uint16, from, to int32) []uint16 {
	if from == to {
		return route
	}
	net := m.Net
	path, _ := m.Routes.Path(int(from), int(to))
	for _, hop := range path {
		route = append(route, uint16(net.From(hop.Channel()).Number)&mbc.MaxRouteStep)
	}
	return append(route, uint16(net.EndPoints[to].At.Number)&mbc.MaxRouteStep)
}

// stepsBack appends the route of what goes from one end point to another by the path
// that leads from there to here.
func (m *memoryBased) stepsBack(route []uint16, from, to int32) []uint16 {
	if from == to {
		return route
	}
	net := m.Net
	path, _ := m.Routes.Path(int(to), int(from))
	for i := len(path) - 1; i >= 0; i-- {
		route = append(route, uint16(net.To(path[i].Channel()).Number)&mbc.MaxRouteStep)
	}
	return append(route, uint16(net.EndPoints[to].At.Number)&mbc.MaxRouteStep)
}

// routeOver is steps of a path that may lead from an end point by its switch to itself.
func (m *memoryBased) routeOver(route []uint16, from, to int32) []uint16 {
	if from == to {
		return append(route, uint16(m.Net.EndPoints[to].At.Number)&mbc.MaxRouteStep)
	}
	return m.steps(route, from, to)
}

// routeTo returns the route from a station to a virtual node. If its interface does not know
// it, what is to be sent, an operation or a frame that is passed on, waits for it.
func (m *memoryBased) routeTo(s *station, node uint16, waits uint32) (mbc.Route, bool) {
	route, ok := s.routes.Lookup(node)
	if !ok && s.routes.Wait(node, waits) {
		m.misses(s, node)
	}
	return route, ok
}

// misses has the operating system look for a virtual node.
func (m *memoryBased) misses(s *station, node uint16) {
	m.use.Misses++
	m.call(s, ownDuties, duty{kind: findRoute, node: node})
}

// fill puts a route into the table, as the operating system does.
func (m *memoryBased) fill(s *station, node uint16) {
	to := m.processes[node].at
	for int(node) >= len(s.known) {
		s.known = append(s.known, none)
	}
	s.known[node] = to
	dropped := s.routes.Fill(node, mbc.Route{End: int(to), Steps: m.steps(nil, int32(s.end), to)})
	if dropped >= 0 {
		m.misses(s, uint16(dropped))
	}
	m.resume(s, node)
}

// resume lets operations go on that have waited for a route.
func (m *memoryBased) resume(s *station, node uint16) {
	for {
		waited, route, ok := s.routes.Next(node)
		if !ok {
			break
		}
		if waited&passing != 0 {
			m.found(s, waited&^passing, node, int32(route.End))
			continue
		}
		s.sender.resumed.Push(waited)
	}
	m.feed(s)
}

// replied counts a reply that has come to the interface which has sent the request.
func (m *memoryBased) replied(s *station, f *frame) {
	if f.h.Flags&mbc.Forwarded == 0 && f.h.Type != mbc.Moved && f.h.Type != mbc.CombinedAck && s.routes.Acked(f.h.FromNode) {
		m.resume(s, f.h.FromNode)
	}
}

// moved drops a route that is stale, if it is still the one to the end point that says so.
func (m *memoryBased) moved(s *station, node uint16, from int32) {
	if int(node) < len(s.known) && s.known[node] == from && s.routes.Invalidate(node) {
		m.misses(s, node)
	}
}
