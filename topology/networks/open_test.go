package networks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"musubi/topology"
)

func TestOpenTakesGeneratorsAndFiles(t *testing.T) {
	for spec, want := range map[string]string{
		"torus:4x4":                                  "16 switches, 32 links, 16 hosts",
		"../format/testdata/names.edges":             "5 switches, 5 links, 5 hosts",
		"edges:../format/testdata/names.edges":       "5 switches, 5 links, 5 hosts",
		"ibsim:../format/testdata/old.ibnetdiscover": "1 switch, 0 links, 2 hosts",
		"../format/testdata/chassis.ibnetdiscover":   "4 switches, 6 links, 2 hosts, 1 aggregation node, 1 router port",
	} {
		n, err := Open(spec, 0)
		if err != nil {
			t.Error(err)
		} else if n.Summary() != want {
			t.Errorf("%s: %s; want %s", spec, n.Summary(), want)
		}
	}
}

func TestHostsAreAddedToFilesWithout(t *testing.T) {
	n, err := Open("../format/testdata/names.edges", 4)
	if err != nil {
		t.Fatal(err)
	}
	if n.Hosts() != 20 || n.Switches[0].Ports != 7 || n.EndPoints[0].At != (topology.Port{Switch: 0, Number: 4}) {
		t.Errorf("%d hosts, the first at %v of %d ports", n.Hosts(), n.EndPoints[0].At, n.Switches[0].Ports)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad := write("bad.edges", "a b\nc d e f\n")
	odd := write("prose.doc", "This is no network at all\n")
	empty := write("empty", "")
	for _, c := range []struct {
		spec  string
		hosts int
		want  string
	}{
		{"nowhere", 0, `topology "nowhere": no such file, nor a generator (mesh, torus,`},
		{dir, 0, "is a directory; expected a file or a pipe"},
		{os.DevNull, 0, os.DevNull + " is neither a file nor a pipe"},
		{"dot:", 0, `topology "dot:" names a format and no file; expected dot:FILE`},
		{bad, 0, bad + ":2: found 4 fields; expected two switch names"},
		{odd, 0, odd + ":1: not a known description of a network; expected one of graphml, dot,"},
		{empty, 0, empty + ":1: not a known description"},
		{"../format/testdata/two-switches.net", 2, "../format/testdata/two-switches.net: 2 hosts per switch asked for, but the file has 3 end points of its own"},
		{"../format/testdata/names.edges", -1, "-1 hosts per switch; expected 0"},
		{"../format/testdata/names.edges", topology.MaxParameter, "hosts; at most"},
		{"mesh:0", 0, `topology "mesh:0": dimension 1 is "0"`},
	} {
		_, err := Open(c.spec, c.hosts)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s with %d hosts: got error %v; want %s", c.spec, c.hosts, err, c.want)
		}
	}
}

func TestNewHostsDoNotTakeNamesOfOthers(t *testing.T) {
	n, err := topology.New(topology.Network{Switches: []topology.Switch{{ID: "h0", Ports: 1}, {ID: "hh1", Ports: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if n, err = n.WithHosts(1); err != nil {
		t.Fatal(err)
	}
	if n.EndPointName(0) != "hhh0" {
		t.Errorf("host is called %s", n.EndPointName(0))
	}
}
