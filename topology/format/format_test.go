package format

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"musubi/internal/check"
	"musubi/internal/nettest"
	"musubi/topology"
	"musubi/topology/generate"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

var long = flag.Bool("long", false, "write large samples in all formats")

// reductions say what is left of a network in each format that does not keep everything.
var reductions = map[string]func(*topology.Network){
	"lst": func(n *topology.Network) {
		dropUnconnected(n)
		for i := range n.Switches {
			n.Switches[i].LMC, n.Switches[i].Enhanced = 0, false
		}
		for i := range n.EndPoints {
			n.EndPoints[i].LMC = 0
		}
		for i := range n.Adapters {
			a := &n.Adapters[i]
			a.ID = a.ID[:2] + fmt.Sprintf("%016x", a.GUID)
		}
	},
	"ports": func(n *topology.Network) {
		dropUnconnected(n)
		for i := range n.Switches {
			s := &n.Switches[i]
			*s = topology.Switch{ID: s.ID, Name: s.Name, GUID: s.GUID, LID: s.LID}
		}
		for i := range n.Adapters {
			a := &n.Adapters[i]
			kind := "CA"
			if a.Kind == topology.Router {
				kind = "RT"
			}
			*a = topology.Adapter{ID: kind + a.ID[1:], Name: a.Name, Kind: a.Kind}
		}
		for i := range n.EndPoints {
			n.EndPoints[i].LMC = 0
		}
		portsInUse(n)
	},
	"topo": func(n *topology.Network) {
		for i := range n.Switches {
			s := &n.Switches[i]
			*s = topology.Switch{ID: s.ID, Name: s.ID, Ports: s.Ports}
		}
		for i := range n.Adapters {
			a := &n.Adapters[i]
			*a = topology.Adapter{ID: a.ID, Name: a.ID, Kind: a.Kind, Ports: a.Ports}
		}
		for i := range n.EndPoints {
			e := &n.EndPoints[i]
			*e = topology.EndPoint{Adapter: e.Adapter, AdapterPort: e.AdapterPort, At: e.At, Speed: e.Speed}
		}
	},
	"adjlist": func(n *topology.Network) {
		switchesAndLinks(n)
		for i := range n.Links {
			n.Links[i].Speed = topology.Speed{}
		}
	},
	"edges": switchesAndLinks,
}

func switchesAndLinks(n *topology.Network) {

	n.Adapters, n.EndPoints = nil, nil
	for i := range n.Switches {
		s := &n.Switches[i]
		*s = topology.Switch{ID: s.ID}
	}
	for i := range n.Links {
		for _, p := range []*topology.Port{&n.Links[i].A, &n.Links[i].B} {
			n.Switches[p.Switch].Ports++
			p.Number = n.Switches[p.Switch].Ports
		}
	}
}

func dropUnconnected(n *topology.Network) {
	usedSwitch, usedAdapter := make([]bool, len(n.Switches)), make([]bool, len(n.Adapters))
	for _, l := range n.Links {
		usedSwitch[l.A.Switch], usedSwitch[l.B.Switch] = true, true
	}
	for _, e := range n.EndPoints {
		usedSwitch[e.At.Switch], usedAdapter[e.Adapter] = true, true
	}
	switches, adapters := renumber(&n.Switches, usedSwitch), renumber(&n.Adapters, usedAdapter)
	for i := range n.Links {
		l := &n.Links[i]
		l.A.Switch, l.B.Switch = switches[l.A.Switch], switches[l.B.Switch]
	}
	for i := range n.EndPoints {
		e := &n.EndPoints[i]
		e.At.Switch, e.Adapter = switches[e.At.Switch], adapters[e.Adapter]
	}
}

// renumber keeps the marked items and returns their new numbers.
func renumber[T any](items *[]T, keep []bool) []int {
	numbers := make([]int, len(*items))
	var kept []T
	for i, item := range *items {
		numbers[i] = len(kept)
		if keep[i] {
			kept = append(kept, item)
		}
	}
	*items = kept
	return numbers
}

