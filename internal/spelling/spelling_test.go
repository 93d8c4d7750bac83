package spelling

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
		if got := DidYouMean(given, known); got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
}
