package roce

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"musubi/topology"
)

// usualClass is the class in which hosts send unless a table says otherwise: the one that RoCE
// fabrics mostly use.
const usualClass = 3

// builder collects routes by the names that files have for switches, ports and destinations.
type builder struct {
	t           *Tables
	net         *topology.Network
	switches    map[string]int
	adapters    map[string][]int32 // end points
	heading     map[string]int32
	defaults    []int32                    // by switch: set for all other destinations, 0 if there is none
	defaultOnly map[int][]exception        // by switch
	known       []map[string]int32         // by switch: sets by their text
	sets        map[int]map[string][]int32 // by switch: channels by neighbour
	flow        [][]ClassSet               // by switch and port: classes that were said to have flow control
	flowControl bool                       // some port was said to have it
	byChannel   bool                       // flow control is known by channel already
}

func newBuilder(net *topology.Network) *builder {
	b := &builder{t: newTables(net), net: net,
		switches: make(map[string]int), adapters: make(map[string][]int32), heading: make(map[string]int32),
		defaults: make([]int32, len(net.Switches)), defaultOnly: make(map[int][]exception),
		known: make([]map[string]int32, len(net.Switches)), sets: make(map[int]map[string][]int32)}
	b.t.send = 1 << usualClass
	b.t.routes = make([][]int32, len(net.Switches))
	for s := range net.Switches {
		b.known[s] = make(map[string]int32)
		b.flow = append(b.flow, make([]ClassSet, net.Switches[s].Ports+1))
	}
	b.nameSwitches()
	for e := range net.EndPoints {
		id := net.Adapters[net.EndPoints[e].Adapter].ID
		b.adapters[id] = append(b.adapters[id], int32(e))
	}
	for s := range net.Switches {
		if len(net.EndPointsAt(s)) > 0 {
			b.switchHeading(s)
		}
	}
	return b
}

// nameSwitches lets switches be called by their IDs, and by their names where these are of one
// switch only.
func (b *builder) nameSwitches() {
	count := make(map[string]int)
	for _, s := range b.net.Switches {
		count[s.Name]++
	}
	for i, s := range b.net.Switches {
		if s.Name != "" && count[s.Name] == 1 {
			b.switches[s.Name] = i
		}
	}
	for i, s := range b.net.Switches {
		b.switches[s.ID] = i
	}
}

func (b *builder) switchNamed(name string) (int, error) {
	s, ok := b.switches[name]
	if !ok {
		return 0, fmt.Errorf("switch %.80q; the network has no such switch", name)
	}
	return s, nil
}

// switchesNamed is switchNamed, and all of them for *.
func (b *builder) switchesNamed(name string) ([]int, error) {
	if name != "*" {
		s, err := b.switchNamed(name)
		return []int{s}, err
	}
	all := make([]int, len(b.net.Switches))
	for s := range all {
		all[s] = s
	}
	return all, nil
}

// neighbours returns the channels of a switch by the switch that they lead to.
func (b *builder) neighbours(sw int) map[string][]int32 {
	if b.sets[sw] == nil {
		list := make(map[string][]int32)
		for _, c := range b.net.Out(sw) {
			n := &b.net.Switches[b.net.To(int(c)).Switch]
			list[n.ID] = append(list[n.ID], c)
			if i, ok := b.switches[n.Name]; ok && n.Name != n.ID && &b.net.Switches[i] == n {
				list[n.Name] = append(list[n.Name], c)
			}
		}
		b.sets[sw] = list
	}
	return b.sets[sw]
}

// portNumber reads #5.
func (b *builder) portNumber(sw int, text string) (port int, ok bool, err error) {
	digits, ok := strings.CutPrefix(text, "#")
	if !ok {
		return 0, false, nil
	}
	port, err = strconv.Atoi(digits)
	if most := b.net.Switches[sw].Ports; err != nil || port < 1 || port > most {
		return 0, true, fmt.Errorf("port %.80q of switch %s; expected #1 to #%d", text, b.net.SwitchName(sw), most)
	}
	return port, true, nil
}

// portsNamed reads ports of a switch.
func (b *builder) portsNamed(sw int, text string) (ports, error) {
	if text == "*" {
		return nil, nil
	}
	p := make(ports, b.net.Switches[sw].Ports>>6+1)
	for name := range strings.FieldsSeq(text) {
		port, numbered, err := b.portNumber(sw, name)
		switch channels := b.neighbours(sw)[name]; {
		case err != nil:
			return nil, err
		case numbered:
			p[port>>6] |= 1 << (port & 63)
		case name == "hosts":
			for _, e := range b.net.EndPointsAt(sw) {
				port := b.net.EndPoints[e].At.Number
				p[port>>6] |= 1 << (port & 63)
			}
		case channels == nil:
			return nil, b.noNeighbour(sw, name)
		default:
			for _, c := range channels {
				port := b.net.From(int(c)).Number
				p[port>>6] |= 1 << (port & 63)
			}
		}
	}
	return p, nil
}