func portsInUse(n *topology.Network) {
	for _, l := range n.Links {
		for _, p := range []topology.Port{l.A, l.B} {
			s := &n.Switches[p.Switch]
			s.Ports = max(s.Ports, p.Number)
		}
	}
	for _, e := range n.EndPoints {
		s, a := &n.Switches[e.At.Switch], &n.Adapters[e.Adapter]
		s.Ports, a.Ports = max(s.Ports, e.At.Number), max(a.Ports, e.AdapterPort)
	}
}

// reduce returns what is left of a network in a format.
func reduce(t rapid.TB, f Format, n *topology.Network) *topology.Network {
	t.Helper()
	r, err := topology.New(parts(f, n))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// parts returns the parts of a network that a format keeps.
func parts(f Format, n *topology.Network) topology.Network {
	c := *n
	c.Shape, c.Groups = nil, nil
	c.Switches, c.Adapters = slices.Clone(n.Switches), slices.Clone(n.Adapters)
	c.EndPoints, c.Links = slices.Clone(n.EndPoints), slices.Clone(n.Links)
	if lose := reductions[f.Name]; lose != nil {
		lose(&c)
	}
	return c
}

func write(t rapid.TB, f Format, n *topology.Network) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRandomNetworkSurvivesEveryFormat(t *testing.T) {
	for _, f := range Written() {
		t.Run(f.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := nettest.Draw(t)
				want := reduce(t, f, n)
				text := write(t, f, n)
				got, err := f.Read(strings.NewReader(text), "file")
				if len(want.Switches) == 0 {
					if err == nil {
						t.Fatalf("a file without switches gave no error:\n%s", text)
					}
					return
				}
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				if d := nettest.Difference(want, got); d != "" {
					t.Fatalf("changed by writing and reading (-was +is):\n%s\n%s", d, text)
				}
			})
		})
	}
}

// Generated networks have no GUIDs, which some formats need; what they make up
// must not change the graph.
func TestGeneratedNetworkSurvivesEveryFormat(t *testing.T) {
	for _, g := range generate.All() {
		n := nettest.Generate(t, g.Example, 0)
		for _, f := range Written() {
			got, err := Read(strings.NewReader(write(t, f, n)), "file"+f.Extensions[0])
			if err != nil {
				t.Fatalf("%s as %s: %v", g.Example, f.Name, err)
			}
			if len(got.Switches) != len(n.Switches) || len(got.Links) != len(n.Links) {
				t.Errorf("%s as %s: %d switches and %d links, was %d and %d", g.Example, f.Name, len(got.Switches), len(got.Links), len(n.Switches), len(n.Links))
			}
			for i, l := range got.Links {
				if l.A.Switch != n.Links[i].A.Switch || l.B.Switch != n.Links[i].B.Switch {
					t.Fatalf("%s as %s: link %d joins %v, was %v", g.Example, f.Name, i, l, n.Links[i])
				}
			}
			if want := len(parts(f, n).EndPoints); got.Hosts() != want { // all are hosts
				t.Errorf("%s as %s: %d hosts, want %d", g.Example, f.Name, got.Hosts(), want)
			}
		}
	}
}

func TestContentTellsFormat(t *testing.T) {
	n := nettest.Generate(t, "mesh:2x2", 0)
	for _, f := range Written() {
		if f.Name == "adjlist" {
			continue // must be asked for
		}
		got, _, err := new(Reader).format(write(t, f, n), "no extension")
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		} else if got.Name != f.Name && (got.Name != "ibnetdiscover" || f.Name != "ibsim") { // these share a grammar
			t.Errorf("%s was taken for %s", f.Name, got.Name)
		}
	}
}

func TestFormatNamedListsKnownNames(t *testing.T) {
	_, err := Named("yaml")
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range Names() {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, without %s", err, name)
		}
	}
}

