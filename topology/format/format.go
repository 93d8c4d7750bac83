package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"musubi/topology"
)

// Format is a kind of file that describes a network.
type Format struct {
	Name       string
	About      string   // one line: what it is and what it leaves out
	Extensions []string // usual file name extensions, the first for new files

	looksLike func(text string) bool
	read      func(text string) (*topology.Network, error)
	write     func(w *bufio.Writer, n *topology.Network) error
}

// formats are in the order in which content is tried.
var formats = []Format{
	{"graphml", "GraphML; keeps everything but the coordinates", []string{".graphml", ".xml"},
		looksLikeGraphML, readGraphML, writeGraphML},
	{"dot", "Graphviz; keeps everything but the coordinates", []string{".dot", ".gv"},
		looksLikeDOT, readDOT, writeDOT},
	{"lst", "opensm-subnet.lst of OpenSM and ibdiagnet; only connected nodes, no LMC", []string{".lst"},
		looksLikeSubnet, readSubnet, writeSubnet},
	{"ports", "port list of ibnetdiscover -p; no GUIDs of adapters, no LMC, no vendor", []string{".ports"},
		looksLikePortList, readPortList, writePortList},
	{"ibnetdiscover", "topology dump of ibnetdiscover", []string{".ibnetdiscover", ".ibnet"},
		looksLikeIBNet, readIBNet, writeIBNetDiscover},
	{"ibsim", "net file of the InfiniBand simulator ibsim", []string{".net"},
		looksLikeIBNet, readIBNet, writeIBSim},
	{"topo", "IBDM topology file; a system is one switch or adapter, no GUIDs or LIDs", []string{".topo"},
		looksLikeTopo, readTopo, writeTopo},
	{"edges", "one link per line; switches and links only", []string{".edges", ".edgelist", ".csv", ".txt"},
		looksLikeEdgeList, readEdgeList, writeEdgeList},
}

// All lists the formats that Read and Write know.
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
func Names() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// maxFile is the largest file that Read takes, in bytes.
const maxFile = 1 << 30

// Read reads a network in the format that the content and then the extension of
// the file name suggest. file is what messages call it.
//
// A fault in the file is reported in one line, as
// "file:line: what was found; expected what".
func Read(r io.Reader, file string) (*topology.Network, error) {
	text, err := load(r, file)
	if err != nil {
		return nil, err
	}
	f, err := detect(text, file)
	if err != nil {
		return nil, err
	}
	return f.parse(text, file)
}

// Read reads a network in this format; see the function Read.
func (f Format) Read(r io.Reader, file string) (*topology.Network, error) {
	text, err := load(r, file)
	if err != nil {
		return nil, err
	}
	return f.parse(text, file)
}

func load(r io.Reader, file string) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	if len(data) > maxFile {
		return "", fmt.Errorf("%s: more than %d bytes; expected a description of a network", file, maxFile)
	}
	return strings.ToValidUTF8(string(bytes.TrimPrefix(data, []byte("\ufeff"))), "\ufffd"), nil
}

func (f Format) parse(text, file string) (*topology.Network, error) {
	n, err := f.read(text)
	var at *lineError
	switch {
	case errors.As(err, &at):
		return nil, fmt.Errorf("%s:%w", file, at)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	n.Name = file
	return n, nil
}

// detect tells the format of a file.
func detect(text, file string) (Format, error) {
	for _, f := range formats {
		if f.looksLike(text) {
			return f, nil
		}
	}
	for _, f := range formats {
		if slices.Contains(f.Extensions, strings.ToLower(filepath.Ext(file))) {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("%s:1: not a known description of a network; expected one of %s", file, strings.Join(Names(), ", "))
}

// Write writes a network. What the format cannot carry is left out, as About
// says; the error names an ID or name that it cannot spell.
func (f Format) Write(w io.Writer, n *topology.Network) error {
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
		if id == "" || !isPrintable(id) || !isPrintable(name) {
			return fmt.Errorf("node %q called %q; expected an ID, and printable characters", id, name)
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

// refuse returns an error if one of the texts of a node has a part that the
// format gives a meaning.
func refuse(reserved string, texts ...string) error {
	for _, t := range texts {
		if strings.Contains(t, reserved) {
			return fmt.Errorf("%q cannot be written: it contains %q", t, reserved)
		}
	}
	return nil
}