func (b *builder) noNeighbour(sw int, name string) error {
	return fmt.Errorf("%.80q at switch %s; expected a switch that it has a link to, #5 for a port, or a word: see the form", name, b.net.SwitchName(sw))
}

// setNamed reads next hops.
func (b *builder) setNamed(sw int, text string) (int32, error) {
	if number, ok := b.known[sw][text]; ok {
		return number, nil
	}
	s := set{flood: text == "flood", drop: text == "drop"}
	if !isWord(text) {
		for name := range strings.FieldsSeq(text) {
			port, numbered, err := b.portNumber(sw, name)
			switch channels := b.neighbours(sw)[name]; {
			case err != nil:
				return 0, err
			case numbered:
				b.addPort(sw, port, &s)
			case channels == nil:
				return 0, b.noNeighbour(sw, name)
			default:
				s.channels = append(s.channels, channels...)
			}
		}
		if len(s.channels)+len(s.hosts) == 0 {
			return 0, fmt.Errorf("no next hop; expected some, or drop")
		}
	}
	number := b.add(s)
	b.known[sw][strings.Clone(text)] = number
	return number, nil
}

// addPort adds a port to the next hops of a set.
func (b *builder) addPort(sw, port int, s *set) {
	for _, c := range b.net.Out(sw) {
		if b.net.From(int(c)).Number == port {
			s.channels = append(s.channels, c)
			return
		}
	}
	s.hosts = append(s.hosts, int32(port))
}

// add stores a set.
func (b *builder) add(s set) int32 {
	slices.Sort(s.channels)
	s.channels = slices.Compact(s.channels)
	b.t.sets = append(b.t.sets, s)
	return int32(len(b.t.sets) - 1)
}

// addHeading adds a destination.
func (b *builder) addHeading(name string, targets []int32, owner ...int32) int32 {
	h := int32(len(b.t.headings))
	b.t.headings = append(b.t.headings, heading{name: name, targets: targets, owner: owner})
	return h
}

// switchHeading returns the destination that stands for the hosts of a switch.
func (b *builder) switchHeading(sw int) int32 {
	id := b.net.Switches[sw].ID
	h, ok := b.heading[id]
	if !ok {
		h = b.addHeading(b.net.SwitchName(sw), slices.Clone(b.net.EndPointsAt(sw)), int32(sw))
		b.heading[id] = h
	}
	return h
}

// destination returns the heading of a name.
func (b *builder) destination(name string) (int32, error) {
	if sw, ok := b.switches[name]; ok {
		return b.switchHeading(sw), nil
	}
	if h, ok := b.heading[name]; ok {
		return h, nil
	}
	targets, ok := b.adapters[name]
	if !ok {
		return 0, fmt.Errorf("destination %.80q; expected a switch, a host, or *", name)
	}
	var owner []int32
	for _, e := range targets {
		owner = append(owner, int32(b.net.EndPoints[e].At.Switch))
	}
	h := b.addHeading(b.net.EndPointName(int(targets[0])), targets, owner...)
	if len(targets) > 1 {
		b.t.headings[h].name = strings.Clone(name)
	}
	b.heading[strings.Clone(name)] = h
	return h, nil
}

// route records a route.
func (b *builder) route(sw int, destination string, number int32) error {
	if destination == "*" {
		if b.defaults[sw] != 0 {
			return fmt.Errorf("a second route of %s to *", b.net.SwitchName(sw))
		}
		b.defaults[sw] = number
		return nil
	}
	h, err := b.destination(destination)
	if err != nil {
		return err
	}
	row := b.t.routes[sw]
	if n := int(h) + 1 - len(row); n > 0 {
		row = slices.Grow(row, max(n, len(b.t.headings)-len(row)))
		row = row[:max(int(h)+1, len(row))]
	}
	if row[h] != 0 {
		return fmt.Errorf("a second route of %s to %s", b.net.SwitchName(sw), destination)
	}
	row[h] = number
	b.t.routes[sw] = row
	return nil
}

// except records a route for some packets.
func (b *builder) except(sw int, destination string, e exception) error {
	if destination == "*" {
		b.defaultOnly[sw] = append(b.defaultOnly[sw], e)
		return nil
	}
	h, err := b.destination(destination)
	if err != nil {
		return err
	}
	key := at{int32(sw), h}
	b.t.only[key] = append(b.t.only[key], e)
	return nil
}

