package tables

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"musubi/routing"
)

// openSMFiles puts routes into the files that a stock OpenSM takes: forwarding tables for its engine
// "file", and a QoS policy that gives each path its service level. It fails if packets change virtual
// lanes on the way, as OpenSM has one table from level to lane for all ports.
func openSMFiles(routes *routing.Routes) ([]File, error) {
	t, err := NewInfiniBand(routes)
	if err != nil {
		return nil, err
	}
	if err := t.checkOneLane(); err != nil {
		return nil, fmt.Errorf("OpenSM's files of %s: %w", routes.Algorithm, err)
	}
	return []File{
		{"opensm-lfts.dump", t.WriteForwarding},
		{"qos-policy.conf", t.WritePolicy},
		{"opensm.conf", t.WriteOptions},
		{"path-sl.txt", t.WriteLevelsByPort},
		{"HOWTO.txt", t.writeHowTo},
	}, nil
}

// checkOneLane fails unless each service level in use has the lane of its number everywhere.
func (t *InfiniBand) checkOneLane() error {
	if t.Lanes == nil {
		return nil
	}
	levels := t.VLs()
	for s, sw := range t.Net.Switches {
		for in := range sw.Ports + 1 {
			for out := range sw.Ports + 1 {
				for level, lane := range t.LanesAt(s, in, out)[:levels] {
					if int(lane) != level {
						return fmt.Errorf("switch %s sends service level %d from port %d to port %d on lane %d; expected lane %d, as OpenSM has one table for all ports",
							t.Net.SwitchName(s), level, in, out, lane, level)
					}
				}
			}
		}
	}
	return nil
}

// WriteOptions writes OpenSM's options: the engine, the lanes and one table from level to lane.
func (t *InfiniBand) WriteOptions(w io.Writer) error {
	lanes := t.VLs()
	levels, weights := make([]string, numSLs), make([]string, lanes)
	for i := range levels {
		levels[i] = "0"
		if i < lanes {
			levels[i] = fmt.Sprint(i)
		}
	}
	for i := range weights {
		weights[i] = fmt.Sprintf("%d:64", i)
	}
	_, err := fmt.Fprintf(w, `# Made by musubi for routing %s. Service level n uses lane n; the lanes take turns.
routing_engine file
lfts_file opensm-lfts.dump
qos TRUE
qos_policy_file qos-policy.conf
qos_max_vls %d
qos_high_limit 0
qos_vlarb_high 0:0
qos_vlarb_low %s
qos_sl2vl %s
`, t.Algorithm, lanes, strings.Join(weights, ","), strings.Join(levels, ","))
	return err
}

// sameSources are end points that use the same service level to each destination.
type sameSources struct {
	sources []int
	row     []uint8
}

// byLevels groups the end points. Those of a switch mostly use the same levels.
func (t *InfiniBand) byLevels() []sameSources {
	var groups []sameSources
	known := map[string]int{} // group by its levels
	for src := range t.Net.EndPoints {
		row := make([]uint8, len(t.Net.EndPoints))
		for dst := range row {
			if dst != src {
				row[dst] = uint8(t.levels(0).At(src, dst))
			}
		}
		i, ok := known[string(row)]
		if !ok {
			i = len(groups)
			known[string(row)] = i
			groups = append(groups, sameSources{row: row})
		}
		groups[i].sources = append(groups[i].sources, src)
	}
	return groups
}

// guidsInLine keeps the lines of a policy short.
const guidsInLine = 8

// WritePolicy writes a QoS policy with a rule for each group of sources and each level that they use.
// Ports are named by GUID, so adapters may have several. Paths without a rule have level 0.
func (t *InfiniBand) WritePolicy(w io.Writer) error {
	b := bufio.NewWriter(w)
	p := policy{Writer: b, t: t}
	b.WriteString("port-groups\n")
	groups := t.byLevels()
	for i, g := range groups {
		if p.levels(g) == nil {
			continue
		}
		p.group(fmt.Sprintf("s%d", i), g.sources)
		for _, level := range p.levels(g) {
			p.group(fmt.Sprintf("d%d_%d", i, level), p.destinations(g, level))
		}
	}
	b.WriteString("end-port-groups\nqos-levels\n")
	for level := range t.VLs() {
		name := "DEFAULT"
		if level > 0 {
			name = fmt.Sprintf("L%d", level)
		}
		fmt.Fprintf(b, "qos-level\n name: %s\n sl: %d\nend-qos-level\n", name, level)
	}
	b.WriteString("end-qos-levels\nqos-match-rules\n")
	for i, g := range groups {
		for _, level := range p.levels(g) {
			fmt.Fprintf(b, "qos-match-rule\n use: level %d\n source: s%d\n destination: d%d_%d\n qos-level-name: L%d\nend-qos-match-rule\n", level, i, i, level, level)
		}
	}
	b.WriteString("end-qos-match-rules\n")
	return b.Flush()
}

// policy writes parts of a QoS policy.
type policy struct {
	*bufio.Writer
	t *InfiniBand
}

// levels returns the levels above 0 that a group uses.
func (p *policy) levels(g sameSources) []uint8 {
	levels := slices.Compact(slices.Sorted(slices.Values(g.row)))
	return slices.DeleteFunc(levels, func(l uint8) bool { return l == 0 })
}

func (p *policy) destinations(g sameSources, level uint8) (all []int) {
	for dst, l := range g.row {
		if l == level {
			all = append(all, dst)
		}
	}
	return all
}

// group writes a group of ports.
func (p *policy) group(name string, endPoints []int) {
	fmt.Fprintf(p, "port-group\n name: %s\n", name)
	for some := range slices.Chunk(endPoints, guidsInLine) {
		guids := make([]string, len(some))
		for i, e := range some {
			guids[i] = fmt.Sprintf("0x%x", p.t.Addresses.net.EndPoints[e].GUID)
		}
		fmt.Fprintf(p, " port-guid: %s\n", strings.Join(guids, ","))
	}
	p.WriteString("end-port-group\n")
}

// writeHowTo writes how to load the files.
func (t *InfiniBand) writeHowTo(w io.Writer) error {
	_, err := fmt.Fprintf(w, `These files make OpenSM route a fabric by %s in %d lanes.

1. Look at the tables and levels once more, against a fresh dump of the fabric:

       ibnetdiscover > fabric.ibnetdiscover
       musubi verify --topology fabric.ibnetdiscover --lfts opensm-lfts.dump --sl path-sl.txt

2. Ports must have %d data lanes: "smpquery portinfo LID PORT" shows OperVLs. Service level n uses lane n.

3. Copy opensm-lfts.dump and qos-policy.conf to the host of the subnet manager, give opensm.conf their full
   paths, add its lines to the options that you use, and start

       opensm -F opensm.conf

   The log (-D 0x43) has to say "file tables configured on all switches". OpenSM takes another engine
   without an error if it cannot load the file.

4. Programs must ask the subnet manager for the level of each path (path records), as the connection
   manager does. Those that set a level by themselves, multicasts and management stay on level 0, and the proof
   says nothing of them.

5. After a failure make new files: "musubi reroute" keeps what still works, and proves the transition.
`, t.Algorithm, t.VLs(), t.VLs())
	return err
}
