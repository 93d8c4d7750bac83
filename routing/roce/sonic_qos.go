package roce

import (
	"fmt"
	"strconv"
	"strings"

	"musubi/topology"
	"musubi/topology/sonic"
)

// At each hop a packet's DSCP gives its class. The class gives the priority group of the buffer at the port
// of arrival, which pauses the neighbour by the priority of that group; and the queue at the port by
// which it leaves, which stops when the neighbour pauses a priority of it. So a class is lossless on a
// channel if the receiving port pauses by a priority that is on at both ends and that stops the queue of the
// class at the sending port. Maps that a port lacks leave numbers as they are.

// none is the priority of groups that pause nobody.
const none = 255

// portQoS is what a port does with classes.
type portQoS struct {
	on           ClassSet         // priorities of flow control, by the numbers of classes
	group, queue [numClasses]byte // by class
	priority     [numClasses]byte // by priority group
	stops        [numClasses]byte // queue by priority
	classes      ClassSet         // that some DSCP has
	dscp         string           // the map, as text
}

// classes sets the lossless classes of channels, and the classes in which hosts send: those that
// are lossless somewhere.
func (z *sonicReader) classes() error {
	qos := make([][]portQoS, len(z.by))
	for sw, s := range z.by {
		for _, port := range s.Ports() {
			q, err := readPortQoS(s, port)
			if err != nil {
				return fmt.Errorf("switch %s: %w", s.Name, err)
			}
			qos[sw] = append(qos[sw], q)
		}
	}
	at := func(p topology.Port) *portQoS { return &qos[p.Switch][p.Number-1] }
	var some ClassSet
	oneSided, first := make(map[int]bool), ""
	for c := range z.t.lossless {
		from, to := at(z.net.From(c)), at(z.net.To(c))
		both := lossless(from, to)
		z.t.lossless[c] = both
		some |= both
		if (from.on|to.on)&^both&(from.classes|to.classes) != 0 {
			oneSided[c/2] = true
			if first == "" {
				first = z.linkName(c)
			}
		}
	}
	z.byChannel = true
	z.t.send = some
	if some == 0 {
		z.t.send = 1 << usualClass
		z.t.Notes = append(z.t.Notes, "no class is lossless: no priority has flow control at both ends of a link")
	}
	if len(oneSided) > 0 {
		z.t.Notes = append(z.t.Notes, fmt.Sprintf("some priority has flow control at one end only, or stops another queue, so packets of its class can be lost; such links: %d, as %s", len(oneSided), first))
	}
	z.noteMaps(qos)
	return nil
}

func lossless(from, to *portQoS) (set ClassSet) {
	for class := range byte(numClasses) {
		priority := to.priority[to.group[class]]
		if to.on>>priority&1 != 0 && from.on>>priority&1 != 0 && from.stops[priority] == from.queue[class] && to.classes>>class&1 != 0 {
			set |= 1 << class
		}
	}
	return set
}

func (z *sonicReader) linkName(channel int) string {
	from, to := z.net.From(channel), z.net.To(channel)
	return fmt.Sprintf("%s %s to %s %s", z.net.SwitchName(from.Switch), z.by[from.Switch].Ports()[from.Number-1],
		z.net.SwitchName(to.Switch), z.by[to.Switch].Ports()[to.Number-1])
}

// noteMaps says what the maps have that the proof leaves aside.
func (z *sonicReader) noteMaps(qos [][]portQoS) {
	var watchdogs, tunnels int
	for _, s := range z.by {
		for port := range s.Database["PFC_WD"] {
			if port != "GLOBAL" {
				watchdogs++
			}
		}
		tunnels += len(s.Database["TUNNEL"])
	}
	if watchdogs > 0 {
		z.t.Notes = append(z.t.Notes, fmt.Sprintf("the PFC watchdog is on at %d ports: it ends a deadlock by dropping packets, which is recovery and no freedom from it", watchdogs))
	}
	if tunnels > 0 {
		z.t.NotCovered = append(z.t.NotCovered, fmt.Sprintf("tunnels between switches, such as those of servers on two ToRs: %d; the state that decides on them is not in the files", tunnels))
	}
	for sw := range qos {
		for port := range qos[sw] {
			if q, other := &qos[sw][port], &qos[0][0]; q.dscp != other.dscp && q.on != 0 {
				z.t.NotCovered = append(z.t.NotCovered, fmt.Sprintf("packets whose class changes on the way, as maps from DSCP to classes differ: those of %s %s and %s %s",
					z.by[0].Name, z.by[0].Ports()[0], z.by[sw].Name, z.by[sw].Ports()[port]))
				return
			}
		}
	}
}

func readPortQoS(s *sonic.Switch, port string) (q portQoS, err error) {
	row := s.QoS(port)
	var numbers [1 << 6]byte
	for _, m := range []struct {
		field, table string
		to           []byte
		most         int
	}{
		{"tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", q.group[:], numClasses},
		{"tc_to_queue_map", "TC_TO_QUEUE_MAP", q.queue[:], numClasses},
		{"pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", q.stops[:], numClasses},
		{"pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", nil, numClasses},
		{"dscp_to_tc_map", "DSCP_TO_TC_MAP", numbers[:], numClasses},
	} {
		to := m.to
		if to == nil {
			to = make([]byte, numClasses)
		}
		for i := range to {
			to[i] = byte(i) % numClasses
		}
		if err := readMap(s, m.table, row[m.field], to, m.most); err != nil {
			return q, err
		}
		switch m.field {
		case "pfc_to_pg_map":
			for group := range q.priority {
				q.priority[group] = none
			}
			for priority := numClasses - 1; priority >= 0; priority-- {
				q.priority[to[priority]] = byte(priority)
			}
		case "dscp_to_tc_map":
			for _, class := range to {
				q.classes |= 1 << class
			}
			q.dscp = string(to)
		}
	}
	for text := range strings.SplitSeq(row["pfc_enable"], ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		priority, err := class(text)
		if err != nil {
			return q, fmt.Errorf("pfc_enable of port %s: %w", port, err)
		}
		q.on |= 1 << priority
	}
	return q, nil
}

// readMap reads a map from numbers to numbers, if the port has one.
func readMap(s *sonic.Switch, table, name string, to []byte, most int) error {
	name = strings.Trim(name, "[]")
	if i := strings.LastIndex(name, "|"); i >= 0 {
		name = name[i+1:] // an older spelling of references
	}
	if name == "" {
		return nil
	}
	row, ok := s.Database[table][name]
	if !ok {
		return fmt.Errorf("map %.80q, which table %s does not have", name, table)
	}
	for key, value := range row {
		from, errFrom := strconv.Atoi(key)
		v, errTo := strconv.Atoi(value)
		if errFrom != nil || errTo != nil || from < 0 || from >= len(to) || v < 0 || v >= most {
			return fmt.Errorf("map %.80q of table %s has %.20q for %.20q; expected a number up to %d for one up to %d", name, table, value, key, most-1, len(to)-1)
		}
		to[from] = byte(v)
	}
	return nil
}
