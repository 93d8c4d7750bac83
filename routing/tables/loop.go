package tables

import (
	"fmt"
	"strings"

	"musubi/topology"
)

// describeLoop names the switches of a loop through a place.
func (w *walker) describeLoop(src, dst int, start place) string {
	var names []string
	for _, at := range w.loop(src, dst, start) {
		names = append(names, w.net.SwitchName(at.in.Switch))
	}
	return "round and round by switches " + strings.Join(names, ", ")
}

// loop returns the places of a loop, from one of them on.
func (w *walker) loop(src, dst int, start place) []place {
	list := []place{start}
	for at := w.next(src, dst, start); at != start; at = w.next(src, dst, at) {
		list = append(list, at)
	}
	return list
}

// next is the place after one from which a link leads on.
func (w *walker) next(src, dst int, at place) place {
	out, vc := w.tables.forward(src, dst, at.in, at.vc)
	link := w.wiring.at(topology.Port{Switch: at.in.Switch, Number: out})
	return place{w.net.To(int(link) - 1), vc}
}

// cureOfLoop says which entry, changed, lets packets arrive that go round in a loop.
func (w *walker) cureOfLoop(src, dst int, start place) string {
	port, ok := w.leastCure(src, dst, start)
	if !ok {
		return "no single entry cures it"
	}
	to := w.net.EndPointName(dst)
	if link := w.wiring.at(port); link > 0 {
		to = "switch " + w.net.SwitchName(w.net.To(int(link)-1).Switch)
	}
	return fmt.Sprintf("the least cure is to change one entry: at switch %s port %d, to %s", w.net.SwitchName(port.Switch), port.Number, to)
}

// leastCure returns the port by which a switch of a loop would have to send packets so that they arrive, the one
// with the fewest links left; false if there is none. No smaller change cures a loop. That packets may need
// virtual channels there which the tables lack is not considered.
func (w *walker) leastCure(src, dst int, start place) (best topology.Port, ok bool) {
	least := 0
	for _, at := range w.loop(src, dst, start) {
		_, vc := w.tables.forward(src, dst, at.in, at.vc)
		for number := range w.wiring[at.in.Switch] {
			port := topology.Port{Switch: at.in.Switch, Number: number}
			if links := w.left(src, dst, port, vc); links >= 0 && (!ok || links < least) {
				best, least, ok = port, links, true
			}
		}
	}
	return best, ok
}

// left returns how many links packets take that leave by a port and then go as the tables say, negative if they
// do not arrive.
func (w *walker) left(src, dst int, port topology.Port, vc int) int {
	for links := 0; links <= w.vcs*w.net.Channels(); links++ {
		link := w.wiring.at(port)
		if link <= 0 {
			if int(-link)-1 == dst {
				return links
			}
			return -1
		}
		in := w.net.To(int(link) - 1)
		if vc < 0 || vc >= w.vcs {
			return -1
		}
		port.Switch = in.Switch
		if port.Number, vc = w.tables.forward(src, dst, in, vc); port.Number == noEntry {
			return -1
		}
	}
	return -1
}
