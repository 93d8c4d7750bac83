package topology_test

import (
	"testing"

	"pgregory.net/rapid"

	"musubi/internal/nettest"
	"musubi/topology/networks"
)

// ibsim gives switches 0x200000, 0x200001, ... and adapters as many GUIDs as they
// have ports and one more, from 0x100000 on.
func TestGUIDsAreThoseOfIBSim(t *testing.T) {
	n, err := networks.Open("format/testdata/two-switches.net", 0)
	if err != nil {
		t.Fatal(err)
	}
	n = n.WithGUIDs()
	if n.Switches[0].GUID != 0x200000 || n.Switches[1].GUID != 0x200001 {
		t.Errorf("switches %#x and %#x", n.Switches[0].GUID, n.Switches[1].GUID)
	}
	if n.Adapters[0].GUID != 0x100000 || n.Adapters[1].GUID != 0x100003 || n.EndPoints[1].GUID != 0x100002 {
		t.Errorf("adapters %#x and %#x, second port %#x", n.Adapters[0].GUID, n.Adapters[1].GUID, n.EndPoints[1].GUID)
	}
}

func TestGUIDsAreUniqueAndThoseGivenStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := nettest.Draw(t)
		sparse := func(guid *uint64) {
			switch rapid.IntRange(0, 2).Draw(t, "GUID") {
			case 0:
				*guid = 0
			case 1: // among those that WithGUIDs gives
				*guid = 0x100000 + *guid%7
			}
		}
		for i := range n.Adapters {
			sparse(&n.Adapters[i].GUID)
		}
		for i := range n.EndPoints {
			sparse(&n.EndPoints[i].GUID)
		}
		for i := range n.Switches {
			n.Switches[i].GUID = 0
		}
		filled := n.WithGUIDs()
		count := make(map[uint64]int)
		for i, s := range filled.Switches {
			count[s.GUID]++
			checkGUID(t, n.Switches[i].GUID, s.GUID, count)
		}
		for i, a := range filled.Adapters {
			count[a.GUID]++
			checkGUID(t, n.Adapters[i].GUID, a.GUID, count)
		}
		for i, e := range filled.EndPoints {
			count[e.GUID]++
			checkGUID(t, n.EndPoints[i].GUID, e.GUID, count)
		}
	})
}

// checkGUID wants GUIDs that were there kept, and new ones not to repeat others.
func checkGUID(t *rapid.T, was, is uint64, count map[uint64]int) {
	if was != 0 && is != was || is == 0 || was == 0 && count[is] > 1 {
		t.Fatalf("GUID %#x became %#x, seen %d times", was, is, count[is])
	}
}
