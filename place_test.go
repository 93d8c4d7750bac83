package musubi

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
)

func TestPlacement(t *testing.T) {
	for _, test := range []struct {
		ranks int
		place string
		want  []int
	}{
		{4, "", []int{0, 4, 8, 12}},
		{3, "even", []int{0, 5, 10}},
		{3, "block", []int{0, 1, 2}},
		{0, "5, 1,9", []int{5, 1, 9}},
		{2, "7,3", []int{7, 3}},
		{4, "snake", []int{0, 4, 12, 8}},
		{6, "snake", []int{0, 2, 4, 6, 12, 8}},
		{3, "snake", []int{0, 4, 12}},
		{3, "cyclic", []int{0, 1, 2}},
		{6, "block:2", []int{0, 0, 1, 1, 2, 2}},
		{5, "cyclic:2", []int{0, 1, 2, 0, 1}},
		{20, "cyclic", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3}},
		{8, "even:2", []int{0, 0, 4, 4, 8, 8, 12, 12}},
		{8, "ring:2", []int{8, 8, 12, 12, 4, 4, 0, 0}},
		{5, "snake:2", []int{0, 0, 4, 4, 12}},
		{20, "even", []int{0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 12, 13, 14, 15}},
		{0, "3:2,1,0:2", []int{3, 3, 1, 0, 0}},
	} {
		system, err := Build(Scenario{Machine: "rhinet2", Topology: "mesh:2x2", Ranks: test.ranks, Place: test.place})
		if err != nil || !slices.Equal(system.Hosts, test.want) {
			t.Errorf("%d ranks placed %q: got %v, %v; want %v", test.ranks, test.place, system.Hosts, err, test.want)
		}
	}
}

// Placements of nodes with several interfaces: ranks follow the nodes, or the rails.
func TestPlacementOnNodes(t *testing.T) {
	const four = "rail:nodes=4,rails=2"
	for _, test := range []struct {
		topology, place string
		ranks           int
		want            []int
	}{
		{four, "", 0, []int{0, 4, 1, 5, 2, 6, 3, 7}},
		{four, "block", 3, []int{0, 4, 1}},
		{four, "cyclic", 4, []int{0, 4, 1, 5}},
		{four, "rail", 6, []int{0, 1, 2, 4, 5, 6}},
		{four, "rail", 5, []int{0, 1, 2, 4, 5}},
		{four, "7,3", 0, []int{7, 3}},
		{"ring:8", "", 0, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"ring:8", "rail", 4, []int{0, 2, 1, 3}},
	} {
		system, err := Build(Scenario{Machine: "ndr8", Topology: test.topology, Ranks: test.ranks, Place: test.place, Set: twoByTwo()})
		if err != nil || !slices.Equal(system.Hosts, test.want) {
			t.Errorf("%s, %d ranks placed %q: got %v, %v; want %v", test.topology, test.ranks, test.place, system.Hosts, err, test.want)
		}
	}
}

// twoByTwo are settings of ndr8 for nodes of two accelerators.
func twoByTwo() map[string]string {
	return map[string]string{"node.accelerators": "2", "node.interfaces": "2", "domain.size": "2", "network.routing": "updown"}
}

// Random and fragmented placements keep the ranks of a node together, use no host twice, and differ by the seed.
func TestNodesAreTakenAtRandom(t *testing.T) {
	for _, place := range []string{"random", "fragmented"} {
		seen := map[string]bool{}
		for seed := range uint64(20) {
			system, err := Build(Scenario{Machine: "ndr8", Topology: "rail:nodes=16,rails=2", Ranks: 24, Place: place, Seed: seed, Set: twoByTwo()})
			if err != nil {
				t.Fatal(err)
			}
			used, runs := map[int]bool{}, 1
			for r := 0; r < len(system.Hosts); r += 2 {
				a, b := system.Hosts[r], system.Hosts[r+1]
				if b != a+16 || used[a] {
					t.Fatalf("%s: ranks on hosts %v; expected pairs of one node, each once", place, system.Hosts)
				}
				if used[a] = true; r > 0 && a != system.Hosts[r-2]+1 {
					runs++
				}
			}
			if place == "fragmented" && runs > 8 {
				t.Errorf("fragmented: %d runs of nodes in %v; expected few", runs, system.Hosts)
			}
			seen[fmt.Sprint(system.Hosts)] = true
		}
		if len(seen) < 18 {
			t.Errorf("%s: %d placements of 20 seeds; expected almost as many", place, len(seen))
		}
	}
}

// Ranks on a ring have the next one at the same or at an adjacent switch, the last one the first,
// and hosts run no more than they can, however many hosts and ranks there are.
func TestRanksOnARing(t *testing.T) {
	for _, machine := range []string{"rhinet2", "tofu2"} {
		topologies := []string{"mesh:3x4", "torus:3x3", "tofu:3x1x1x2x3x2"}
		for _, name := range topologies {
			for _, hosts := range []int{1, 3} {
				for ranks := 1; ranks <= 30; ranks++ {
					if (ranks%3 != hosts%3) != *long {
						continue
					}
					system, err := Build(Scenario{Machine: machine, Topology: name, Hosts: hosts, Ranks: ranks, Place: "ring", Routing: "updown", Unsafe: true})
					if err != nil {
						if !strings.Contains(err.Error(), "rings have an even length") && !strings.Contains(err.Error(), "ranks, but the network has") {
							t.Errorf("%s, %s, %d hosts, %d ranks: %v", machine, name, hosts, ranks, err)
						}
						continue
					}
					mustBeAdjacent(t, system, ranks)
				}
			}
		}
	}
}

