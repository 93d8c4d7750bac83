package main

import (
	"testing"

	"musubi/cmd/musubi/internal/catalogue"
)

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
		value, unit := catalogue.Quantity(text)
		if n, ok := value.(interface{ String() string }); ok {
			value = n.String()
		}
		if value != want.value || unit != want.unit {
			t.Errorf("%q: got %v and %q, want %v and %q", text, value, unit, want.value, want.unit)
		}
	}
}
