package units

import "testing"

func TestQuantities(t *testing.T) {
	for text, want := range map[string][2]string{
		"150ns":      {"150", "ns"},
		"0.175us":    {"0.175", "us"},
		"6Gbit/s":    {"6", "Gbit/s"},
		"4KiB":       {"4", "KiB"},
		"16":         {"16", ""},
		"true":       {},
		"dl":         {},
		"mesh:4x4":   {},
		"4x4":        {},
		"1.2.3":      {},
		"9 lives":    {},
		"torus:4x4 ": {},
		"":           {},
	} {
		number, unit, ok := Quantity(text)
		if got := [2]string{number, unit}; got != want || ok != (number != "") {
			t.Errorf("%q: got %q and %v, want %q", text, got, ok, want)
		}
	}
}
