package memory

import (
	"musubi/nic/mbc"
)

type paths struct {
	m *memoryBased
}

// parting returns the switch at which the paths to two end points part.
func (ways *paths) parting(from, a, b int32) int {
	net := ways.m.Net
	one, _ := ways.m.Routes.Path(int(from), int(a))
	other, _ := ways.m.Routes.Path(int(from), int(b))
	at := net.EndPoints[from].At.Switch
	for i := 0; i < len(one) && i < len(other) && one[i] == other[i]; i++ {
		at = net.To(one[i].Channel()).Switch
	}
	return at
}

func (ways *paths) switchOf(end int32) int { return ways.m.Net.EndPoints[end].At.Switch }

// steps appends the route from one end point to another: the output of each switch.
func (ways *paths) steps(route []uint16, from, to int32) []uint16 {
	if from == to {
		return route
	}
	net := ways.m.Net
	path, _ := ways.m.Routes.Path(int(from), int(to))
	for _, hop := range path {
		route = append(route, uint16(net.From(hop.Channel()).Number)&mbc.MaxRouteStep)
	}
	return append(route, uint16(net.EndPoints[to].At.Number)&mbc.MaxRouteStep)
}

// stepsBack appends the route of what goes from one end point to another by the path
// that leads from there to here.
func (ways *paths) stepsBack(route []uint16, from, to int32) []uint16 {
	if from == to {
		return route
	}
	net := ways.m.Net
	path, _ := ways.m.Routes.Path(int(to), int(from))
	for i := len(path) - 1; i >= 0; i-- {
		route = append(route, uint16(net.To(path[i].Channel()).Number)&mbc.MaxRouteStep)
	}
	return append(route, uint16(net.EndPoints[to].At.Number)&mbc.MaxRouteStep)
}

// routeOver is steps of a path that may lead from an end point by its switch to itself.
func (ways *paths) routeOver(route []uint16, from, to int32) []uint16 {
	if from == to {
		return append(route, uint16(ways.m.Net.EndPoints[to].At.Number)&mbc.MaxRouteStep)
	}
	return ways.steps(route, from, to)
}
