package graphs

import "testing"

// TestNamesInDOT finds the ends of names, which may have letters, digits, underscores, points, and
// anything that is not ASCII.
func TestNamesInDOT(t *testing.T) {
	for text, want := range map[string]int{"abc def": 3, "-1.5;": 4, "s_1": 3, "]": 0, "-]": 0, "\u0080;": 2, "ä--b": 2, "-": 0} {
		if got := dotNameLength(text); got != want {
			t.Errorf("the name in %q has %d bytes; want %d", text, got, want)
		}
	}
}
