package verify

import (
	"fmt"
	"io"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/report"
	"musubi/report/ordered"
	"musubi/routing/multicast"
	"musubi/routing/tables"
	"musubi/topology"
	"musubi/watch"
)

// groups is what verify finds out about multicast tables.
type groups struct {
	tables string // file
	net    *topology.Network
	list   []multicast.Group
}

// groupsJSON is the JSON of verify for multicast tables.
type groupsJSON struct {
	Topology string      `json:"topology"`
	Tables   string      `json:"tables"`
	OK       bool        `json:"ok"`
	Groups   []groupJSON `json:"groups"`
}

type groupJSON struct {
	MLID     string   `json:"mlid"`
	OK       bool     `json:"ok"`
	Switches int      `json:"switches"`
	Cables   int      `json:"cables"`
	Members  []string `json:"members"`
	Parts    int      `json:"parts"`
	Loop     []string `json:"loop"` // links
	OneSided []string `json:"one_sided"`
	NoLink   []string `json:"no_link"`
}

// verifyMulticast reads and checks multicast tables.
func (f *verifyFlags) verifyMulticast(net *topology.Network) (*groups, error) {
	var t *multicast.Tables
	err := cli.WithFile(f.MFTs, func(r io.Reader) (err error) {
		t, err = tables.ReadMulticast(r, f.MFTs, net)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &groups{f.MFTs, net, t.Check()}, nil
}

func (g *groups) ok() bool { return g.faulty() == 0 }

// faulty counts groups that fail; where no tables of multicast were read, g is nil.
func (g *groups) faulty() int {
	if g == nil {
		return 0
	}
	n := 0
	for i := range g.list {
		if !g.list[i].OK() {
			n++
		}
	}
	return n
}

func (g *groups) summary() watch.Verdict { return g.addTo(watch.Verdict{OK: true}) }

// addTo counts groups as pairs: those that fail are lost, and a loop is a cycle.
func (g *groups) addTo(v watch.Verdict) watch.Verdict {
	if g == nil {
		return v
	}
	v.OK, v.Pairs, v.Lost = v.OK && g.ok(), v.Pairs+int64(len(g.list)), v.Lost+int64(g.faulty())
	for _, group := range g.list {
		v.Cycle = max(v.Cycle, len(group.Loop))
	}
	return v
}

func (g *groups) print(s cli.Shared) error {
	if s.JSON {
		return ordered.WriteJSON(s.Stdout, groupsJSON{g.net.Name, g.tables, g.ok(), g.rows()})
	}
	return g.printText(s.Stdout)
}

// rows are the groups in JSON.
func (g *groups) rows() []groupJSON {
	if g == nil {
		return nil
	}
	list := []groupJSON{}
	for i := range g.list {
		list = append(list, g.json(&g.list[i]))
	}
	return list
}

func (g *groups) json(group *multicast.Group) groupJSON {
	v := groupJSON{MLID: fmt.Sprintf("0x%04x", group.MLID), OK: group.OK(), Switches: group.Switches, Cables: group.Cables, Parts: group.Parts, Members: []string{}}
	for _, e := range group.Members {
		v.Members = append(v.Members, show.EndPointID(g.net, int(e)))
	}
	for _, l := range group.Loop {
		v.Loop = append(v.Loop, g.port(g.net.Links[l].A)+" -- "+g.port(g.net.Links[l].B))
	}
	v.OneSided, v.NoLink = g.ports(group.OneSided), g.ports(group.NoLink)
	return v
}

func (g *groups) ports(list []topology.Port) []string {
	names := []string{}
	for _, p := range list {
		names = append(names, g.port(p))
	}
	return names
}

func (g *groups) port(p topology.Port) string {
	return fmt.Sprintf("%s[%d]", g.net.SwitchName(p.Switch), p.Number)
}

func (g *groups) printText(w io.Writer) error {
	fmt.Fprintln(w, show.DescribeWithNotes(g.net))
	if err := g.printGroups(w); err != nil {
		return err
	}
	return printNotCovered(w, append([]string{membersNotCovered}, g.net.LeftOut...))
}

// printBelow prints the groups below what was found out about other tables.
func (g *groups) printBelow(w io.Writer) error {
	if g == nil {
		return nil
	}
	fmt.Fprintln(w)
	return g.printGroups(w)
}

// printGroups prints a row for each group, and the answer.
func (g *groups) printGroups(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s\n\n", g.tables, cli.Plural(len(g.list), "multicast group", "multicast groups"))
	t := report.NewTable(report.Column{Name: "group", Left: true}, report.Column{Name: "members"}, report.Column{Name: "switches"},
		report.Column{Name: "cables"}, report.Column{Name: "result", Left: true})
	for i := range g.list {
		group := &g.list[i]
		result := report.Text("tree").Good()
		if faults := g.faults(group); len(faults) > 0 {
			result = report.Text(strings.Join(faults, "; ")).Bad()
		}
		t.Add(report.Text(fmt.Sprintf("0x%04x", group.MLID)), report.Count(len(group.Members)), report.Count(group.Switches), report.Count(group.Cables), result)
	}
	if err := t.Print(w); err != nil {
		return err
	}
	verdict := "Yes: packets of every group reach all its members, once."
	if n := g.faulty(); n > 0 {
		verdict = fmt.Sprintf("No: %d of %s fail.", n, cli.Plural(len(g.list), "group", "groups"))
	}
	fmt.Fprintln(w)
	return report.Paragraph(w, verdict)
}

// faults says what is wrong with a group.
func (g *groups) faults(group *multicast.Group) []string {
	var list []string
	v := g.json(group)
	if group.Loop != nil {
		list = append(list, "loop: "+strings.Join(v.Loop, ", "))
	}
	if group.Parts > 1 {
		list = append(list, fmt.Sprintf("members in %d parts", group.Parts))
	}
	if len(v.OneSided) > 0 {
		list = append(list, "one end only: "+strings.Join(v.OneSided, ", "))
	}
	if len(v.NoLink) > 0 {
		list = append(list, "no cable: "+strings.Join(v.NoLink, ", "))
	}
	return list
}