// begin records the begin of a tunnel.
func (b *builder) begin(sw int, destination string, in tunnel) error {
	inner, err := b.destination(destination)
	if err != nil {
		return err
	}
	if _, isSwitch := b.switches[destination]; isSwitch {
		return fmt.Errorf("a tunnel for packets to switch %.80q; expected a host", destination)
	}
	key := at{int32(sw), inner}
	if _, twice := b.t.tunnel[key]; twice {
		return fmt.Errorf("a second tunnel of %s for %s", b.net.SwitchName(sw), destination)
	}
	in.inner, in.outer = inner, b.switchHeading(int(in.end))
	name := fmt.Sprintf("%s by way of %s", b.t.headings[inner].name, b.net.SwitchName(int(in.end)))
	h := b.addHeading(name, nil, in.end)
	b.t.headings[h].tunnel = &in
	b.t.tunnel[key] = h
	return nil
}

// tables returns what was collected.
func (b *builder) tables() (*Tables, error) {
	b.claimTargets()
	for sw := range b.t.routes {
		b.t.routes[sw] = slices.Grow(b.t.routes[sw], len(b.t.headings)-len(b.t.routes[sw]))[:len(b.t.headings)]
	}
	b.inherit()
	b.rootsFirst()
	for c := range b.t.lossless {
		if b.byChannel {
			break
		}
		if !b.flowControl {
			b.t.lossless[c] = b.t.send
			continue
		}
		from, to := b.net.From(c), b.net.To(c)
		b.t.lossless[c] = b.flow[from.Switch][from.Number] & b.flow[to.Switch][to.Number]
	}
	return b.t, b.t.finish()
}

// claimTargets takes hosts that are destinations of their own from those of their switches.
func (b *builder) claimTargets() {
	own := make(map[int32]bool)
	for name, h := range b.heading {
		if _, isSwitch := b.switches[name]; !isSwitch {
			for _, e := range b.t.headings[h].targets {
				own[e] = true
			}
		}
	}
	for name, h := range b.heading {
		if _, isSwitch := b.switches[name]; isSwitch {
			hd := &b.t.headings[h]
			hd.targets = slices.DeleteFunc(hd.targets, func(e int32) bool { return own[e] })
		}
	}
}

// inherit gives hosts the routes of their switches, and all destinations the routes for *.
func (b *builder) inherit() {
	for h := range b.t.headings {
		hd := &b.t.headings[h]
		for sw := range b.t.routes {
			row := b.t.routes[sw]
			if hd.tunnel != nil || row[h] != 0 || slices.Contains(hd.owner, int32(sw)) {
				continue
			}
			key := at{int32(sw), int32(h)}
			for _, o := range hd.owner {
				of, ok := b.heading[b.net.Switches[o].ID]
				if ok && int(of) != h && row[h] == 0 && b.t.only[key] == nil {
					row[h] = row[of]
					b.t.only[key] = b.t.only[at{int32(sw), of}]
				}
			}
			row[h] = cmp.Or(row[h], b.defaults[sw])
		}
	}
	maps.DeleteFunc(b.t.only, func(_ at, list []exception) bool { return list == nil })
	for sw, list := range b.defaultOnly {
		for h := range b.t.headings {
			if !slices.Contains(b.t.headings[h].owner, int32(sw)) {
				key := at{int32(sw), int32(h)}
				b.t.only[key] = append(b.t.only[key], list...)
			}
		}
	}
}

// rootsFirst puts the headings that have targets first.
func (b *builder) rootsFirst() {
	t := b.t
	order := make([]int32, len(t.headings))
	for h := range order {
		order[h] = int32(h)
	}
	isRoot := func(h int32) bool { return len(t.headings[h].targets) > 0 }
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case isRoot(a) == isRoot(b):
			return 0
		case isRoot(a):
			return -1
		}
		return 1
	})
	place := make([]int32, len(order))
	headings := make([]heading, len(order))
	for i, h := range order {
		place[h], headings[i] = int32(i), t.headings[h]
		if isRoot(h) {
			t.roots++
		}
	}
	for i := range headings {
		if in := headings[i].tunnel; in != nil {
			in.outer, in.inner = place[in.outer], place[in.inner]
		}
	}
	t.headings = headings
	for sw, row := range t.routes {
		moved := make([]int32, len(row))
		for h, number := range row {
			moved[place[h]] = number
		}
		t.routes[sw] = moved
	}
	only := make(map[at][]exception, len(t.only))
	for _, key := range slices.Collect(maps.Keys(t.only)) {
		only[at{key.sw, place[key.heading]}] = t.only[key]
	}
	t.only = only
	tunnels := make(map[at]int32, len(t.tunnel))
	for key, h := range t.tunnel {
		tunnels[at{key.sw, place[key.heading]}] = place[h]
	}
	t.tunnel = tunnels
}
