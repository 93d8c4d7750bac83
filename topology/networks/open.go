package networks

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"musubi/topology"
	"musubi/topology/format"
	"musubi/topology/generate"
)

// Open returns the network that spec names: one that generate.Network makes, one of All, or a file. The content and then the extension of a file tell its format; "format:path" names it.
//
// A file that describes end points keeps them, and hosts must be 0. Otherwise
// every switch gets hosts end points of kind Host, 1 if hosts is 0, on new ports
// above those it has.
//
// The error is one line, for a malformed file of the form
// "file:line: what was found; expected what".
func Open(spec string, hosts int) (*topology.Network, error) { return OpenUsual(spec, hosts, 0) }

// OpenUsual opens a network like Open, but 0 hosts mean the usual number, unless a file describes
// end points, which it keeps.
func OpenUsual(spec string, hosts, usual int) (*topology.Network, error) {
	prefix, rest, found := strings.Cut(spec, ":")
	if slices.ContainsFunc(generate.All(), func(g generate.Generator) bool { return g.Name == prefix }) {
		return generate.Network(spec, cmp.Or(hosts, usual))
	}
	if n, ok, err := openNamed(spec, cmp.Or(hosts, usual)); ok {
		return n, err
	}
	if f, err := format.Named(prefix); found && err == nil {
		if rest == "" {
			return nil, fmt.Errorf("topology %q names a format and no file; expected %s:FILE", spec, prefix)
		}
		return openFile(f.Read, rest, hosts, usual)
	}
	n, err := openFile(format.Read, spec, hosts, usual)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("topology %q: no such file, nor a generator (%s), network (%s) or format (%s)", spec, list(generate.Names()), list(included()), list(format.Names()))
	}
	return n, err
}

func list(names []string) string { return strings.Join(names, ", ") }

func openFile(read func(io.Reader, string) (*topology.Network, error), path string, hosts, usual int) (*topology.Network, error) {
	file, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	n, err := read(file, path)
	if err != nil {
		return nil, err
	}
	switch {
	case len(n.EndPoints) == 0:
		return n.WithHosts(cmp.Or(hosts, usual, 1))
	case hosts != 0:
		return nil, fmt.Errorf("%s: %d hosts per switch asked for, but the file has %d end points of its own; expected one or the other", path, hosts, len(n.EndPoints))
	}
	return n, nil
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
