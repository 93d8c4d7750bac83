package main

import "testing"

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "dl", 2},
		{"dl", "dl", 0},
		{"updwon", "updown", 1},
		{"nrd", "ndr", 1},
		{"ab", "b", 1},
		{"tours", "torus", 1},
		{"route", "rout", 1},
		{"torus", "mesh", 5},
	} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: got %d, want %d", c.a, c.b, got, c.want)
		}
		if got := editDistance(c.b, c.a); got != c.want {
			t.Errorf("%q to %q: got %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

// A long name with a mistake in it is recognised; a short one is not taken for
// any other.
func TestHintsAreNear(t *testing.T) {
	known := []string{"dl", "ndr", "lash", "updown", "prefix-shortcut"}
	for given, want := range map[string]string{
		"updwon": " (did you mean updown?)", "prefix-shorcut": " (did you mean prefix-shortcut?)",
		"nrd": " (did you mean ndr?)", "LASH": " (did you mean lash?)", "xy": "", "dl": "", "": "",
	} {
		if got := didYouMean(given, known); got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
}

func TestQuantities(t *testing.T) {
	type pair struct {
		value any
		unit  string
	}
	for text, want := range map[string]pair{
		"150ns":      {"150", "ns"},
		"0.175us":    {"0.175", "us"},
		"6Gbit/s":    {"6", "Gbit/s"},
		"4KiB":       {"4", "KiB"},
		"16":         {"16", ""},
		"true":       {true, ""},
		"dl":         {"dl", ""},
		"mesh:4x4":   {"mesh:4x4", ""},
		"4x4":        {"4x4", ""},
		"1.2.3":      {"1.2.3", ""},
		"9 lives":    {"9 lives", ""},
		"torus:4x4 ": {"torus:4x4 ", ""},
	} {
		value, unit := quantity(text)
		if n, ok := value.(interface{ String() string }); ok {
			value = n.String()
		}
		if value != want.value || unit != want.unit {
			t.Errorf("%q: got %v and %q, want %v and %q", text, value, unit, want.value, want.unit)
		}
	}
}