func TestWriteRefusesWhatItCannotSpell(t *testing.T) {
	for _, c := range []struct{ format, id, name string }{
		{"ibnetdiscover", `a"b`, ""},
		{"ibsim", `a"b`, ""},
		{"topo", "a b", ""},
		{"topo", "a/b", ""},
		{"lst", "a", "x} LID:1"},
		{"ports", "a", "x' - 'y"},
		{"graphml", "a\x00", ""},
		{"dot", "a", "line\nbreak"},
	} {
		n, err := topology.New(topology.Network{
			Switches: []topology.Switch{{ID: c.id, Name: c.name, Ports: 2}, {ID: "other", Ports: 2}},
			Links:    []topology.Link{{A: topology.Port{Switch: 0, Number: 1}, B: topology.Port{Switch: 1, Number: 1}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		f, err := Named(c.format)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Write(&bytes.Buffer{}, n); err == nil || !strings.HasPrefix(err.Error(), "format "+c.format) {
			t.Errorf("%s, ID %q, name %q: got error %v", c.format, c.id, c.name, err)
		}
	}
}

// No format writes a text that none could read, of whatever node.
func TestWriteRefusesTextsThatCannotBeRead(t *testing.T) {
	for _, texts := range [][4]string{{"", "", "H", ""}, {"S", "a\x00", "H", ""}, {"S", "", "", ""}, {"S", "", "H", "b\n"}} {
		for _, f := range Written() {
			n := topology.Network{
				Switches:  []topology.Switch{{ID: texts[0], Name: texts[1], Ports: 2}},
				Adapters:  []topology.Adapter{{ID: texts[2], Name: texts[3], Ports: 1}},
				EndPoints: []topology.EndPoint{{AdapterPort: 1, At: topology.Port{Number: 1}}},
			}
			if err := f.Write(io.Discard, &n); err == nil || !strings.Contains(err.Error(), "expected an ID, and printable characters") {
				t.Errorf("%s, %q: got error %v", f.Name, texts, err)
			}
		}
	}
}

// samples returns the files of testdata, and those of the folders that
// MUSUBI_TESTDATA_EXTRA lists.
func samples(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata: %v", err)
	}
	for _, extra := range filepath.SplitList(os.Getenv("MUSUBI_TESTDATA_EXTRA")) {
		for _, pattern := range []string{"*.edges", "*/*.*", "*/*_file"} {
			more, err := filepath.Glob(filepath.Join(extra, pattern))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, more...)
		}
	}
	return files
}

// Large samples go through all formats with -long, and then the others do not.
func TestSampleSurvivesEveryFormat(t *testing.T) {
	const large = 2000 // links and end points
	for _, file := range samples(t) {
		n, err := readWithSystems(file)
		if err != nil {
			continue // TestRealFabrics
		}
		if (len(n.Links)+len(n.EndPoints) > large) != *long {
			continue
		}
		for _, f := range Written() {
			var text bytes.Buffer
			if f.Write(&text, n) != nil {
				continue // TestWriteRefusesWhatItCannotSpell
			}
			got, err := f.Read(&text, "copy")
			if err != nil {
				if len(n.Links)+len(n.EndPoints) > 0 { // some formats are lists of cables
					t.Errorf("%s as %s: %v", file, f.Name, err)
				}
				continue
			}
			switch f.Name {
			case "lst", "ports": // these make up GUIDs and take IDs from them
				if len(got.Links) != len(n.Links) || len(got.EndPoints) != len(n.EndPoints) {
					t.Errorf("%s as %s: %d links and %d end points, was %d and %d", file, f.Name, len(got.Links), len(got.EndPoints), len(n.Links), len(n.EndPoints))
				}
			default:
				if d := nettest.Difference(reduce(t, f, n), got); d != "" {
					t.Errorf("%s as %s: changed (-was +is):\n%s", file, f.Name, d)
				}
			}
		}
	}
}
