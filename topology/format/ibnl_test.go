package format

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"musubi/internal/check"
)

// TestSystemsAreExpanded looks at the chips and cables of two chassis: the second has a board for
// wide links in the place of the usual one.
func TestSystemsAreExpanded(t *testing.T) {
	n := openSample(t, "boxes.topo")
	var got []string
	for _, l := range n.Links {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %d - %s %d %v", n.Switches[l.A.Switch].ID, l.A.Number, n.Switches[l.B.Switch].ID, l.B.Number, l.Speed)))
	}
	want := []string{
		"one/leaf1/U1 5 - one/spine1/U1 1 4xQDR",
		"one/leaf1/U1 6 - one/spine1/U2 1 12xQDR",
		"one/leaf2/U1 4 - two/leaf1/U1 1 4xQDR",
		"one/leaf2/U1 5 - one/spine1/U1 2 4xQDR",
		"one/leaf2/U1 6 - one/spine1/U2 2",
		"one/spine1/U1 8 - one/spine1/U2 8",
		"two/leaf1/U1 5 - two/spine1/U1 1",
		"two/leaf1/U1 6 - two/spine1/U2 1 12xQDR",
		"two/leaf2/U1 5 - two/spine1/U1 2 4xQDR",
		"two/leaf2/U1 6 - two/spine1/U2 2",
		"two/spine1/U1 8 - two/spine1/U2 8",
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("links\n%s\nwant\n%s", a, b)
	}
	if len(n.LeftOut) > 0 {
		t.Errorf("left out %q; want nothing, as all systems are expanded", n.LeftOut)
	}
}

// TestFaultsOfSystems is about what is wrong in the file of a system, or between it and the cables.
func TestFaultsOfSystems(t *testing.T) {
	const (
		chip  = "NODE SW 4 CHIP U1\n 1 -> P1\n"
		cable = "BOX8 a\n P1 -> HCA1 h P1\n"
	)
	for _, c := range []struct{ topo, ibnl, want string }{
		{cable, "TOPSYSTEM BOX8\n" + chip, ""},
		{"BOX8 a\n P2 -> HCA1 h P1\n", "TOPSYSTEM BOX8\n" + chip, `file:2: port "P2" of system "a"; expected one of the 1 that its type "BOX8" has`},
		{"BOX8 a CFG: leaf=X\n P1 -> HCA1 h P1\n", "SYSTEM LEAF\n" + chip + "TOPSYSTEM BOX8\nSUBSYSTEM LEAF leaf\n P1 -> P1\n", `file:2: port "P1" of system "a"; expected one of the 0`},
		{"BOX8 a CFG: leaf\n P1 -> HCA1 h P1\n", "", `file:1: found "leaf"; expected modifiers such as leaf1=12x`},
		{"BOX8 a CFG: leaf=16x\n P1 -> HCA1 h P1\n", "SYSTEM LEAF\n" + chip + "TOPSYSTEM BOX8\nSUBSYSTEM LEAF leaf\n P1 -> P1\n", `"a/leaf" is a board "LEAF:16x", which the file does not describe`},
		{cable, "SYSTEM LEAF\nSUBSYSTEM LEAF more\n P1 -> P1\nTOPSYSTEM BOX8\nSUBSYSTEM LEAF leaf\n P1 -> P1\n", `board "LEAF" is nested more than 16 times`},
		{cable, "TOPSYSTEM BOX8\n NODE SW 0 CHIP U1\n", `box.ibnl:2: node U1 has 0 ports; expected 1 to 65535`},
		{cable, "TOPSYSTEM BOX8\nNODE SW 4 CHIP U1\n 5 -> P1\n", `box.ibnl:3: port 5 of "U1"; expected 1 to 4`},
		{cable, "TOPSYSTEM BOX8\nNODE SW 4 CHIP U1\n 1 -> P1\n 1 -> P2\n", `box.ibnl:4: "1" of "U1" leads to two places; expected one, as on line 3`},
		{cable, "TOPSYSTEM BOX8\n" + chip + " 2 -> U2 9\nNODE SW 4 CHIP U2\n", `port 9 of "U2"; expected 1 to 4`},
		{cable, "TOPSYSTEM BOX8\n" + chip + " 2 -> U3 1\n", `found "U3"; expected a part of this board`},
		{cable, "TOPSYSTEM BOX8\n" + chip + "TOPSYSTEM BOX9\n", `box.ibnl:4: found another system behind TOPSYSTEM; expected one, at the end`},
		{cable, "TOPSYSTEM BOX8\n" + chip + "hello\n", `box.ibnl:4: found "hello"; expected a port, as in 1 -> P1`},
		{cable, "TOPSYSTEM BOX8\n" + chip + chip, `box.ibnl:4: "U1" appears again; expected it on line 2 only`},
		{cable, "TOPSYSTEM BOX8\n" + chip + " 2 -> P1\n", `connector "P1" leads to two ports; expected one`},
	} {
		systems := fstest.MapFS{"box.ibnl": &fstest.MapFile{Data: []byte(c.ibnl)}}
		n, err := (&Reader{Format: "topo", Systems: []fs.FS{systems}}).Read(strings.NewReader(c.topo), "file")
		check.Error(t, err, c.want)
		if err == nil && n.Summary() != "1 switch, 0 links, 1 host" {
			t.Errorf("%q: %s; want a switch and a host", c.ibnl, n.Summary())
		}
	}
}

// TestSystemsThatAreNotExpandedAreNoted says that a proof knows nothing of what is inside.
func TestSystemsThatAreNotExpandedAreNoted(t *testing.T) {
	n := mustRead(t, "topo", "MTS14400 a\n L1/P1 -> MTS14400 b L1/P1\n L1/P2 -> SW8 c P1\n")
	const want = "the inside of MTS14400, as there is no IBNL file of it: 2 systems are taken for one switch each"
	if strings.Join(n.LeftOut, ";") != want {
		t.Errorf("left out %q; want %q", n.LeftOut, want)
	}
}
