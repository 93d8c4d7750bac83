package failure

import (
	"fmt"

	"musubi/topology"
)

// find fills in the links that belong to what an event names.
func (e *Event) find(net *topology.Network, ports int) error {
	e.Loss = topology.NewLoss()
	err := net.FindLoss(e.What, e.Loss)
	if err != nil {
		if e.Host = hostNamed(net, e.What); e.Host < 0 {
			return fmt.Errorf("%w; or a host, such as %s", err, net.EndPointName(0))
		}
		e.Links = linksOfHost(net, ports, e.Host)
		return nil
	}
	for link := range net.Links {
		if e.Loss.Link(net, link) {
			e.Links = append(e.Links, 2*link, 2*link+1)
		}
	}
	for host := range net.EndPoints {
		if e.Loss.EndPoint(net, host) {
			e.Links = append(e.Links, linksOfHost(net, ports, host)...)
		}
	}
	return nil
}

// hostNamed returns the end point of a name, -1 if there is none.
func hostNamed(net *topology.Network, name string) int {
	for e := range net.EndPoints {
		if net.EndPointName(e) == name {
			return e
		}
	}
	return -1
}

// linksOfHost returns the links of all ports of an end point.
func linksOfHost(net *topology.Network, ports, host int) []int {
	var links []int
	for port := host * ports; port < (host+1)*ports; port++ {
		links = append(links, net.Channels()+2*port, net.Channels()+2*port+1)
	}
	return links
}

// ofLink returns an event about a link between switches.
func ofLink(net *topology.Network, link int) Event {
	loss := topology.NewLoss()
	loss.Links[link] = true
	a := net.Links[link].A
	return Event{What: fmt.Sprintf("%s[%d]", net.SwitchName(a.Switch), a.Number), Host: -1, Links: []int{2 * link, 2*link + 1}, Loss: loss}
}
