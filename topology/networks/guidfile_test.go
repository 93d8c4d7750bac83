package networks

import (
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
)

func TestReadGUIDs(t *testing.T) {
	net, err := Open("ring:4", 1)
	check.Must(t, err)
	got, err := readGUIDs(strings.NewReader("# roots\n0x0000000000200002\n\n 2097152 # the first\n"), "f", net)
	check.Must(t, err)
	if !slices.Equal(got, []int{2, 0}) {
		t.Errorf("switches %v; want 2 and 0", got)
	}
	for text, want := range map[string]string{
		"":                     "f: no GUID",
		"s0\n":                 `f:1: found "s0"; expected the GUID of a switch`,
		"0x200000\n0x200000\n": "f:2: GUID 0x0000000000200000 for a second time",
		"\n0x100001\n":         "f:2: no switch has GUID 0x0000000000100001",
	} {
		_, err := readGUIDs(strings.NewReader(text), "f", net)
		check.Error(t, err, want)
	}
}

func FuzzReadGUIDs(f *testing.F) {
	f.Add("0x200000\n# x\n2097153\n")
	f.Fuzz(func(t *testing.T, text string) {
		net, err := Open("ring:4", 1)
		check.Must(t, err)
		switches, err := readGUIDs(strings.NewReader(text), "f", net)
		if err != nil && (!strings.HasPrefix(err.Error(), "f:") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q; want a line that names the file", err)
		}
		if len(switches) > len(net.Switches) {
			t.Errorf("%d switches of %d", len(switches), len(net.Switches))
		}
	})
}
