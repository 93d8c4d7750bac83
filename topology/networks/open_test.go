package networks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/topology"
)

func TestOpenTakesGeneratorsAndFiles(t *testing.T) {
	for spec, want := range map[string]string{
		"torus:4x4":                                  "16 switches, 32 links, 16 hosts",
		"../format/testdata/names.edges":             "5 switches, 6 links, 5 hosts",
		"edges:../format/testdata/names.edges":       "5 switches, 6 links, 5 hosts",
		"ibsim:../format/testdata/old.ibnetdiscover": "1 switch, 0 links, 2 hosts",
		"../format/testdata/two-switches.net":        "2 switches, 2 links, 3 hosts",
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
	if n.Hosts() != 20 || n.Switches[0].Ports != 8 || n.EndPoints[0].At != (topology.Port{Switch: 0, Number: 5}) {
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
	bad := write("bad.edges", "a b\nc d e\n")
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
		{bad, 0, bad + `:2: found "e" behind two names; expected a speed`},
		{odd, 0, odd + ":1: not a known description of a network; expected one of graphml, dot,"},
		{empty, 0, empty + ": the file is empty; expected a description of a network"},
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

// TestPartsAreAskedFor opens a file of two fabrics that share a host, which OpenSM would serve one
// at a time, files without links, and a dump that ends early.
func TestPartsAreAskedFor(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	two := write("two.net", "Switch 4 \"A\"\n[1] \"B\"[1]\n[2] \"H\"[1]\n\nSwitch 4 \"B\"\n\nSwitch 4 \"C\"\n[2] \"H\"[2]\n\nHca 2 \"H\"\n")
	lone := write("lone.edges", "a\nb\n")
	const from = "../format/testdata/"
	for _, c := range []struct{ spec, part, want, fault string }{
		{two, "", "", two + `: 2 parts that are not connected: part 1 from switch "A" (switches: 2, end points: 1), part 2 from switch "C" (switches: 1, end points: 1); expected one network`},
		{two, "1", "2 switches, 1 link, 1 host", ""},
		{two, "2", "1 switch, 0 links, 1 host", ""},
		{two, "all", "3 switches, 1 link, 2 hosts", ""},
		{two, "3", "", `part "3"; expected 1 to 2, or all`},
		{two, "first", "", `part "first"; expected 1 to 2, or all`},
		{lone, "", "", "no links; expected a network"},
		{lone, "all", "2 switches, 0 links, 2 hosts", ""},
		{"ring:4", "1", "", `part 1 of topology "ring:4", which is no file`},
		{"rhinet2-a", "all", "", "which is no file"},
		{from + "chassis.ibnetdiscover", "", "", `switch "S-00aa000000001004" is known only as the neighbour of others`},
		{from + "chassis.ibnetdiscover", "all", "4 switches, 6 links, 2 hosts, 1 aggregation node, 1 router port", ""},
	} {
		n, err := OpenWith(c.spec, Options{Part: c.part})
		check.Error(t, err, c.fault)
		if err == nil && n.Summary() != c.want {
			t.Errorf("%s, part %q: %s; want %s", c.spec, c.part, n.Summary(), c.want)
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

// Errors quote the beginning of what is long.
func TestErrorsAboutLongNamesAreShort(t *testing.T) {
	name := strings.Repeat("x", 5000)
	for file, text := range map[string]string{
		"parts.dot": "graph { a -- b; " + name + " -- c }",
		"key.gml":   "graph [\n" + name + "\nnode [ id 1 ] ]",
	} {
		path := filepath.Join(t.TempDir(), file)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, 1); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: %.300v; expected a short error", file, err)
		}
	}
}
