package tables

import (
	"strings"
	"testing"

	"musubi/internal/nettest"
	"musubi/routing/nexthop"
)

// refused checks an error of a reader: a line that names the file.
func refused(t *testing.T, err error) {
	t.Helper()
	if !strings.HasPrefix(err.Error(), "file:") || strings.ContainsRune(err.Error(), '\n') {
		t.Errorf("%q; want a line that names the file", err)
	}
}

// FuzzReadAdaptive reads tables of adaptive routing of a ring, and proves those that can be read.
func FuzzReadAdaptive(f *testing.F) {
	f.Add("# comment\nFile version: 1\nSwitch 0x200000 AR enabled\nGroups Definition:\nGroup   Sub Group   WHBF   Ports\n-----\n" +
		"0 0 0 1,2,\n0 1 0\nLFT Definition:\nPLFT_NUM: 0, top: 0x0e05\nLID Static Port Lid State Group\n----\n" +
		"0x0001 001 Free 0\n0x0002 002 Static 0\n0x0003 255 HBF 0\nPLFT_NUM: 1\n0x0001 002 Bounded 0\n")
	f.Add("Switch 0x200000\nLFT Definition:\nPLFT_NUM: 0\n0x0001 001 Static\nSwitch 0x200001\nGroups Definition:\n7 0 1,2,3,\n7 1 3\n")
	f.Fuzz(func(t *testing.T, file string) {
		lids, err := AssignLIDs(nettest.Ring(t, 4, 1))
		if err != nil {
			t.Fatal(err)
		}
		a, err := ReadAdaptive(strings.NewReader(file), "file", lids.Network())
		if err != nil {
			refused(t, err)
			return
		}
		nexthop.Prove(a.Rules())
	})
}

// FuzzReadMulticast reads multicast tables of a ring, and checks the groups of those that can be read.
func FuzzReadMulticast(f *testing.F) {
	head := "Multicast mlids [0xc000-0xc3ff] of switch Lid 7 guid 0x200000 (s0):\n"
	f.Add(head + "            0\n     Ports: 0 1 2 3\n MLid\n0xc000        x   x\n1 valid mlids dumped\n")
	f.Add(head + " MLid       Port Mask\n0xc000      0022\n0xc001      000a 0001\n2 valid mlids dumped\n")
	f.Add("Switch 0x0000000000200000\nLID    : Out Port(s)\n0xC000 : 0x001  0x002\n\nSwitch 0x0000000000200001\n0xC000 : 0x000\n")
	f.Fuzz(func(t *testing.T, file string) {
		m, err := ReadMulticast(strings.NewReader(file), "file", nettest.Ring(t, 4, 1))
		if err != nil {
			refused(t, err)
			return
		}
		for _, g := range m.Check() {
			if g.MLID < minMLID || g.Cables > len(m.Net.Links)+len(m.Net.EndPoints) {
				t.Errorf("group 0x%x over %d cables", g.MLID, g.Cables)
			}
		}
	})
}