func mustBeAdjacent(t *testing.T, s *System, ranks int) {
	t.Helper()
	perHost := map[int]int{}
	for r, h := range s.Hosts {
		perHost[h]++
		a, b := s.Net.EndPoints[h].At.Switch, s.Net.EndPoints[s.Hosts[(r+1)%ranks]].At.Switch
		near := a == b
		for _, c := range s.Net.Out(a) {
			near = near || s.Net.To(int(c)).Switch == b
		}
		if !near {
			t.Errorf("%s, %d ranks: rank %d at switch %d, the next one at %d", s.Net.Name, ranks, r, a, b)
		}
	}
	most := map[string]int{"tofu2": 2, "rhinet2": 2}[s.Machine.Name]
	for h, n := range perHost {
		if n > most {
			t.Errorf("%s: %d ranks on host %d", s.Net.Name, n, h)
		}
	}
	if len(s.Hosts) != ranks {
		t.Errorf("%s: %d of %d ranks", s.Net.Name, len(s.Hosts), ranks)
	}
}

// A file lists hosts, one or several in a line; what is wrong with it is told with the line.
func TestPlacementFromFiles(t *testing.T) {
	for text, want := range map[string]string{
		"3\n1\n\n# none\n2\n":   "[3 1 2]",
		"3,1 # two\n2":          "[3 1 2]",
		"3\n16\n":               "line 2: no host 16; the network has hosts 0 to 15",
		"3\nh4\n":               `line 2: "h4" is not the number of a host; expected 0 to 15`,
		"3:2\n3\n":              "line 2: host 3 is listed 3 times; a host runs 2 ranks",
		"3:3\n":                 `line 1: "3:3": 3 ranks on host 3; a host runs 2 ranks`,
		"3:\n":                  `line 1: "3:": "" ranks on host 3; expected 1 to 2`,
		"3:2 # both\n2\n":       "[3 3 2]",
		"3\n,\n":                `line 2: "" is not the number of a host`,
		"# nothing\n":           "the file lists no host",
		"1\n2\n3\n4\n":          "4 hosts are listed, but there are 3 ranks",
		strings.Repeat("1", 99): `line 1: "1111111111111111111111111111111111111111" is not the number of a host`,
	} {
		path := filepath.Join(t.TempDir(), "hosts.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := ""
		switch system, err := Build(Scenario{Machine: "rhinet2", Topology: "mesh:2x2", Ranks: 3, Place: path}); {
		case err != nil:
			got = err.Error()
		default:
			got = fmt.Sprint(system.Hosts)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: got %q; want %q", text, got, want)
		}
	}
}

// Names of hosts may say that several are of a node. Machines without such nodes take each host by itself.
func TestPlacementOnHostsOfNodes(t *testing.T) {
	for place, want := range map[string]string{"": "[0 2 4 6]", "block": "[0 1 2 3]", "rail": "[0 1 2 3]", "block:2": "[0 0 1 1]"} {
		s, err := Build(Scenario{Machine: "ndr", Topology: "rail:nodes=4,rails=2", Ranks: 4, Place: place})
		if err != nil {
			t.Errorf("%q: %v", place, err)
			continue
		}
		if got := fmt.Sprint(s.Hosts); got != want {
			t.Errorf("%q: hosts %s; want %s", place, got, want)
		}
	}
}

// What does not fit is refused with the parameter that says so.
func TestPlacementRefused(t *testing.T) {
	for _, test := range []struct {
		machine string
		ranks   int
		place   string
		want    string
	}{
		{"rhinet2", 33, "", "33 ranks, but the network has 16 hosts for 2 ranks each (host.cores); expected 1 to 32"},
		{"rhinet2", 0, "block:3", `place block:3: "3" ranks on a host; expected 1 to 2 (host.cores)`},
		{"rhinet2", 0, "cyclic:x", `place cyclic:x: "x" ranks on a host; expected 1 to 2 (host.cores)`},
		{"rhinet2", 17, "block:1", "17 ranks, but the network has 16 hosts; expected 1 to 16"},
		{"dimmnet2", 33, "", "33 ranks, but the network has 16 hosts for 2 ranks each (card.processes); expected 1 to 32"},
		{"tofu2", 13, "even:3", `place even:3: "3" ranks on a host; expected 1 to 2 (queue.processes)`},
		{"loggp", 4, "block:2", "machine loggp has no network"},
	} {
		s := Scenario{Machine: test.machine, Ranks: test.ranks, Place: test.place}
		if test.machine != "loggp" {
			s.Topology, s.Hosts, s.Routing, s.Unsafe = "mesh:2x2", 4, "ecube", true
		}
		_, err := Build(s)
		check.Error(t, err, test.want)
	}
}
