package networks

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"musubi/topology"
	"musubi/topology/format"
	"musubi/topology/generate"
	"musubi/topology/sonic"
)

// Options say what of a network to open.
type Options struct {
	// Hosts is how many hosts to put on each switch of a network that describes no end points; 0:
	// Usual, or else 1.
	Hosts, Usual int
	// Part is which of several parts of a file that are not connected to take: a number from 1, in
	// the order of their lowest switches; or AllParts. Empty: a file in several parts is refused.
	Part string
}

// AllParts is the Part for all parts of a file. It also accepts dumps that are truncated, and
// files without links.
const AllParts = "all"

// Open returns the network that spec names: one that generate.Network makes, one of All, or a file. The content and then the extension of a file tell its format; "format:path" names it.
//
// A file that describes end points keeps them, and hosts must be 0. Otherwise
// every switch gets hosts end points of kind Host, 1 if hosts is 0, on new ports
// above those it has.
//
// A file whose switches are not all connected is refused; see Options.
//
// The error is one line, for a malformed file of the form
// "file:line: what was found; expected what".
func Open(spec string, hosts int) (*topology.Network, error) {
	return OpenWith(spec, Options{Hosts: hosts})
}

// OpenWith opens a network like Open.
func OpenWith(spec string, o Options) (*topology.Network, error) {
	prefix, rest, found := strings.Cut(spec, ":")
	if slices.ContainsFunc(generate.All(), func(g generate.Generator) bool { return g.Name == prefix }) {
		n, err := generate.Network(spec, cmp.Or(o.Hosts, o.Usual))
		return whole(spec, n, o, err)
	}
	if n, ok, err := openNamed(spec, cmp.Or(o.Hosts, o.Usual)); ok {
		return whole(spec, n, o, err)
	}
	if _, err := format.Named(prefix); found && err == nil {
		if rest == "" {
			return nil, fmt.Errorf("topology %q names a format and no file; expected %s:FILE", spec, prefix)
		}
		return openFile(prefix, rest, o)
	}
	n, err := openFile("", spec, o)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("topology %q: no such file, nor a generator (%s), network (%s) or format (%s)", spec, list(generate.Names()), list(included()), list(format.Names()))
	}
	return n, err
}

// whole refuses a choice among the parts of a network that comes along and has one.
func whole(spec string, n *topology.Network, o Options, err error) (*topology.Network, error) {
	if err == nil && o.Part != "" {
		return nil, fmt.Errorf("part %s of topology %q, which is no file; expected no part", o.Part, spec)
	}
	return n, err
}

func list(names []string) string { return strings.Join(names, ", ") }

func openFile(formatName, path string, o Options) (*topology.Network, error) {
	n, err := read(&format.Reader{Format: formatName, Truncated: o.Part == AllParts}, path)
	if format.IsTruncation(err) {
		return nil, fmt.Errorf("%w; --part %s accepts it", err, AllParts)
	}
	if err != nil {
		return nil, err
	}
	if n, err = takePart(n, o.Part); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case len(n.EndPoints) == 0:
		return withHosts(n, cmp.Or(o.Hosts, o.Usual, 1))
	case o.Hosts != 0:
		return nil, fmt.Errorf("%s: %d hosts per switch asked for, but the file has %d end points of its own; expected one or the other", path, o.Hosts, len(n.EndPoints))
	}
	return n, nil
}

// read reads a file, or a folder of SONiC switches.
func read(reader *format.Reader, path string) (*topology.Network, error) {
	if folder := os.DirFS(path); isFolder(path) && sonic.IsFolder(folder) {
		switches, err := sonic.ReadFolder(folder, path)
		if err != nil {
			return nil, err
		}
		return reader.SONiC(switches, path)
	}
	file, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader.Systems = systemsNear(path)
	return reader.Read(file, path)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// systemsNear returns the directories that may have IBNL files for a file: its own, those that
// ibdiagnet makes and people keep below it, and those of IBDM_IBNL_PATH, as IBDM itself looks.
func systemsNear(path string) []fs.FS {
	own := filepath.Dir(path)
	dirs := []string{own, filepath.Join(own, "ibnl"), filepath.Join(own, "ibdiag_ibnl")}
	dirs = append(dirs, filepath.SplitList(os.Getenv("IBDM_IBNL_PATH"))...)
	var systems []fs.FS
	for _, d := range dirs {
		if isFolder(d) {
			systems = append(systems, os.DirFS(d))
		}
	}
	return systems
}

// withHosts puts hosts on all switches of a file that names none, and says so.
func withHosts(n *topology.Network, hosts int) (*topology.Network, error) {
	where := "each of the switches has %d, those in the middle as well"
	if n.Leaves != nil {
		where = "each switch that the file says to have some has %d"
	}
	n, err := n.WithHosts(hosts)
	if err == nil {
		n.Notes = append(slices.Clone(n.Notes), fmt.Sprintf("the file names no hosts; "+where, hosts))
	}
	return n, err
}

// OpenFile opens a file or a pipe to read a network or tables. It refuses everything else:
// directories cannot be read, and devices need not end.
func OpenFile(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch t := info.Mode().Type(); t {
	case 0, fs.ModeNamedPipe:
	case fs.ModeDir:
		return nil, fmt.Errorf("%s is a directory; expected a file or a pipe", path)
	default:
		return nil, fmt.Errorf("%s is neither a file nor a pipe", path)
	}
	return os.Open(path)
}
