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
func (f *verifyFlags) verifyMulticast(net *topology.Network) (finding, error) {
	if err := f.refuseClasses(); err != nil {
		return nil, err
	}
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

func (g *groups) faulty() int {
	n := 0
	for i := range g.list {
		if !g.list[i].OK() {
			n++
		}
	}
	return n
}

// summary counts groups as pairs: those that fail are lost, and a loop is a cycle.
func (g *groups) summary() watch.Verdict {
	v := watch.Verdict{OK: g.ok(), Pairs: int64(len(g.list)), Lost: int64(g.faulty())}
	for _, group := range g.list {
		v.Cycle = max(v.Cycle, len(group.Loop))
	}
	return v
}

func (g *groups) print(s cli.Shared) error {
	if s.JSON {
		v := groupsJSON{g.net.Name, g.tables, g.ok(), []groupJSON{}}
		for i := range g.list {
			v.Groups = append(v.Groups, g.json(&g.list[i]))
		}
		return ordered.WriteJSON(s.Stdout, v)
	}
	return g.printText(s.Stdout)
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
	fmt.Fprintf(w, "%s\n%s: %s\n\n", show.DescribeWithNotes(g.net), g.tables, cli.Plural(len(g.list), "multicast group", "multicast groups"))
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
	if err := report.Paragraph(w, verdict); err != nil {
		return err
	}
	return printNotCovered(w, append([]string{"who has joined which group: the tables do not tell"}, g.net.LeftOut...))
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
