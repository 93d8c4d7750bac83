package memory

import (
	"musubi/nic/mbc"
)

// routeCache is the route table of an interface.
type routeCache struct {
	*station
	routes *mbc.RouteTable[uint32]
	known  []int32 // end points that the operating system has written to it, by virtual node
}

// passing marks a frame among what waits for a route.
const passing = 1 << 31

// routeTo returns the route from a station to a virtual node. If its interface does not know
// it, what is to be sent, an operation or a frame that is passed on, waits for it.
func (s *routeCache) routeTo(node uint16, waits uint32) (mbc.Route, bool) {
	route, ok := s.routes.Lookup(node)
	if !ok && s.routes.Wait(node, waits) {
		s.misses(node)
	}
	return route, ok
}

// misses has the operating system look for a virtual node.
func (s *routeCache) misses(node uint16) {
	s.m.use.Misses++
	s.system.call(ownDuties, duty{kind: findRoute, node: node})
}

// fill puts a route into the table, as the operating system does.
func (s *routeCache) fill(node uint16) {
	to := s.m.residents.processes[node].at
	for int(node) >= len(s.known) {
		s.known = append(s.known, none)
	}
	s.known[node] = to
	dropped := s.routes.Fill(node, mbc.Route{End: int(to), Steps: s.m.paths.steps(nil, int32(s.end), to)})
	if dropped >= 0 {
		s.misses(uint16(dropped))
	}
	s.resume(node)
}

// resume lets operations go on that have waited for a route.
func (s *routeCache) resume(node uint16) {
	for {
		waited, route, ok := s.routes.Next(node)
		if !ok {
			break
		}
		if waited&passing != 0 {
			s.sender.found(waited&^passing, node, int32(route.End))
			continue
		}
		s.sender.resumed.Push(waited)
	}
	s.sender.feed()
}

// replied counts a reply that has come to the interface which has sent the request.
func (s *routeCache) replied(f *frame) {
	if f.h.Flags&mbc.Forwarded == 0 && f.h.Type != mbc.Moved && f.h.Type != mbc.CombinedAck && s.routes.Acked(f.h.FromNode) {
		s.resume(f.h.FromNode)
	}
}

// moved drops a route that is stale, if it is still the one to the end point that says so.
func (s *routeCache) moved(node uint16, from int32) {
	if int(node) < len(s.known) && s.known[node] == from && s.routes.Invalidate(node) {
		s.misses(node)
	}
}
