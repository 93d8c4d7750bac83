package format

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"musubi/topology"
	"musubi/topology/format/internal/graphs"
	"musubi/topology/format/internal/infiniband"
	"musubi/topology/format/internal/lists"
	"musubi/topology/format/internal/scan"
)

// Format is a kind of file that describes a network.
type Format struct {
	Name       string
	About      string   // one line: what it is and what it leaves out
	Extensions []string // usual file name extensions, the first for new files

	looksLike func(head string) bool // head is the beginning of a file, in whole lines
	read      func(text string, r *Reader) (*topology.Network, error)
	write     func(w *bufio.Writer, n *topology.Network) error // nil: the format is read only
	anyText   bool                                             // it cannot be told from other text, so that the extension says it
}

// formats are in the order in which content is tried.
var formats = []Format{
	{"graphml", "GraphML; keeps everything but the coordinates", []string{".graphml", ".xml"},
		graphs.LooksLikeGraphML, textAlone(graphs.ReadGraphML), graphs.WriteGraphML, false},
	{"dot", "Graphviz; keeps everything but the coordinates", []string{".dot", ".gv"},
		graphs.LooksLikeDOT, textAlone(graphs.ReadDOT), graphs.WriteDOT, false},
	{"gml", "GML, as of yEd, igraph and NetworkX; keeps everything but the coordinates", []string{".gml"},
		graphs.LooksLikeGML, textAlone(graphs.ReadGML), graphs.WriteGML, false},
	{"json", "node-link JSON of NetworkX; keeps everything", []string{".json"},
		graphs.LooksLikeNodeLink, textAlone(graphs.ReadNodeLink), graphs.WriteNodeLink, false},
	{"sonic", "config_db.json of SONiC switches, in an object by name or a folder with a folder for each", []string{".sonic"},
		looksLikeSONiC, readSONiC, nil, false},
	{"lst", "opensm-subnet.lst of OpenSM and ibdiagnet; only connected nodes, no LMC", []string{".lst"},
		infiniband.LooksLikeSubnet, truncatable(infiniband.ReadSubnet), infiniband.WriteSubnet, false},
	{"ports", "port list of ibnetdiscover -p; no GUIDs of adapters, no LMC, no vendor", []string{".ports"},
		infiniband.LooksLikePortList, truncatable(infiniband.ReadPortList), infiniband.WritePortList, false},
	{"ibnetdiscover", "topology dump of ibnetdiscover", []string{".ibnetdiscover", ".ibnet"},
		infiniband.LooksLikeIBNet, truncatable(infiniband.ReadIBNet), infiniband.WriteIBNetDiscover, false},
	{"ibsim", "net file of the InfiniBand simulator ibsim", []string{".net"},
		infiniband.LooksLikeIBNet, truncatable(infiniband.ReadIBNet), infiniband.WriteIBSim, false},
	{"iblinkinfo", "output of iblinkinfo, plain or with -l; no GUIDs of adapters, no vendor, no LMC", []string{".iblinkinfo"},
		infiniband.LooksLikeLinkInfo, truncatable(infiniband.ReadLinkInfo), nil, false},
	{"db_csv", "ibdiagnet2.db_csv of ibdiagnet; nodes, ports and links", []string{".db_csv"},
		infiniband.LooksLikeDBCSV, textAlone(infiniband.ReadDBCSV), nil, false},
	{"ibnl", "IBNL file: the chips of one system", []string{".ibnl"},
		infiniband.LooksLikeIBNL, textAlone(infiniband.ReadIBNL), nil, false},
	{"topo", "IBDM topology file; with the IBNL files of its systems; no GUIDs or LIDs", []string{".topo"},
		infiniband.LooksLikeTopo, func(text string, r *Reader) (*topology.Network, error) { return infiniband.ReadTopo(text, r.Systems) }, infiniband.WriteTopo, false},
	{"slurm", "topology.conf of Slurm: the tree that the scheduler sees", []string{".conf"},
		lists.LooksLikeSlurm, textAlone(lists.ReadSlurm), nil, false},
	{"netbench", "topology of the simulator netbench", []string{".topology"},
		lists.LooksLikeNetbench, textAlone(lists.ReadNetbench), nil, false},
	{"anynet", "topology of the simulator BookSim; no latencies", []string{".anynet"},
		lists.LooksLikeAnynet, textAlone(lists.ReadAnynet), nil, false},
	{"adjlist", "a switch and its neighbours per line, if asked for; switches and links only", []string{".adjlist"},
		lists.LooksLikeAdjacency, textAlone(lists.ReadAdjacency), lists.WriteAdjacency, true},
	{"edges", "one link per line; switches and links only", []string{".edges", ".edgelist"},
		lists.LooksLikeEdgeList, textAlone(lists.ReadEdgeList), lists.WriteEdgeList, true},
}

// All lists the formats that Read knows.
func All() []Format { return slices.Clone(formats) }

// Named returns the format with the given name.
func Named(name string) (Format, error) {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, fmt.Errorf("no topology format is called %q; known are %s", name, strings.Join(Names(), ", "))
	}
	return formats[i], nil
}

// Names lists the names of the formats.
func Names() []string { return namesOf(formats) }

// Written lists the formats that Write knows.
func Written() []Format {
	return slices.DeleteFunc(All(), func(f Format) bool { return f.write == nil })
}

func namesOf(list []Format) []string {
	var names []string
	for _, f := range list {
		names = append(names, f.Name)
	}
	return names
}

// Write writes a network. What the format cannot carry is left out, as About
// says; the error names an ID or name that it cannot spell.
func (f Format) Write(w io.Writer, n *topology.Network) error {
	if f.write == nil {
		return fmt.Errorf("format %s can be read only; expected one of %s", f.Name, strings.Join(namesOf(Written()), ", "))
	}
	if err := checkTexts(n); err != nil {
		return fmt.Errorf("format %s: %w", f.Name, err)
	}
	b := bufio.NewWriter(w)
	if err := f.write(b, n); err != nil {
		return fmt.Errorf("format %s: %w", f.Name, err)
	}
	return b.Flush()
}

// checkTexts checks the rules for texts on which all formats rely.
func checkTexts(n *topology.Network) error {
	check := func(id, name string) error {
		if id == "" || !scan.IsPrintable(id) || !scan.IsPrintable(name) {
			return fmt.Errorf("node %.80q called %.80q; expected an ID, and printable characters", id, name)
		}
		return nil
	}
	for _, s := range n.Switches {
		if err := check(s.ID, s.Name); err != nil {
			return err
		}
	}
	for _, a := range n.Adapters {
		if err := check(a.ID, a.Name); err != nil {
			return err
		}
	}
	return nil
}
